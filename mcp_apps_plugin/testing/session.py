"""One tool, opened in a test host: its result, its page, and what the page did."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mcp_apps_plugin.checks.showing import Record, text_of_content
from mcp_apps_plugin.view.data import names_place

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from types import TracebackType

    import mcp_types

    from mcp_apps_plugin.host import AppBridge, ResolvedPage
    from mcp_apps_plugin.host.context import ContextChanges
    from mcp_apps_plugin.host.downloads import Download
    from mcp_apps_plugin.host.refusals import Reason
    from mcp_apps_plugin.protocol.messages import ModelContextParams
    from mcp_apps_plugin.testing.view import ScriptedView


class ToolFailedError(AssertionError):
    """The tool of a session had no result: the server refused the call."""


class Session:
    """What every session has, whoever shows the page.

    Attributes:
        bridge: The host's end of the channel to the page.
        page: The page.
        tool: The tool.
        record: What the page asked its host for.
    """

    def __init__(
        self, bridge: AppBridge, page: ResolvedPage, tool: mcp_types.Tool, record: Record
    ) -> None:
        self.bridge = bridge
        self.page = page
        self.tool = tool
        self.record = record
        self._outcome: mcp_types.CallToolResult | Exception | None = None

    async def run(self, arguments: dict[str, Any]) -> None:
        """Call the tool and tell the page; what comes of it is kept."""
        try:
            self._outcome = await self.bridge.run_tool(arguments)
        except Exception as error:  # noqa: BLE001  told by `result`
            self._outcome = error

    @property
    def result(self) -> mcp_types.CallToolResult:
        """The tool's result, as the model gets it. A result with `is_error` is a result.

        Raises:
            ToolFailedError: The server refused the call.
        """
        if self._outcome is None or isinstance(self._outcome, Exception):
            message = f"tool {self.tool.name!r} had no result: {self._outcome}"
            raise ToolFailedError(message) from self._outcome
        return self._outcome

    @property
    def messages(self) -> list[str]:
        """The texts that the page put into the conversation."""
        return [text_of_content(message.content) for message in self.record.messages]

    @property
    def context(self) -> ModelContextParams | None:
        """What the page last gave the model for its next turns, or `None`."""
        return self.record.context

    @property
    def links(self) -> list[str]:
        """The URLs that the page had opened."""
        return self.record.links

    @property
    def downloads(self) -> list[Download]:
        """The files that the page handed to the user."""
        return self.record.downloads

    @property
    def refusals(self) -> list[tuple[Reason, str]]:
        """What the host refused the page, as reason and detail."""
        return self.record.refusals

    async def change_context(self, **changes: Any) -> None:
        """Change the host context, for example `theme="dark"`; see `host.ContextChanges`."""
        given: ContextChanges = changes  # type: ignore[assignment]  # checked by the bridge
        await self.bridge.update_context(**given)

    async def teardown(self, seconds: float = 5.0) -> bool:
        """Ask the page to end, and end it; whether it agreed."""
        return await self.bridge.teardown(seconds)


class AppsSession(Session):
    """One tool, opened without a browser: a `Session` with a view to speak for.

    Attributes:
        view: The page's half, for the test to speak for.
        traffic: Every message in order, with who sent it.
    """

    def __init__(
        self,
        bridge: AppBridge,
        page: ResolvedPage,
        tool: mcp_types.Tool,
        record: Record,
        make_view: Callable[[Callable[[Any], Awaitable[None]]], ScriptedView],
    ) -> None:
        super().__init__(bridge, page, tool, record)
        self.traffic: list[tuple[str, dict[str, Any]]] = []
        self.view = make_view(self._from_view)
        place = names_place(page.html)
        self.view.names = {} if place is None else json.loads(page.html[place])
        self._pump = asyncio.create_task(self._to_view())

    async def _from_view(self, message: dict[str, Any]) -> None:
        self.traffic.append(("view", message))
        await self.bridge.receive(message)

    async def _to_view(self) -> None:
        async for message in self.bridge.outgoing():
            self.traffic.append(("host", message))
            await self.view.receive(message)

    async def settle(self) -> None:
        """Wait until everything the view has said so far has been dealt with."""
        await self.view.request("ping")

    async def close(self) -> None:
        """End the session; the view is asked to end first."""
        await self.bridge.teardown()
        _, late = await asyncio.wait([self._pump], timeout=5)
        for task in late:
            task.cancel()
        if self._pump.done() and not self._pump.cancelled() and (e := self._pump.exception()):
            raise e


SessionT = TypeVar("SessionT", bound=Session)


class Opening(Generic[SessionT]):
    """A session on its way: `await` it, or use it with `async with`.

    Awaited, it stays open until its host is closed.

    Args:
        start: Opens the session.
        stop: Closes it.
    """

    def __init__(
        self,
        start: Callable[[], Awaitable[SessionT]],
        stop: Callable[[SessionT], Awaitable[None]],
    ) -> None:
        self._start = start
        self._stop = stop
        self._opened: SessionT | None = None

    def __await__(self) -> Generator[Any, Any, SessionT]:
        return self._start().__await__()

    async def __aenter__(self) -> SessionT:
        self._opened = await self._start()
        return self._opened

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._opened is not None:
            await self._stop(self._opened)
