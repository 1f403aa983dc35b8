"""Who answers what a view asks, and who hears what it says: the table of the whole dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_types import CreateMessageRequestParams

from mcp_apps_plugin.host.dispatch import NotificationRoute, RequestRoute
from mcp_apps_plugin.protocol import messages as wire
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp_apps_plugin.host.callbacks import Callbacks
    from mcp_apps_plugin.host.context import HostContext
    from mcp_apps_plugin.host.forwarding import Forwarder
    from mcp_apps_plugin.host.ui_requests import UiRequests
    from mcp_apps_plugin.protocol.shapes import JsonObject


def request_routes(
    initialize: Callable[[wire.InitializeParams], Awaitable[JsonObject]],
    ui: UiRequests,
    server: Forwarder,
) -> dict[str, RequestRoute]:
    """Return who answers which request of a view."""
    return {
        Method.INITIALIZE: RequestRoute(wire.InitializeParams, initialize, early=True),
        Method.PING: RequestRoute(wire.NoParams, _pong, early=True),
        Method.OPEN_LINK: RequestRoute(wire.OpenLinkParams, ui.open_link),
        Method.MESSAGE: RequestRoute(wire.MessageParams, ui.message),
        Method.UPDATE_MODEL_CONTEXT: RequestRoute(wire.ModelContextParams, ui.update_model_context),
        Method.REQUEST_DISPLAY_MODE: RequestRoute(wire.DisplayModeParams, ui.request_display_mode),
        Method.DOWNLOAD_FILE: RequestRoute(wire.DownloadParams, ui.download),
        Method.SAMPLING: RequestRoute(CreateMessageRequestParams, ui.sampling),
        Method.TOOLS_CALL: RequestRoute(wire.CallToolParams, server.call_tool),
        Method.TOOLS_LIST: RequestRoute(wire.ListParams, server.list_tools),
        Method.RESOURCES_READ: RequestRoute(wire.ReadResourceParams, server.read_resource),
        Method.RESOURCES_LIST: RequestRoute(wire.ListParams, server.list_resources),
        Method.RESOURCE_TEMPLATES_LIST: RequestRoute(
            wire.ListParams, server.list_resource_templates
        ),
        Method.PROMPTS_LIST: RequestRoute(wire.ListParams, server.list_prompts),
    }


def notification_routes(
    proxy_ready: Callable[[], Awaitable[None]],
    initialized: Callable[[], Awaitable[None]],
    tools_changed: Callable[[], Awaitable[None]],
    callbacks: Callbacks,
    context: HostContext,
) -> dict[str, NotificationRoute]:
    """Return who hears which notification of a view.

    Those that belong to the handshake are heard at once, the rest outside the reading of
    messages; sizes and log entries one after the other.
    """

    async def size_changed(params: wire.SizeChangedParams) -> None:
        if callbacks.on_size is not None:
            await callbacks.on_size(*context.clamp(params.width, params.height))

    async def logged(params: wire.LogParams) -> None:
        if callbacks.on_log is not None:
            await callbacks.on_log(params)

    async def teardown_wanted() -> None:
        if callbacks.on_request_teardown is not None:
            await callbacks.on_request_teardown()

    return {
        Method.SANDBOX_PROXY_READY: _plain(proxy_ready, early=True),
        Method.INITIALIZED: _plain(initialized, early=True),
        Method.REQUEST_TEARDOWN: _plain(teardown_wanted),
        Method.TOOLS_CHANGED: _plain(tools_changed),
        Method.PROGRESS: _plain(_ignored),
        Method.SIZE_CHANGED: NotificationRoute(wire.SizeChangedParams, size_changed, ordered=True),
        Method.LOG: NotificationRoute(wire.LogParams, logged, ordered=True),
    }


def _plain(handler: Callable[[], Awaitable[None]], *, early: bool = False) -> NotificationRoute:
    async def heard(_: Any) -> None:
        await handler()

    return NotificationRoute(wire.NoParams, heard, early=early)


async def _pong(_: wire.NoParams) -> JsonObject:
    return {}


async def _ignored() -> None:
    """Progress of a page's own tools: nothing waits for it."""
