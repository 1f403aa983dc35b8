"""A question that a back end of the older era pushed, on its way to the client in front.

FastMCP's proxies forward its form and leave out its `_meta`, and so the page. Here a question that
names a page goes on with it, called what this server's client knows it by, if this client's own
gates hold. Every other question is left to FastMCP.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from fastmcp.server.dependencies import get_context
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ErrorData

from mcp_apps_plugin.protocol.elicitation import hint, hinted_page
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


class PushedQuestions:
    """What one proxy client does with the questions that its back end pushes.

    Args:
        plain: FastMCP's own forwarding.
        connects: What the proxy connects with; it tells which back end this is.
    """

    def __init__(self, plain: ElicitationFnT, connects: object) -> None:
        self._plain = plain
        self._connects = connects
        self._calls: list[tuple[Leg, Path, Client[Any]]] = []

    def belong_to(self, leg: Leg | None, client: Client[Any]) -> None:
        """Note the call that the back end is asked for.

        Args:
            leg: The request of the client in front; the path of the call is the one around this.
            client: The proxy's client; it is connected while its back end asks.
        """
        self._calls = [call for call in self._calls if call[0].is_open and call[0] is not leg]
        if leg is not None:
            self._calls.append((leg, path_in(leg), client))

    def _call(self) -> tuple[Leg, Path, Client[Any]] | None:
        """Return the call that asks, or `None` where a connection does not tell whose that is."""
        calls = [call for call in self._calls if call[0].is_open and call[1]]
        fronts = {id(_front_of(leg)) for leg, _, _ in calls}
        return calls[-1] if len(fronts) == 1 else None

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        """Forward one question."""
        uri = hinted_page(params.meta)
        call = None if uri is None or uri_problem(unversioned(uri)) else self._call()
        if call is None or uri is None:
            return await self._plain(context, params)
        # The client listens in a task of its own; this belongs to the request in front.
        forwarding = self._with_page(*call, params, uri)
        surroundings = call[0].surroundings()
        answer = await asyncio.get_running_loop().create_task(forwarding, context=surroundings)
        return await self._plain(context, params) if answer is None else answer

    async def _with_page(
        self, leg: Leg, path: Path, client: Client[Any], params: ElicitRequestParams, uri: str
    ) -> ElicitResult | ErrorData | None:
        """Ask the client in front with the page, or return `None` where it may not be named."""
        ctx = get_context()
        is_form = isinstance(params, ElicitRequestFormParams)
        if not is_form or is_modern(ctx) is not False or not may_hint(ctx, leg.server):
            return None
        _lent.set((self._connects, client))  # for this task alone, which ends with it
        seen = await seen_uri_from_elsewhere(uri, path)
        if seen is None:
            return None
        form = params.model_dump(by_alias=True, exclude_none=True, exclude={"meta"})
        asked = ElicitRequestFormParams.model_validate({**form, "_meta": hint(seen)})
        try:
            # The answer goes on as it came: whoever asked checks it, and asks again.
            return await push(ctx, ElicitRequest(params=asked))
        except MCPError as error:
            return error.error


def _front_of(leg: Leg) -> object:
    """Return the session with the client that a call comes from."""
    assert leg.context is not None  # noqa: S101  its handler runs
    ctx = leg.context.fastmcp_context
    return None if ctx is None else ctx.session
