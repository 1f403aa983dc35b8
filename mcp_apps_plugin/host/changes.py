"""The server's "list changed" notifications, told to every bridge on the same client."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types
from mcp import MCPError
from mcp.client.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    Subscription,
    SubscriptionLost,
    ToolsListChanged,
    listen,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from fastmcp import Client
    from mcp import ClientSession
    from mcp.client.session import IncomingMessage, MessageHandlerFnT

    Listener = Callable[[Method], None]

logger = logging.getLogger(__name__)

_METHOD_OF: dict[type[object], Method] = {
    mcp_types.ToolListChangedNotification: Method.TOOLS_CHANGED,
    mcp_types.ResourceListChangedNotification: Method.RESOURCES_CHANGED,
    mcp_types.PromptListChangedNotification: Method.PROMPTS_CHANGED,
    ToolsListChanged: Method.TOOLS_CHANGED,
    ResourcesListChanged: Method.RESOURCES_CHANGED,
    PromptsListChanged: Method.PROMPTS_CHANGED,
}


class ServerChanges:
    """Hears from the server and tells the bridges; one for each client.

    A client has one message handler, fixed when it is made, so the bridges cannot each bring
    their own: `Client(server, message_handler=changes)`, then `AppBridge(..., changes=changes)`.
    That suffices for legacy servers. Modern ones speak only to who listens: hold
    `async with changes.listening(client)` around the bridges as well.

    Args:
        handler: The client's own message handler, called with everything; or `None`.
    """

    def __init__(self, handler: MessageHandlerFnT | None = None) -> None:
        self._handler = handler
        self._listeners: set[Listener] = set()

    async def __call__(self, message: IncomingMessage) -> None:
        """Take a message of the client (this is what makes it a message handler)."""
        self._tell(message)
        if self._handler is not None:
            await self._handler(message)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with the method of each change until the returned function is called."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def _tell(self, event: object) -> None:
        method = _METHOD_OF.get(type(event))
        if method is not None:
            for listener in tuple(self._listeners):
                listener(method)

    @asynccontextmanager
    async def listening(self, client: Client[Any]) -> AsyncGenerator[None]:
        """Listen to a modern server while the block runs.

        Nothing happens with a legacy server, which speaks without being asked, nor with one that
        declares no such changes (as FastMCP 4.2 does not). A stream that drops is logged and not
        opened again: the bridges then go by the age of what they know.

        Args:
            client: A connected client.
        """
        async with AsyncExitStack() as stack:
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                events = await _stream(client.session, client.server_capabilities, stack)
                if events is not None:
                    task = asyncio.create_task(self._pass_on(events))
                    stack.push_async_callback(_end, task)
            yield

    async def _pass_on(self, events: Subscription) -> None:
        try:
            async for event in events:
                self._tell(event)
        except SubscriptionLost as lost:
            logger.warning("the server's change notifications ended: %s", lost)


async def _stream(
    session: ClientSession,
    declared: mcp_types.ServerCapabilities | None,
    stack: AsyncExitStack,
) -> Subscription | None:
    lists = (declared.tools, declared.resources, declared.prompts) if declared else (None,) * 3
    tools, resources, prompts = (bool(each and each.list_changed) for each in lists)
    if not (tools or resources or prompts):
        return None
    try:
        return await stack.enter_async_context(
            listen(
                session,
                tools_list_changed=tools,
                resources_list_changed=resources,
                prompts_list_changed=prompts,
            )
        )
    except MCPError as error:
        logger.debug("the server has no stream of changes: %s", error)
        return None


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
