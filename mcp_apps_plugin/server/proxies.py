"""Proxies: what this request's client declared about MCP Apps goes on to the back end.

And the pages of the questions that the back end pushes come back through them. Nothing is claimed
that the client did not declare; over a connection that clients share, only what kind they are of.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from fastmcp.server.dependencies import get_context

from mcp_apps_plugin.protocol.capabilities import renders_pages
from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.server.connections import (
    is_kept,
    shared_connection,
    shared_settings,
)
from mcp_apps_plugin.server.elicitation.declared import takes_questions
from mcp_apps_plugin.server.elicitation.holds import reach_back_end
from mcp_apps_plugin.server.elicitation.leg import current_leg
from mcp_apps_plugin.server.elicitation.pushed import PushedQuestions, lent_client
from mcp_apps_plugin.server.negotiation import client_ui_settings, is_modern
from mcp_apps_plugin.server.switch import is_active
from mcp_apps_plugin.server.tree import (
    base_of,
    is_remote,
    local_components,
    mounted,
    proxies_exist,
    root_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fastmcp import FastMCP
    from fastmcp.client import Client

    Server = FastMCP[Any]


_QUESTIONS: Final = "_mcp_apps_questions"
_CACHED: Final = ("tools", "resources", "templates", "prompts")


class _Forwarding:
    """A client factory whose clients declare what the client in front declared."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory

    def __call__(self) -> Any:
        if not is_active():
            return self.factory()  # whoever holds a component from before is not found
        lent = lent_client(self)
        if lent is not None:
            return lent
        client = self.factory()
        return self._later(client) if inspect.isawaitable(client) else self._prepared(client)

    async def _later(self, client: Any) -> Any:
        return self._prepared(await client)

    def _prepared(self, client: Client[Any]) -> Client[Any]:
        leg = current_leg.get()
        if leg is not None:
            reach_back_end(leg.holds)
        # Outside a request there is nobody in front of it.
        if is_modern() is None:
            return client
        if not client.is_connected():  # one that is has declared itself already
            _declare_for_front(client, self)
        session = client._session_kwargs  # noqa: SLF001
        questions = session.get("elicitation_callback")
        if isinstance(questions, PushedQuestions):
            questions.belong_to(leg, client)
        return client


def forward_declarations(server: Server) -> list[_Forwarding]:
    """Let every proxy on a server, and on those mounted on it, forward declarations.

    Mounted ones too, as a component is looked up there before that server's middleware runs, and
    keeps the factory it was made with. Those that forward already are left alone.

    Returns:
        The factories of those that did not.
    """
    if not proxies_exist():
        return []
    begun = [each for _, below in mounted(server) for each in forward_declarations(below)]
    for provider in server.providers:
        if is_remote(provider):
            base: Any = base_of(provider)
            if not isinstance(base.client_factory, _Forwarding):
                base.client_factory = _Forwarding(base.client_factory)
                begun.append(base.client_factory)
                _exchange(_looked_up(base), begun)
    if begun:
        # Tools made by hand from what a proxy made have that as their roots.
        _exchange(map(root_of, local_components(server)), begun)
    return begun


def _exchange(components: Iterable[Any], begun: list[_Forwarding]) -> None:
    """Let components that were looked up before connect as their proxies do now."""
    for component in components:
        plain = getattr(component, "_client_factory", None)
        for factory in begun:
            if plain is factory.factory:
                component._client_factory = factory  # noqa: SLF001  no setter


def _looked_up(provider: Any) -> Iterator[Any]:
    for kind in _CACHED:
        cache = getattr(provider, f"_{kind}_cache", None)
        yield from () if cache is None else cache.items


def stop_forwarding(server: Server) -> None:
    """Give every proxy, and what was made by one, its own factory back."""
    if not proxies_exist():
        return
    proxies = [base_of(provider) for provider in server.providers if is_remote(provider)]
    for proxy in proxies:
        _give_back(proxy, "client_factory")
        for component in _looked_up(proxy):
            _give_back(component, "_client_factory")
    for component in map(root_of, local_components(server)):
        _give_back(component, "_client_factory")


def _give_back(owner: Any, name: str) -> None:
    factory = getattr(owner, name, None)
    if isinstance(factory, _Forwarding):
        setattr(owner, name, factory.factory)


def _declare_for_front(client: Client[Any], connects: object) -> None:
    """Let a client that is about to connect declare what the client in front declared."""
    settings = client_ui_settings()
    kept = is_kept(client.transport)
    # All clients that show no pages share one: it declares what FastMCP's own would.
    asks_always = kept and not renders_pages(settings)
    if asks_always or takes_questions(get_context()):
        _forward_questions(client, connects, kept=kept)
    else:
        _claim_no_questions(client)
    asks = "elicitation_callback" in client._session_kwargs  # noqa: SLF001
    if kept:
        settings = shared_settings(settings, asks=asks)
        client.transport = shared_connection(client.transport, settings, asks=asks)
        _share_questions(client)
    _declare(client, settings)


def _share_questions(client: Client[Any]) -> None:
    """Let whoever opened a kept connection know of the calls of those who use it later."""
    session: dict[str, Any] = client._session_kwargs  # type: ignore[assignment]  # noqa: SLF001
    own = session.get("elicitation_callback")
    if isinstance(own, PushedQuestions):
        shared = getattr(client.transport, _QUESTIONS, own)
        setattr(client.transport, _QUESTIONS, shared)
        session["elicitation_callback"] = shared


def _declare(client: Client[Any], settings: Mapping[str, Any] | None) -> None:
    session: dict[str, Any] = client._session_kwargs  # type: ignore[assignment]  # noqa: SLF001
    extensions = dict(session.get("extensions") or {})
    if settings is None:
        extensions.pop(EXTENSION_ID, None)
    else:
        extensions[EXTENSION_ID] = dict(settings)
    session["extensions"] = extensions or None


def _forward_questions(client: Client[Any], connects: object, *, kept: bool) -> None:
    """Let FastMCP's own forwarding of questions keep their pages."""
    session: dict[str, Any] = client._session_kwargs  # type: ignore[assignment]  # noqa: SLF001
    if _forwards_questions(client):
        plain = session["elicitation_callback"]
        session["elicitation_callback"] = PushedQuestions(plain, connects, kept=kept)


def _claim_no_questions(client: Client[Any]) -> None:
    """Leave FastMCP's own forwarding of questions out; then the back end uses its defaults."""
    if _forwards_questions(client):
        # A client declares elicitation if it has a callback.
        del client._session_kwargs["elicitation_callback"]  # noqa: SLF001


def _forwards_questions(client: Client[Any]) -> bool:
    fastmcps_own: set[str] = getattr(client, "_proxy_restoring_handler_keys", set())
    asks = client._session_kwargs.get("elicitation_callback")  # noqa: SLF001
    return "elicitation_handler" in fastmcps_own and asks is not None
