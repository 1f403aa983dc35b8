"""Where a handler that asks is turned into the result that carries its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from fastmcp.prompts.base import InputRequiredPromptResult
from fastmcp.resources.base import InputRequiredResourceResult
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import InputRequiredToolResult
from mcp_types import ElicitRequest, InputRequiredResult

from mcp_apps_plugin.protocol.elicitation import hint, hinted_page
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.server.elicitation.errors import ElicitationError
from mcp_apps_plugin.server.elicitation.inner import join
from mcp_apps_plugin.server.elicitation.kept import asks
from mcp_apps_plugin.server.elicitation.leg import CARRIERS, current_leg
from mcp_apps_plugin.server.elicitation.relayed import pages_of_result
from mcp_apps_plugin.server.proxies import forward_declarations

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from types import CoroutineType

    from fastmcp.server.middleware import CallNext, MiddlewareContext

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

    # Not `async` itself: a coroutine more is entered at every step of every request.
    def __call__(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> CoroutineType[Any, Any, Any]:
        """Run a request that may ask; every other message costs one comparison."""
        leg = current_leg() if context.method in CARRIERS else None
        running: Awaitable[Any]
        if leg is not None:
            running = (join if leg.entered else _run)(leg, context, call_next)
        else:
            # A proxy that keeps its connections makes them here, and declares itself only then.
            if context.method == "initialize" and context.fastmcp_context is not None:
                forward_declarations(context.fastmcp_context.fastmcp)
            running = call_next(context)
        return cast("CoroutineType[Any, Any, Any]", running)


async def _run(leg: Leg, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
    # Tools and resources have their proxies told already; a prompt may ask as well.
    if context.method == "prompts/get":
        forward_declarations(leg.server)
    result: Any = None
    leg.begin(context)
    try:
        result = await call_next(context)
    except BaseException as error:
        if not leg.end(error):
            raise
    else:
        leg.end(None)
    if leg.suspended:
        assert context.method is not None  # noqa: S101  it is a carrier
        return _RESULTS[context.method](_questions(leg))
    if asks(result):
        pages = await pages_of_result(leg, context, result.input_required.input_requests or {})
        leg.hints = {key: hint(uri) for key, uri in pages.items()}
    return result


def _questions(leg: Leg) -> InputRequiredResult:
    state = leg.next_state()
    if state.stalls >= _MAX_STALLS:
        raise ElicitationError(
            Finding(
                code=Code.ELICIT_STATE,
                subject=f"the question {_words_of(leg)!r}",
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
        if isinstance(request, ElicitRequest)
        and (uri := hinted_page(request.params.meta)) is not None
    }
    return InputRequiredResult(input_requests=leg.asked or None, request_state=state.write())


def _words_of(leg: Leg) -> str:
    questions = (each for each in leg.asked.values() if isinstance(each, ElicitRequest))
    return next((each.params.message for each in questions), "")
