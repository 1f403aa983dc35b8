"""How two sides are compared: call by call in turns, each in a process of its own, by CPU time.

A machine that others use too is now fast and now slow, for seconds at a time. Two calls that follow
each other are slowed alike, so that the median of their ratios holds where a ratio of means does
not. The plain side never loads this package: what is switched off leaves traces in a process.

Each process has 2 to 5 % of its own, by how its memory came to lie. So a figure is the median over
several pairs of them.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

_WARM = 20
_CALLS = 10  # a turn's, as a process that just woke up is slow at first


class Compared(NamedTuple):
    """Medians over all turns: CPU milliseconds of both sides, and the ratio of one pair."""

    plain: float
    ours: float
    ratio: float


def compared(
    program: Path, jobs: Mapping[str, int], *arguments: object, pairs: int
) -> dict[str, Compared]:
    """Time jobs in several pairs of processes, one after the other.

    Args:
        program: The program, see `Sides`.
        jobs: How many turns each job gets in a pair.
        arguments: The program's further arguments.
        pairs: How many pairs there are.

    Returns:
        The medians over all pairs, by job.
    """
    figures: dict[str, list[Compared]] = {job: [] for job in jobs}
    for _ in range(pairs):
        with Sides(program, *arguments) as sides:
            for job, turns in jobs.items():
                figures[job].append(sides.compare(job, turns))
    return {
        job: Compared(*map(statistics.median, zip(*each, strict=True)))
        for job, each in figures.items()
    }


class Sides:
    """One program in two processes, which ends in `take_turns`.

    Args:
        program: The program; its first argument is `plain` or `ours`.
        arguments: Its further arguments.
    """

    def __init__(self, program: Path, *arguments: object) -> None:
        self._sides = {
            name: subprocess.Popen(
                [sys.executable, program, name, *map(str, arguments)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in ("plain", "ours")
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for side in self._sides.values():
            side.communicate()

    def read(self, name: str) -> str:
        """Return the next line that one side says."""
        said = self._sides[name].stdout
        assert said
        return said.readline().strip()

    def compare(self, job: str, turns: int) -> Compared:
        """Time a job of both sides in turns."""
        pairs = []
        for turn in range(turns):
            order = ("plain", "ours") if turn % 2 else ("ours", "plain")
            took = {name: self._timed(name, job) for name in order}
            pairs.append((took["plain"], took["ours"]))
        plain, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
        return Compared(plain, ours, statistics.median(b / a for a, b in pairs))

    def _timed(self, name: str, job: str) -> float:
        asked = self._sides[name].stdin
        assert asked
        asked.write(f"{job}\n")
        asked.flush()
        return float(self.read(name))


async def take_turns(jobs: Mapping[str, Callable[[], Awaitable[object]]]) -> None:
    """Be one side: do the jobs that standard input names, and print their CPU milliseconds."""
    for work in jobs.values():
        for _ in range(_WARM):
            await work()
    # A full collection walks everything that was ever loaded, and falls into one call of hundreds.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        work = jobs[line.strip()]
        await work()
        begin = time.process_time()
        for _ in range(_CALLS):
            await work()
        print((time.process_time() - begin) * 1000 / _CALLS, flush=True)
