"""Carrying a question to the user and its answer back, each era in its own way."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from fastmcp.server.elicitation import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
)
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import INVALID_REQUEST, METHOD_NOT_FOUND, ElicitResult

from mcp_apps_plugin.server.elicitation.addressing import seen_uri
from mcp_apps_plugin.server.elicitation.declared import can_ask, is_declared, may_hint
from mcp_apps_plugin.server.elicitation.errors import unsupported
from mcp_apps_plugin.server.elicitation.path import path_in
from mcp_apps_plugin.server.negotiation import is_modern

if TYPE_CHECKING:
    from fastmcp import Context
    from mcp_types import ElicitRequest

    from mcp_apps_plugin.server.elicitation.leg import Leg
    from mcp_apps_plugin.server.elicitation.questions import Answer, Question

_CANNOT_ASK: Final = frozenset({INVALID_REQUEST, METHOD_NOT_FOUND})
"""What is said by a connection that carries no questions, and by a client that does not ask."""

_logger = logging.getLogger("mcp_apps_plugin")

NO_DEFAULT: Final[Any] = object()
"""Stands for a `default=` that was not given; every value could be one."""


async def answered(ctx: Context, leg: Leg, key: str, question: Question, default: Any) -> Answer:
    """Get the answer to a question.

    Args:
        ctx: The handler's context.
        leg: The leg of its request.
        key: The question's key.
        question: The question.
        default: What comes back when this client cannot ask, or `NO_DEFAULT`.

    Raises:
        ElicitationError: The client cannot ask and there is no default (`elicit-unsupported`), or
            no answer was valid (`elicit-answer`).
    """
    modern = is_modern(ctx)
    able = can_ask(ctx)
    # A stateless call of the older era declares nothing; there it is tried.
    if able is False or (able is None and modern):
        return default_answer(question, default)
    if modern:
        return await _over_legs(ctx, leg, key, question)
    try:
        return await _at_once(ctx, question, await _page(ctx, leg, question))
    except MCPError as error:
        if error.error.code not in _CANNOT_ASK:
            raise
        return default_answer(question, default)


async def _over_legs(ctx: Context, leg: Leg, key: str, question: Question) -> Answer:
    """Look the answer up in what this leg brought; without one, the leg ends with the question."""
    state = leg.state(ctx)
    why: str | None = None
    kept = state.answers.get(key)
    if kept is not None:
        found = question.read(kept)
        if not isinstance(found, str):
            return found[0]
        del state.answers[key]  # the form changed under an answer that is kept by an author's key
    arrived = leg.take(key)
    if arrived is not None:
        found = question.read(arrived)
        if not isinstance(found, str):
            state.tries.pop(key, None)
            state.answers[key] = found[1]
            return found[0]
        why = found
        tries = state.tries[key] = state.tries.get(key, 0) + 1
        if tries > question.retries:
            raise question.given_up(why)
    await leg.ask({key: question.request(await _page(ctx, leg, question), why)})
    raise AssertionError  # pragma: no cover  the handler was ended


async def _at_once(ctx: Context, question: Question, page: str | None) -> Answer:
    """Ask over the connection, while the handler waits."""
    why: str | None = None
    for _ in range(question.retries + 1):
        result = await push(ctx, question.request(page, why))
        found = question.read({"action": result.action, "content": result.content})
        if not isinstance(found, str):
            return found[0]
        why = found
    raise question.given_up(why or "")


async def push(ctx: Context, request: ElicitRequest) -> ElicitResult:
    """Send a question over the connection of a request, and wait for its answer.

    By hand: FastMCP's and the SDK's own calls have no parameter for `_meta`.

    Args:
        ctx: The request's context.
        request: The question.

    Raises:
        MCPError: The client did not answer, or this connection carries no questions.
    """
    # The number only says that the question belongs to this request: which stream it goes on.
    metadata = ServerMessageMetadata(related_request_id=ctx.request_id)
    return await ctx.session.send_request(request, ElicitResult, metadata=metadata)


async def _page(ctx: Context, leg: Leg, question: Question) -> str | None:
    """Return the page of a question as its client knows it, if it may be named."""
    page = question.page
    if page is None or not may_hint(ctx, leg.server):
        return None
    if not is_declared(leg.server, page):
        _logger.warning(
            "the question %r names the page `%s`, which nothing said before the server started. "
            "The client shows its own form. Put `@elicits(%r)` on the handler. [elicit-usage]",
            question.message,
            page,
            page,
        )
        return None
    return await seen_uri(page, path_in(leg), ctx.fastmcp)


def default_answer(question: Question, default: Any) -> Answer:
    """Return what an author wants where nobody can be asked.

    Raises:
        ElicitationError: There is no default (`elicit-unsupported`).
    """
    if default is NO_DEFAULT:
        raise unsupported(question.message)
    results: Any = AcceptedElicitation | DeclinedElicitation | CancelledElicitation
    answer: Answer = default if isinstance(default, results) else AcceptedElicitation(data=default)
    return answer
