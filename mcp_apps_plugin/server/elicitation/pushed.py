"""A question that a back end of the older era pushed, on its way to the client in front.

FastMCP's proxies forward its form and leave out its `_meta`, and so the page. Here a question that
names a page goes on with it, called what this server's client knows it by, if this client's own
gates hold. Every other question is left to FastMCP, but for those of a kept connection: FastMCP
would ask for the request that opened it, which is over.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from fastmcp.server.dependencies import get_context
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, ElicitRequest, ElicitRequestFormParams, ErrorData

from mcp_apps_plugin.protocol.elicitation import hint, hinted_page
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.links import uri_problem
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.elicitation.addressing import seen_uri_from_elsewhere
from mcp_apps_plugin.server.elicitation.asking import push
from mcp_apps_plugin.server.elicitation.declared import may_hint
from mcp_apps_plugin.server.elicitation.path import path_in
from mcp_apps_plugin.server.negotiation import is_modern

if TYPE_CHECKING:
    from fastmcp.client import Client
    from mcp.client.session import ElicitationFnT
    from mcp_types import ElicitRequestParams, ElicitResult

    from mcp_apps_plugin.server.elicitation.leg import Leg
    from mcp_apps_plugin.server.elicitation.path import Path


_lent: ContextVar[tuple[object, Any]] = ContextVar("mcp_apps_lent", default=(None, None))


def lent_client(connects: object) -> Client[Any] | None:
    """Return the client to look something up with while its back end waits for an answer.

    A transport may carry one connection only, as a process without `keep_alive` does: another one
    would end the call that asks.

    Args:
        connects: What the proxy connects with.
    """
    lender, client = _lent.get()
    return client if lender is connects else None


class _Call(NamedTuple):
    """A call that the back end is asked for.

    Attributes:
        leg: The request of the client in front.
        path: The path of the call that is around this.
        client: The proxy's client; it is connected while its back end asks.
        front: The session with the client in front. In the older era, which alone pushes, it is
            one for all of that client's requests.
    """

    leg: Leg
    path: Path
    client: Client[Any]
    front: str


class PushedQuestions:
    """What one proxy client does with the questions that its back end pushes.

    Args:
        plain: FastMCP's own forwarding.
        connects: What the proxy connects with; it tells which back end this is.
        kept: Whether the connection outlives the request that opened it.
    """

    def __init__(self, plain: ElicitationFnT, connects: object, *, kept: bool) -> None:
        self._plain = plain
        self._connects = connects
        self._kept = kept
        self._calls: list[_Call] = []

    def belong_to(self, leg: Leg | None, client: Client[Any]) -> None:
        """Note the call that the back end is asked for.

        Args:
            leg: The request of the client in front; the path of the call is the one around this.
            client: The proxy's client; it is connected while its back end asks.
        """
        self._calls = [call for call in self._calls if call.leg.is_open and call.leg is not leg]
        if leg is not None:
            # Now: who asks later does so in the surroundings of whoever opened the connection.
            front = get_context().session_id
            self._calls.append(_Call(leg, path_in(leg), client, front))

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        """Forward one question."""
        uri = hinted_page(params.meta)
        if uri is not None and uri_problem(unversioned(uri)):
            uri = None
        calls = [call for call in self._calls if call.leg.is_open and call.path]
        if not calls or (uri is None and not self._kept):
            return await self._plain(context, params)
        if len({call.front for call in calls}) > 1:
            return ErrorData(code=INTERNAL_ERROR, message=str(_anybodys(params.message)))
        # The client listens in a task of its own; this belongs to the request in front.
        call = calls[-1]
        forwarding = self._forwarded(call, params, uri)
        surroundings = call.leg.surroundings()
        answer = await asyncio.get_running_loop().create_task(forwarding, context=surroundings)
        return await self._plain(context, params) if answer is None else answer

    async def _forwarded(
        self, call: _Call, params: ElicitRequestParams, uri: str | None
    ) -> ElicitResult | ErrorData | None:
        """Ask the client in front, or return `None` where that is left to FastMCP."""
        ctx = get_context()
        if is_modern(ctx) is not False:
            return None
        seen = None
        is_form = isinstance(params, ElicitRequestFormParams)
        if uri is not None and is_form and may_hint(ctx, call.leg.server):
            _lent.set((self._connects, call.client))  # for this task alone, which ends with it
            seen = await seen_uri_from_elsewhere(uri, call.path)
        if seen is None and not self._kept:
            return None
        asked = params.model_dump(by_alias=True, exclude_none=True, exclude={"meta"})
        if seen is not None:
            asked["_meta"] = hint(seen)
        try:
            # The answer goes on as it came: whoever asked checks it, and asks again.
            return await push(ctx, ElicitRequest(params=type(params).model_validate(asked)))
        except MCPError as error:
            return error.error


def _anybodys(message: str) -> Finding:
    """Say that a question is not passed on: it could reach another client's user."""
    return Finding(
        code=Code.ELICIT_UNSUPPORTED,
        subject=f"the question {message!r}",
        problem="came over a connection that calls of several clients use at this moment, which "
        "does not say whose it is.",
        consequence="Nobody was asked.",
        remedy="Serve this back end over HTTP, where each client has a connection of its own.",
    )
