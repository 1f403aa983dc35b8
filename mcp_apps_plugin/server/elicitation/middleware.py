"""Where a handler that asks is turned into the result that carries its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fastmcp.prompts.base import InputRequiredPromptResult
from fastmcp.resources.base import InputRequiredResourceResult
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import InputRequiredToolResult
from mcp_types import ElicitRequest, InputRequiredResult

from mcp_apps_plugin.protocol.elicitation import hint, hinted_page
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.links import uri_problem
from mcp_apps_plugin.server.elicitation.addressing import seen_uri_of_result
from mcp_apps_plugin.server.elicitation.declared import may_hint
from mcp_apps_plugin.server.elicitation.errors import ElicitationError
from mcp_apps_plugin.server.elicitation.leg import CARRIERS, current_leg
from mcp_apps_plugin.server.proxies import forward_declarations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from mcp_types import InputRequest

    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.server.elicitation.leg import Leg


_RESULTS: Final[Mapping[str, Callable[[InputRequiredResult], Any]]] = {
    "tools/call": InputRequiredToolResult,
    "prompts/get": InputRequiredPromptResult,
    "resources/read": InputRequiredResourceResult,
}
"""FastMCP's result that asks, for each request that may be answered with questions."""

_MAX_STALLS: Final = 3


class ElicitMiddleware(Middleware):
    """FastMCP middleware that runs each request as one leg. A mounted server's joins the outer."""

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Run a request that may ask; every other message costs one comparison."""
        leg = current_leg() if context.method in CARRIERS else None
        if leg is None or leg.entered:
            return await call_next(context)
        # Tools and resources have their proxies told already; a prompt may ask as well.
        if context.method == "prompts/get":
            forward_declarations(leg.server)
        result = await leg.run(call_next(context))
        if leg.suspended:
            assert context.method is not None  # noqa: S101  it is a carrier
            return _RESULTS[context.method](_questions(leg))
        if isinstance(
            result,
            InputRequiredToolResult | InputRequiredPromptResult | InputRequiredResourceResult,
        ):
            leg.hints = await _hints_of(leg, context, result.input_required.input_requests or {})
        return result


def _questions(leg: Leg) -> InputRequiredResult:
    state = leg.next_state()
    if state.stalls >= _MAX_STALLS:
        raise ElicitationError(
            Finding(
                code=Code.ELICIT_STATE,
                subject=f"the question {next(iter(leg.asked.values())).params.message!r}",
                problem=f"is another one each time its handler runs; {_MAX_STALLS} answers in a "
                "row fitted none.",
                consequence="The user would be asked for ever.",
                remedy="Give `elicit()` a `key=`, or keep what varies in its message or its type "
                "with `once()`.",
            )
        )
    # The gates were passed where the handler asked; here the SDK would lose the page on the way.
    leg.hints = {
        key: hint(uri)
        for key, request in leg.asked.items()
        if (uri := hinted_page(request.params.meta)) is not None
    }
    return InputRequiredResult(input_requests=dict(leg.asked), request_state=state.write())


async def _hints_of(
    leg: Leg, context: MiddlewareContext[Any], requests: Mapping[str, InputRequest]
) -> dict[str, JsonObject]:
    """Keep the pages of questions from behind a proxy, and of those an author returned by hand.

    This server answers for them to its client, so its client's gates count, and its addresses.
    """
    hinted = {
        key: uri
        for key, request in requests.items()
        if isinstance(request, ElicitRequest)
        and request.params.mode == "form"
        and (uri := hinted_page(request.params.meta)) is not None
        and uri_problem(uri) is None
    }
    ctx = context.fastmcp_context
    if not hinted or ctx is None or not may_hint(ctx, leg.server):
        return {}
    seen = {key: await seen_uri_of_result(uri, context) for key, uri in hinted.items()}
    return {key: hint(uri) for key, uri in seen.items() if uri is not None}
