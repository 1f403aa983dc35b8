"""What is shown in one window: the page of the tool that ran last, and those of open questions."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

import mcp_types
from mcp import MCPError

from mcp_apps_plugin.dev.callbacks import WindowCallbacks
from mcp_apps_plugin.dev.messages import Surroundings
from mcp_apps_plugin.dev.theme import VARIABLES
from mcp_apps_plugin.dev.views import Sandbox, View
from mcp_apps_plugin.host import (
    AppBridge,
    ContextChanges,
    HostError,
    PageUnavailableError,
    resolve_page,
)
from mcp_apps_plugin.host.forwarding import READ_SCHEMES
from mcp_apps_plugin.protocol.messages import DISPLAY_MODES

if TYPE_CHECKING:
    from mcp_apps_plugin.dev.link import Link
    from mcp_apps_plugin.dev.questions import Questions, Say
    from mcp_apps_plugin.dev.wire import Wire
    from mcp_apps_plugin.protocol.shapes import JsonObject

TEARDOWN_SECONDS: Final = 1.0


class Stage:
    """The pages of one window.

    Args:
        sandbox: Where pages are served.
        questions: The way to the user.
        say: The way to the window.
        wire: Where messages are recorded.
    """

    def __init__(self, sandbox: Sandbox, questions: Questions, *, say: Say, wire: Wire) -> None:
        self._sandbox = sandbox
        self._questions = questions
        self._say = say
        self._wire = wire
        self._surroundings = Surroundings()
        self._read_schemes = [*READ_SCHEMES]
        self._views: dict[int, View] = {}
        self._main: View | None = None
        self._exit = AsyncExitStack()
        self._turn = asyncio.Lock()

    def context(self) -> ContextChanges:
        """Return the host context of this moment."""
        around = self._surroundings
        return {
            "theme": around.theme,
            "styles": {"variables": VARIABLES},
            "display_mode": around.display_mode,
            "available_display_modes": [*DISPLAY_MODES],
            "container_dimensions": around.dimensions,
            "locale": around.locale,
            "time_zone": around.time_zone,
            "user_agent": "mcp-apps-dev",
            "platform": "web",
            "device_capabilities": {"touch": around.touch, "hover": around.hover},
        }

    async def surround(self, surroundings: Surroundings) -> None:
        """Take the surroundings over, and tell the pages."""
        self._surroundings = surroundings
        for view in tuple(self._views.values()):
            await view.bridge.update_context(**self.context())

    def allow(self, scheme: str) -> None:
        """Let pages read resources of a scheme."""
        if scheme not in self._read_schemes:
            self._read_schemes.append(scheme)

    def asking(self, number: int, view: View | None) -> None:
        """Take note of a question's page, or of its end."""
        if view is None:
            self._views.pop(number, None)
        else:
            self._views[number] = view

    async def heard(self, number: int, message: object) -> None:
        """Take what a frame said; one that is gone is not listened to."""
        view = self._views.get(number)
        if view is not None:
            await view.heard(message)

    async def run(
        self,
        link: Link,
        tool: mcp_types.Tool,
        arguments: dict[str, Any],
        surroundings: Surroundings,
        known: JsonObject | None = None,
    ) -> JsonObject:
        """Call a tool and show its page, if it has one and the client shows pages.

        Args:
            link: The connection.
            tool: The tool.
            arguments: Its arguments.
            surroundings: Where the page stands.
            known: The result of an earlier call, to show without calling; or `None`.

        Returns:
            The result.

        Raises:
            mcp.MCPError: The server refused.
        """
        self._surroundings = surroundings
        await self.close()
        view = await self._open(link, tool) if link.options.apps else None
        if known is not None:
            if view is not None:
                await view.bridge.tool_input(arguments)
                await view.bridge.tool_result(mcp_types.CallToolResult.model_validate(known))
            return known
        if view is None:
            result = await link.client.call_tool_mcp(tool.name, arguments)
        else:
            result = await view.bridge.run_tool(arguments)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def _open(self, link: Link, tool: mcp_types.Tool) -> View | None:
        try:
            page = await resolve_page(link.client, tool)
        except (PageUnavailableError, MCPError) as error:
            self._say({"type": "no_page", "detail": str(error)})
            return None
        if page is None:
            return None
        number = next(self._sandbox.numbers)
        callbacks = WindowCallbacks(
            number, self._say, self._questions, tools_changed=self._tell_app_tools
        )
        bridge = AppBridge(
            link.client,
            tool,
            page=page,
            callbacks=callbacks.build(),
            context=self.context(),
            changes=link.changes,
            read_schemes=tuple(self._read_schemes),
        )
        view = View(number, page, bridge, say=self._say, wire=self._wire)
        view.when_ready = self._tell_app_tools
        await self._exit.enter_async_context(self._sandbox.showing(view))
        self._main = self._views[number] = view
        self._say({"type": "show", "tool": tool.name, "frame": self._sandbox.frame_of(view)})
        return view

    async def close(self) -> None:
        """Tear the tool's page down: it is asked first, and waited for, but not for long."""
        async with self._turn:
            view, self._main = self._main, None
            if view is None:
                return
            agreed = await view.bridge.teardown(TEARDOWN_SECONDS)
            self._views.pop(view.number, None)
            self._say({"type": "close", "view": view.number, "agreed": agreed})
            await self._exit.aclose()

    async def _tell_app_tools(self) -> None:
        """Tell the window which tools the page itself offers."""
        if self._main is None:
            return
        try:
            tools = await self._main.bridge.app_tools.list()
        except HostError:
            return
        listed = [
            {
                "name": tool.name,
                "readOnly": tool.read_only,
                "tool": tool.tool.model_dump(mode="json", by_alias=True, exclude_none=True),
            }
            for tool in tools
        ]
        self._say({"type": "app_tools", "tools": listed})

    async def call_app_tool(self, name: str, arguments: dict[str, Any]) -> mcp_types.CallToolResult:
        """Call a tool that the page offers.

        Raises:
            RuntimeError: There is no page.
            HostError: It did not do it.
        """
        if self._main is None:
            message = "There is no page any more."
            raise RuntimeError(message)
        return await self._main.bridge.app_tools.call(name, arguments)
