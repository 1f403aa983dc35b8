"""One window's connection to the server, as the client that the window wants to be."""

from __future__ import annotations

import asyncio
import contextlib
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import mcp_types
from fastmcp import Client

from mcp_apps_plugin.dev.recording import RecordingTransport
from mcp_apps_plugin.host import ServerChanges, apps_client_extension, link_of
from mcp_apps_plugin.protocol.capabilities import ui_settings
from mcp_apps_plugin.protocol.links import visibility_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp.client.logging import LogMessage

    from mcp_apps_plugin.dev.elicitation import WindowElicitation
    from mcp_apps_plugin.dev.endpoint import Endpoint
    from mcp_apps_plugin.dev.messages import Connect
    from mcp_apps_plugin.dev.questions import Say
    from mcp_apps_plugin.dev.recording import Record
    from mcp_apps_plugin.protocol.shapes import JsonObject


class Link:
    """A connected client, for as long as it is wanted.

    Args:
        endpoint: Where the server is.
        options: Which client to be.
        record: Told of each message.
        say: The way to the window, for the server's log.
        elicitation: Answers the server's questions.

    Attributes:
        client: The client.
        options: Which client it is.
        changes: The server's change notifications.
        tools: The server's tools, by name.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        options: Connect,
        *,
        record: Record,
        say: Say,
        elicitation: WindowElicitation,
    ) -> None:
        self.options = options
        self.changes = ServerChanges()
        self.tools: dict[str, mcp_types.Tool] = {}
        self._say = say
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._endpoint = endpoint
        self._status: int | None = None
        extensions = [apps_client_extension(elicitation=options.elicitation)]
        self.client: Client[Any] = Client(
            RecordingTransport(endpoint.transport(self._answered), record),
            mode="legacy" if options.era == "legacy" else "auto",
            extensions=extensions if options.apps else None,
            elicitation_handler=elicitation,
            log_handler=self._log,
            message_handler=self.changes,
            client_info=mcp_types.Implementation(
                name="mcp-apps-dev", version=version("mcp-apps-plugin")
            ),
        )

    def _answered(self, status: int) -> None:
        self._status = status

    @property
    def reached(self) -> bool:
        """Whether anything answered at all."""
        return self._status is not None

    def explain(self, error: Exception) -> str:
        """Say why it did not connect: where, what happened, and what to do."""
        url, status = self._endpoint.url, self._status
        if status is None:
            return f"{url} cannot be reached: {error}. It is connected to when it can."
        if status < HTTPStatus.BAD_REQUEST:
            return f"{type(error).__name__}: {error}"
        answer = f"{url} answers {status} {_phrase(status)}"
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return (
                f"{answer}: the server does not know who asks, or does not let them in. Start "
                '`mcp-apps dev` with --header "Authorization: Bearer …", or what else it asks for.'
            )
        if status == HTTPStatus.NOT_FOUND:
            return f"{answer}: this is not its MCP endpoint. Most end in `/mcp`."
        return f"{answer}. {error}"

    async def open(self, on_lost: Callable[[], None]) -> None:
        """Connect.

        Args:
            on_lost: Called when the connection ends unasked.

        Raises:
            Exception: Whatever kept it from connecting.
        """
        connected: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(connected, on_lost))
        await connected

    async def _hold(self, connected: asyncio.Future[None], on_lost: Callable[[], None]) -> None:
        # One task enters and leaves, as the streams below ask for.
        try:
            async with self.client, self.changes.listening(self.client):
                connected.set_result(None)
                await self._closing.wait()
        except Exception as error:  # noqa: BLE001  of any transport; told to who waits
            if not connected.done():
                connected.set_exception(error)
            elif not self._closing.is_set():
                on_lost()

    async def close(self) -> None:
        """Disconnect."""
        self._closing.set()
        if self._task is not None:
            _, late = await asyncio.wait([self._task], timeout=3)
            for task in late:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    async def list_tools(self) -> None:
        """Read the server's tools anew."""
        self.tools = {tool.name: tool for tool in await self.client.list_tools()}

    def describe(self) -> JsonObject:
        """Say who the server is and what it has, as the window shows it."""
        info = self.client.server_info
        capabilities = self.client.server_capabilities
        settings = ui_settings(capabilities.extensions) if capabilities else None
        return {
            "name": info.name if info else "server",
            "version": info.version if info else "",
            "protocol": self.client.protocol_version,
            "apps": settings,
            "instructions": self.client.instructions,
            "tools": [_described(tool) for tool in self.tools.values()],
        }

    async def _log(self, message: LogMessage) -> None:
        self._say(
            {
                "type": "log",
                "source": "server",
                "level": message.level,
                "logger": message.logger,
                "data": message.data,
            }
        )


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _described(tool: mcp_types.Tool) -> JsonObject:
    audience = visibility_of(tool.meta)
    return {
        "name": tool.name,
        "model": "model" in audience,
        "app": "app" in audience,
        "page": link_of(tool),
        "tool": tool.model_dump(mode="json", by_alias=True, exclude_none=True),
    }
