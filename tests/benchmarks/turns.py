"""How two sides are compared: call by call in turns, by CPU time.

A machine that others use too is now fast and now slow, for seconds at a time. Two calls that follow
each other are slowed alike, so that the median of their ratios holds where a ratio of means does
not.
"""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, NamedTuple

from mcp_apps_plugin import activate, deactivate

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Work = Callable[[], Awaitable[object]]


class Compared(NamedTuple):
    """Medians over all turns: CPU seconds of both sides, and the ratio of one pair."""

    plain: float
    ours: float
    ratio: float


async def compare(plain: Work, ours: Work, turns: int) -> Compared:
    """Time two jobs in turns, the first with this package switched off.

    Args:
        plain: What is done with FastMCP as it was.
        ours: What is done with this package on.
        turns: How many pairs.
    """
    off: list[float] = []
    on: list[float] = []
    # A full collection walks everything that was ever loaded, and falls into one call of hundreds.
    gc.collect()
    gc.freeze()
    for turn in range(turns):
        for active in (False, True) if turn % 2 else (True, False):
            (activate if active else deactivate)()
            (on if active else off).append(await _timed(ours if active else plain))
    activate()
    gc.unfreeze()
    ratios = [b / a for a, b in zip(off, on, strict=True)]
    return Compared(statistics.median(off), statistics.median(on), statistics.median(ratios))


async def _timed(work: Work) -> float:
    await work()  # the first call after a switch makes what is kept
    begin = time.process_time()
    await work()
    return time.process_time() - begin
