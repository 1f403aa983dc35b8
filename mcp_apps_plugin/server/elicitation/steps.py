"""`once`: a step that runs one time, however often its handler does."""

from __future__ import annotations

import asyncio
import inspect
import json
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar, cast

from mcp_apps_plugin.protocol.authored import authored
from mcp_apps_plugin.protocol.findings import AppsTypeError, Code
from mcp_apps_plugin.server.elicitation.errors import step_usage
from mcp_apps_plugin.server.elicitation.leg import current_leg

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastmcp import Context

    from mcp_apps_plugin.server.elicitation.leg import Leg

_T = TypeVar("_T")

_around: ContextVar[tuple[Leg | None, str]] = ContextVar("mcp_apps_step", default=(None, ""))


def current_step() -> str | None:
    """Return the key of the `once` step that this code runs in, or `None`."""
    leg, key = _around.get()
    # A back end in this process runs in its caller's step, and yet in a leg of its own.
    return key if leg is not None and leg is current_leg.get() else None


@authored(Code.ELICIT_USAGE, "once()", "The step did not run.")
async def once(ctx: Context, key: str, fn: Callable[[], Awaitable[_T] | _T]) -> _T:
    """Run a step one time, and keep its result while the user is asked.

    In the modern era a handler runs again from the top after each question. Put into `once` what
    is expensive, and what must not happen twice: the charge, the row, the random number. The
    result travels to the client and back, encrypted, so any replica can go on.

    It holds from the first question after the step. A step whose request fails, or is sent anew
    by the client from the beginning, runs again; where that must not be either, give the other
    side an idempotency key.

    Experimental, as app-rendered elicitation is a draft (SEP-3118).

    Args:
        ctx: The handler's context.
        key: The name of the step, one for each step of the handler.
        fn: The step: a function without arguments, sync or async. A sync one runs in the event
            loop. Its result is JSON; small, as it travels.

    Returns:
        The result as JSON gives it back: a tuple becomes a list, now and on later runs.

    Raises:
        AppsTypeError: The result is no JSON, the step is inside another one, or `fn` is no function
            (`elicit-usage`).

    Example:
        ```python
        order = await once(ctx, "order", lambda: shop.create_order(cart))
        answer = await elicit(ctx, f"Pay for order {order}?", bool)
        ```
    """
    if not callable(fn):
        problem = f"is given {fn!r}, which is no function."
        raise AppsTypeError(step_usage(key, problem, "Pass the step itself: `lambda: charge()`."))
    leg = current_leg.get()
    if leg is None or not leg.is_open:
        return cast("_T", await _result(key, fn))  # no request, so nothing runs twice
    around = current_step()
    if around is not None:
        remedy = "Make one step of the two, or run them one after the other."
        problem = f"is inside the step {around!r}."
        raise AppsTypeError(step_usage(key, problem, remedy))
    kept = leg.state(ctx).kept
    if key in kept:
        return cast("_T", kept[key])
    running = leg.steps.get(key)
    if running is not None:
        return cast("_T", await asyncio.shield(running))
    running = leg.steps[key] = asyncio.get_running_loop().create_future()
    token = _around.set((leg, key))
    try:
        with leg.holds.step():
            result = kept[key] = await _result(key, fn)
    except BaseException as error:
        del leg.steps[key]
        if isinstance(error, asyncio.CancelledError):
            running.cancel()
        else:
            running.set_exception(error)
            running.exception()  # whoever waits raises it; nobody may
        raise
    else:
        running.set_result(result)
        return cast("_T", result)
    finally:
        _around.reset(token)


async def _result(key: str, fn: Callable[[], object]) -> object:
    found = fn()
    if inspect.isawaitable(found):
        found = await found
    try:
        return json.loads(json.dumps(found, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        problem = f"gave {type(found).__name__}, which is no JSON."
        remedy = "Return plain values; of a model, its `model_dump(mode='json')`."
        raise AppsTypeError(step_usage(key, problem, remedy)) from None
