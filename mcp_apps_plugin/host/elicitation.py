"""A question of the server, rendered by a page of the server (draft convention SEP-3118).

Each question gets a page instance and a bridge of its own, so that answers cannot cross. Whatever
goes wrong on the way, the user is asked in the host's native form instead: a broken page must
neither hang a tool nor decline for the user.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import mcp_types
from fastmcp.client.elicitation import ElicitResult  # FastMCP 4.0 knows no other
from mcp import MCPError

from mcp_apps_plugin.host.bridge import AppBridge
from mcp_apps_plugin.host.connection import SessionConnection
from mcp_apps_plugin.host.errors import BridgeClosedError, HostError
from mcp_apps_plugin.host.resolve import ResolvedPage, resolve_uri
from mcp_apps_plugin.protocol.answers import check_answer
from mcp_apps_plugin.protocol.capabilities import ui_settings
from mcp_apps_plugin.protocol.elicitation import declares, has_hint, hinted_page
from mcp_apps_plugin.protocol.links import uri_problem
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object
from mcp_apps_plugin.protocol.versioned import unversioned

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mcp import ClientSession

    from mcp_apps_plugin.host.callbacks import Callbacks
    from mcp_apps_plugin.host.context import ContextChanges

logger = logging.getLogger(__name__)

INITIALIZE_SECONDS: Final = 15.0
"""How long a page may take until it is initialized."""

ANSWER_SECONDS: Final = 600.0
"""How long a user may take to answer in the page."""

TEARDOWN_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AppElicitation:
    """One question and the page that renders it.

    Attributes:
        page: The page, read from the server that asks.
        bridge: Its bridge, for this question alone. Pump its messages; the rest is done.
        message: The question in words, for a title around the frame.
        server: Who asks, to be shown to the user; `None` when the server did not say.
    """

    page: ResolvedPage
    bridge: AppBridge
    message: str
    server: mcp_types.Implementation | None


Render: TypeAlias = "Callable[[AppElicitation], Awaitable[None]]"
"""Shows the page and carries its messages until it is cancelled. Returning or raising before the
answer is there means that the user dismissed the page."""


ElicitationHandler: TypeAlias = (
    "Callable[[str, type[Any] | None, mcp_types.ElicitRequestParams, Any], Awaitable[Any]]"
)
"""What `fastmcp.Client(elicitation_handler=...)` takes: message, a class for the answer or `None`,
the parameters, the request's context."""


class _Fallback(Exception):  # noqa: N818 - it changes the way, it is no error
    """The native form has to ask."""


def apps_elicitation_handler(
    *,
    render: Render,
    native: ElicitationHandler,
    callbacks: Callbacks | None = None,
    context: ContextChanges | None = None,
    initialize_seconds: float = INITIALIZE_SECONDS,
    answer_seconds: float = ANSWER_SECONDS,
) -> ElicitationHandler:
    """Build the `elicitation_handler` of a `fastmcp.Client` whose user sees pages.

    ```python
    client = Client(
        server,
        extensions=[apps_client_extension(elicitation=True)],
        elicitation_handler=apps_elicitation_handler(render=show_page, native=ask_in_a_form),
    )
    ```

    Args:
        render: Shows one page; runs as a task and is cancelled when its answer is there.
        native: FastMCP's own kind of handler; asks everything that no page can.
        callbacks: What the embedder does for these pages.
        context: The host context they begin with.
        initialize_seconds: How long a page may take until it is initialized.
        answer_seconds: How long the user may take.

    Returns:
        The handler. It serves any number of clients and questions at once.
    """

    async def handle(
        message: str,
        response_type: type[Any] | None,
        params: mcp_types.ElicitRequestParams,
        request: Any,
    ) -> Any:
        session: ClientSession = request.session
        try:
            uri = _hint(params, session.server_capabilities)
            connection = SessionConnection(session)
            page = await resolve_uri(connection, uri)
            bridge = AppBridge(
                connection,
                None,
                page=page,
                callbacks=callbacks,
                context=context,
                elicitation=True,
            )
            shown = AppElicitation(
                page=page, bridge=bridge, message=message, server=session.server_info
            )
            asked = params.model_dump(mode="json", by_alias=True, exclude_none=True)
            answer = await _ask(render, shown, asked, seconds=(initialize_seconds, answer_seconds))
            return checked_answer(answer, asked["requestedSchema"])
        except (_Fallback, HostError, MCPError, RuntimeError) as why:
            if str(why):
                logger.warning("the native form asks in place of a page: %s", why)
            return await native(message, response_type, params, request)

    return handle


def _hint(
    params: mcp_types.ElicitRequestParams, server: mcp_types.ServerCapabilities | None
) -> str:
    """The page that a question names, if it may."""
    if not has_hint(params.meta):
        raise _Fallback
    if not isinstance(params, mcp_types.ElicitRequestFormParams):
        message = "only forms are rendered by pages"
        raise _Fallback(message)
    settings = ui_settings(server.extensions if server else None) or {}
    if not declares(settings):
        message = "the server did not declare `elicitation` in its Apps capability"
        raise _Fallback(message)
    uri = hinted_page(params.meta)
    problem = uri_problem(uri and unversioned(uri))
    if problem:
        message = f"the page {uri!r} {problem}"
        raise _Fallback(message)
    return str(uri)


async def _ask(
    render: Render, shown: AppElicitation, params: JsonObject, *, seconds: tuple[float, float]
) -> JsonObject:
    initialize_seconds, answer_seconds = seconds
    bridge = shown.bridge

    async def answer() -> JsonObject:
        await bridge.wait_ready(initialize_seconds)
        return await bridge.elicit(params, answer_seconds)

    rendering = asyncio.ensure_future(render(shown))
    answering = asyncio.create_task(answer())
    try:
        await asyncio.wait([rendering, answering], return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            failure = rendering.exception()
            message = f"the page could not be shown: {failure!r}" if failure else ""
            raise _Fallback(message)
        try:
            result = answering.result()
        except BridgeClosedError:
            # Who shows the page closed it, and is about to return: the user dismissed it.
            await asyncio.wait([rendering], timeout=TEARDOWN_SECONDS)
            if rendering.done() and rendering.exception() is None:
                raise _Fallback from None
            raise
        await bridge.teardown(TEARDOWN_SECONDS)
        return result
    finally:
        # Also when the question itself was cancelled: then without a word to the page.
        await bridge.close()
        rendering.cancel()
        answering.cancel()
        await asyncio.wait([rendering, answering])


def checked_answer(answer: Mapping[str, Any], schema: JsonObject) -> ElicitResult[Any]:
    """Check what a page answered, outside its sandbox.

    Args:
        answer: The result of `elicitation/create` as the page gave it.
        schema: The `requestedSchema` of the question.

    Returns:
        The answer; `content`, with the schema's defaults, only when it was accepted.

    Raises:
        _Fallback: It is no answer, or its content does not fit the schema. The message never
            repeats a value.
    """
    action, content = answer.get("action"), as_object(answer.get("content"))
    if action in ("decline", "cancel"):
        return ElicitResult(action=action)
    if action != "accept" or content is None:
        message = "the page's answer has no meaning"
        raise _Fallback(message)
    filled, problems = check_answer(content, schema)
    if problems:
        message = f"the page's answer does not fit the question: {problems[0]}"
        raise _Fallback(message)
    try:
        return ElicitResult(action="accept", content=filled)
    except ValueError:  # content no form has, such as nested objects
        message = "the page's answer has values that no form has"
        raise _Fallback(message) from None
