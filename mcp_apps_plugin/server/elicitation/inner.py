"""Calls that a handler makes of other components, and that ask in turn.

What runs in this process joins its caller's leg. What stands behind a proxy, or asks by hand, has
a request state of its own: it has to see that one and not its caller's, and its questions become
its caller's. The answers go back to it, and its result is kept until the caller is done.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastmcp.server.dependencies import bind_request_context
from mcp_types import ElicitRequest, ElicitRequestFormParams

from mcp_apps_plugin.declarations.elicits import asks_itself
from mcp_apps_plugin.protocol.elicitation import declares, hint
from mcp_apps_plugin.protocol.findings import AppsTypeError
from mcp_apps_plugin.server.elicitation.errors import step_usage
from mcp_apps_plugin.server.elicitation.kept import asks, restored
from mcp_apps_plugin.server.elicitation.keys import call_identity, call_key
from mcp_apps_plugin.server.elicitation.path import (
    calls_around,
    component_of,
    path_in,
    server_of,
)
from mcp_apps_plugin.server.elicitation.relayed import pages_of_result
from mcp_apps_plugin.server.elicitation.steps import current_step
from mcp_apps_plugin.server.negotiation import is_modern
from mcp_apps_plugin.server.tree import mounted, root_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from mcp_types import InputRequest

    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.server.elicitation.leg import Leg
    from mcp_apps_plugin.server.elicitation.path import Path


async def join(leg: Leg, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
    """Run a call inside of a leg: one passed down to a mounted server, or one a handler makes.

    Args:
        leg: The leg.
        context: The call.
        call_next: What runs it.

    Raises:
        AppsTypeError: It asks inside a `once` step (`elicit-usage`).
    """
    above = path_in(leg)
    path = (*above, context)
    token = calls_around.set((leg, path))
    try:
        if not leg.is_open or not is_modern() or await _is_passed_down(above, context):
            result = await call_next(context)
        else:
            result = await _called(leg, path, call_next)
    finally:
        calls_around.reset(token)
    if asks(result):
        leg.path_of(result, path)
    return result


async def _called(leg: Leg, path: Path, call_next: CallNext[Any, Any]) -> Any:
    context = path[-1]
    ctx = context.fastmcp_context
    assert ctx is not None  # noqa: S101  it is a request's
    identity = leg.next_key(call_identity(ctx.fastmcp.name, context.method, context.message))
    state = leg.state(ctx)
    key = call_key(identity) if state.calls else ""
    call = state.calls.get(key)
    if call is not None and "result" in call:
        return restored(context.method, call["result"])
    if call is not None:
        arrived = ((name, leg.take(f"{key}/{name}")) for name in call["asked"])
        call["answers"].update((name, answer) for name, answer in arrived if answer is not None)
    with leg.holds.call(), _request_of(leg, ctx, call):
        result = await call_next(context)
    if not asks(result):
        if call is not None:
            leg.finished[key] = result
        return result
    if call is None and not await _is_ours(leg, path[:-1]):
        return result  # FastMCP's own way: the handler may hand it on
    step = current_step()
    if step is not None:
        problem = f"calls `{_name_of(context)}`, which asks the user."
        remedy = "Call it before the step or after it."
        raise AppsTypeError(step_usage(step, problem, remedy))
    key = key or call_key(identity)
    asked = result.input_required
    requests = await _for_client(leg, leg.path_of(result, path), asked.input_requests or {})
    state.calls[key] = {"state": asked.request_state, "asked": list(requests), "answers": {}}
    await leg.ask({f"{key}/{name}": request for name, request in requests.items()})
    raise AssertionError  # pragma: no cover  the handler was ended


@contextmanager
def _request_of(leg: Leg, ctx: Any, call: JsonObject | None) -> Generator[None]:
    """Let a call see its own answers and state in place of its caller's."""
    if not (leg.resumed and leg.touched):  # a state of the handler's own making is the call's, too
        yield
        return
    srctx = ctx.request_context._srctx  # noqa: SLF001  FastMCP's context reads it from here
    params = {k: v for k, v in srctx.params.items() if k not in ("inputResponses", "requestState")}
    if call is not None:
        params["inputResponses"] = call["answers"]
        if call["state"] is not None:
            params["requestState"] = call["state"]
    with bind_request_context(replace(srctx, params=params)):
        yield


async def _is_ours(leg: Leg, above: Path) -> bool:
    """Tell whether a handler's calls may end it: it asks itself, or its server asks with pages.

    All others get the result that asks, as without this package.
    """
    from mcp_apps_plugin.server.wire import apps_settings  # noqa: PLC0415  it uses what is here

    if leg.touched or declares(apps_settings(leg.server)):
        return True
    components = [await component_of(context) for context in above]
    return any(each is not None and asks_itself(each) for each in components)


async def _for_client(
    leg: Leg, path: Path, requests: dict[str, InputRequest]
) -> dict[str, InputRequest]:
    """Name the pages of questions as the client knows them, or take them out."""
    pages = await pages_of_result(leg, path, requests)
    named: dict[str, InputRequest] = {}
    for key, request in requests.items():
        if not isinstance(request, ElicitRequest) or request.params.mode != "form":
            named[key] = request
            continue
        form = request.params.model_dump(by_alias=True, exclude_none=True, exclude={"meta"})
        meta = {"_meta": hint(pages[key])} if key in pages else {}
        params = ElicitRequestFormParams.model_validate({**form, **meta})
        named[key] = ElicitRequest(params=params)
    return named


async def _is_passed_down(above: Path, context: MiddlewareContext[Any]) -> bool:
    """Tell whether a mounted server runs what was asked of the one it is mounted on."""
    outer, server = above[-1], server_of(context)
    if any(server_of(each) is server for each in above):
        return False
    if not any(below is server for _, below in mounted(server_of(outer))):
        return False
    if outer.method == context.method and _name_of(outer).endswith(_name_of(context)):
        return True
    component: Any = await component_of(outer)
    return component is not None and getattr(root_of(component), "_server", None) is server


def _name_of(context: MiddlewareContext[Any]) -> str:
    if context.method == "resources/read":
        return str(context.message.uri).rpartition("://")[2]
    return str(context.message.name)
