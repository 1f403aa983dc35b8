"""A host without a browser: opens a tool's page, for a test to speak for the page."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from mcp_apps_plugin.checks.connect import is_client
from mcp_apps_plugin.checks.showing import Record
from mcp_apps_plugin.host import (
    AppBridge,
    AppElicitation,
    Limits,
    apps_elicitation_handler,
    model_tools,
    resolve_page,
)
from mcp_apps_plugin.testing.answers import as_answer
from mcp_apps_plugin.testing.clients import open_client
from mcp_apps_plugin.testing.session import AppsSession, Opening
from mcp_apps_plugin.testing.view import SECONDS, ScriptedView

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    import mcp_types
    from fastmcp import Client

    from mcp_apps_plugin.checks.snapshot import Era
    from mcp_apps_plugin.host import ResolvedPage
    from mcp_apps_plugin.host.context import ContextChanges
    from mcp_apps_plugin.protocol.shapes import JsonObject

    MakeView = Callable[[Callable[[JsonObject], Awaitable[None]]], ScriptedView]


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the server.

    Attributes:
        message: The question in words.
        page: The page that rendered it, or `None` for the host's own form.
        answer: What was answered.
    """

    message: str
    page: str | None
    answer: mcp_types.ElicitResult | None = None


class AppsHost:
    """A strict MCP Apps host in memory.

    ```python
    async with AppsHost(mcp) as host, host.open("get_weather", {"city": "Oslo"}) as session:
        assert session.result.structured_content["city"] == "Oslo"
        await session.view.call_tool("refresh", {"city": "Rome"})
    ```

    It is for any server and any page: with a `view=` of its own it shows what other people's pages
    would do.

    Args:
        server: A FastMCP server, a connected `fastmcp.Client`, or what `Client` takes.
        era: The protocol era, for a server.
        apps: What the host's client declares; see `open_client`.
        view: Makes the page's half of each session: a class like `ScriptedView`.
        answer: Answers the server's questions, for a server: content to accept with, a whole
            result, or a function of the question's parameters. A page that the question names
            answers first. One that does not fit the form ends the call (`elicit-answer`).
        context: The host context to begin with.
        limits: How much a page may send.
        client: Further options of `fastmcp.Client`.

    Attributes:
        client: The host's client.
        sessions: The sessions that are open.
        questions: What the server asked, in order.
    """

    def __init__(
        self,
        server: Any,
        *,
        era: Era = "modern",
        apps: Any = "apps",
        view: MakeView = ScriptedView,
        answer: Any = None,
        context: ContextChanges | None = None,
        limits: Limits | None = None,
        **client: Any,
    ) -> None:
        self._server = server
        self._era: Era = era
        self._apps = apps
        self._make_view = view
        self._answer = answer
        self._context = context
        self._limits = limits
        self._options = client
        self._stack = AsyncExitStack()
        self._client: Client[Any] | None = None
        self.sessions: list[AppsSession] = []
        self.questions: list[Question] = []

    @property
    def client(self) -> Client[Any]:
        """The host's client.

        Raises:
            RuntimeError: The host is not open.
        """
        if self._client is None:
            message = "open the host first: `async with AppsHost(server) as host`"
            raise RuntimeError(message)
        return self._client

    async def __aenter__(self) -> Self:
        if is_client(self._server):
            self._client = self._server
            if not self._server.is_connected():
                await self._stack.enter_async_context(self._server)
            return self
        options = dict(self._options)
        if self._answer is not None:
            options["elicitation"] = apps_elicitation_handler(
                render=self._render, native=self._native, initialize_seconds=SECONDS
            )
            options["pages_elicit"] = True
        opening = open_client(self._server, era=self._era, apps=self._apps, **options)
        self._client = await self._stack.enter_async_context(opening)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for session in reversed(self.sessions):
            await session.close()
        self.sessions.clear()
        await self._stack.__aexit__(kind, error, trace)

    async def tools(self) -> list[mcp_types.Tool]:
        """Return the tools that this host offers to the model."""
        return model_tools(await self.client.list_tools())

    def open(
        self, name: str, arguments: dict[str, Any] | None = None, *, connect: bool = True
    ) -> Opening[AppsSession]:
        """Call a tool and show its page.

        Args:
            name: The tool, as it is listed.
            arguments: Its arguments.
            connect: Whether the view does its handshake; otherwise the test does.

        Returns:
            The session: await it, or use it with `async with`. The handshake and the call are
            done by then, and the view has been told of both.
        """

        async def start() -> AppsSession:
            tool, page = await find_page(self.client, name)
            record = Record()
            bridge = AppBridge(
                self.client,
                tool,
                page=page,
                callbacks=record.callbacks(),
                context=self._context,
                limits=self._limits,
            )
            session = AppsSession(bridge, page, tool, record, self._make_view)
            self.sessions.append(session)
            running = asyncio.create_task(session.run(arguments or {}))
            if connect:
                await session.view.connect()
            await running
            if connect:
                await session.settle()
            return session

        return Opening(start, self._close)

    async def _close(self, session: AppsSession) -> None:
        if session in self.sessions:
            self.sessions.remove(session)
            await session.close()

    async def _render(self, shown: AppElicitation) -> None:
        view = self._make_view(shown.bridge.receive)
        view.answer = self._answer
        connecting = asyncio.create_task(view.connect())
        try:
            async for message in shown.bridge.outgoing():
                await view.receive(message)
                if message.get("method") == "elicitation/create":
                    self.questions.append(Question(shown.message, shown.page.uri))
        finally:
            connecting.cancel()

    async def _native(self, message: str, kind: Any, params: Any, context: Any) -> Any:
        del kind, context
        given = self._answer
        if callable(given):
            given = given(params.model_dump(mode="json", by_alias=True, exclude_none=True))
            given = await given if asyncio.iscoroutine(given) else given
        form = getattr(params, "requested_schema", None)  # a question by URL has none
        answer = as_answer(given, message, form, "answer=")
        self.questions.append(Question(message, None, answer))
        return answer


async def find_page(client: Client[Any], name: str) -> tuple[mcp_types.Tool, ResolvedPage]:
    """Find a tool and read its page, as a host does.

    Raises:
        AssertionError: There is no such tool, or it has no page.
        PageUnavailableError: Its page cannot be shown.
    """
    tools = await client.list_tools()
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        message = f"the server lists no tool {name!r}; it lists {[t.name for t in tools]}"
        raise AssertionError(message)
    page = await resolve_page(client, tool)
    if page is None:
        message = f"tool {name!r} links no page: its `_meta` is {tool.meta!r}. "
        message += f"If it asks the user with one, call it with `host.client.call_tool({name!r})` "
        message += "and look at `host.questions`"
        raise AssertionError(message)
    return tool, page
