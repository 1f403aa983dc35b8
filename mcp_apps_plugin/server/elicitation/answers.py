"""What a client gets in place of a result: the questions of a handler that asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fastmcp.prompts.base import InputRequiredPromptResult
from fastmcp.resources.base import InputRequiredResourceResult
from fastmcp.tools.base import InputRequiredToolResult
from mcp_types import ElicitRequest, InputRequiredResult

from mcp_apps_plugin.protocol.elicitation import hint, hinted_page
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.server.elicitation.errors import ElicitationError
from mcp_apps_plugin.server.elicitation.relayed import pages_of_result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_apps_plugin.server.elicitation.leg import Leg


_RESULTS: Final[Mapping[str, Callable[[InputRequiredResult], Any]]] = {
    "tools/call": InputRequiredToolResult,
    "prompts/get": InputRequiredPromptResult,
    "resources/read": InputRequiredResourceResult,
}
"""FastMCP's result that asks, for each request that may be answered with questions."""

_MAX_STALLS: Final = 3


async def answer_of(leg: Leg, result: Any) -> Any:
    """Make the answer to a request whose handler asks, or has a result that does.

    Args:
        leg: The leg of the request, which is over.
        result: What its handler returned, unless it was ended.

    Raises:
        ElicitationError: The handler asks something else each time it runs (`elicit-state`).
    """
    context = leg.context
    assert context is not None  # noqa: S101  its handler ran
    if leg.suspended:
        return _RESULTS[leg.method](_questions(leg))
    path = leg.path_of(result, (context,))
    pages = await pages_of_result(leg, path, result.input_required.input_requests or {})
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
