"""What a page asks of the host itself: links, messages, context, display mode, files, sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from mcp_apps_plugin.host.downloads import downloads_of
from mcp_apps_plugin.host.forwarding import relayed
from mcp_apps_plugin.host.links import link_problem
from mcp_apps_plugin.host.refusals import Reason, RefusedError
from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.messages import DISPLAY_MODES, Method

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable

    import mcp_types

    from mcp_apps_plugin.host.callbacks import Callbacks, Modality
    from mcp_apps_plugin.host.context import HostContext
    from mcp_apps_plugin.host.lifecycle import Lifecycle
    from mcp_apps_plugin.protocol.messages import (
        DisplayMode,
        DisplayModeParams,
        DownloadParams,
        MessageParams,
        ModelContextParams,
        OpenLinkParams,
    )
    from mcp_apps_plugin.protocol.shapes import JsonObject

T = TypeVar("T")

_MODALITY_OF: Final[dict[str, Modality]] = {
    "text": "text",
    "image": "image",
    "audio": "audio",
    "resource": "resource",
    "resource_link": "resourceLink",
}


class UiRequests:
    """The host's answers to one view.

    A refusal has the form that the specification gives it: `{"isError": true}` for links,
    messages and files, an error for the model's context.

    Args:
        callbacks: What the embedder does.
        context: The view's host context.
        lifecycle: What the view can do.
        link_schemes: The schemes of links that may be opened.
        told: Tells the view of a changed context.
        refused: Notes a refusal that is not answered as an error.
    """

    def __init__(
        self,
        callbacks: Callbacks,
        context: HostContext,
        lifecycle: Lifecycle,
        *,
        link_schemes: Collection[str],
        told: Callable[[DisplayMode], Awaitable[None]],
        refused: Callable[[Reason, str], None],
    ) -> None:
        self._callbacks = callbacks
        self._context = context
        self._link_schemes = link_schemes
        self._life = lifecycle
        self._told = told
        self._refused = refused
        self.model_context: ModelContextParams | None = None

    async def open_link(self, params: OpenLinkParams) -> JsonObject:
        """`ui/open-link`: only what `link_problem` finds nothing against."""
        handler = _wired(self._callbacks.on_open_link)
        problem = link_problem(params.url, self._link_schemes)
        if problem:
            return self._decline(Reason.LINK, f"{params.url} {problem}")
        return self._done(await handler(params.url), Method.OPEN_LINK)

    async def message(self, params: MessageParams) -> JsonObject:
        """`ui/message`. The answer says nothing about the conversation."""
        handler = _wired(self._callbacks.on_message)
        foreign = _foreign(params.content, self._callbacks.message_modalities)
        if foreign:
            return self._decline(Reason.CONTENT, f"{Method.MESSAGE} with {foreign}")
        return self._done(await handler(params), Method.MESSAGE)

    async def update_model_context(self, params: ModelContextParams) -> JsonObject:
        """`ui/update-model-context`: each replaces the one before.

        Raises:
            RefusedError: The host does not take such content, or declined it.
        """
        handler = _wired(self._callbacks.on_model_context)
        allowed = self._callbacks.context_modalities
        foreign = _foreign(params.content, allowed)
        if params.structured_content is not None and "structuredContent" not in allowed:
            foreign = foreign or "structuredContent"
        if foreign:
            raise RefusedError(Reason.CONTENT, f"This host takes no {foreign} as context.")
        if not await handler(params):
            raise RefusedError(Reason.DECLINED, "The context was not taken over.")
        self.model_context = params
        return {}  # a view refuses any other key here

    async def request_display_mode(self, params: DisplayModeParams) -> JsonObject:
        """`ui/request-display-mode`: the answer is the mode in force, changed or not."""
        handler = self._callbacks.on_display_mode
        if handler is not None and params.mode != self._context.display_mode:
            if self._may_show(params.mode):
                mode = await handler(params.mode)
                if mode in DISPLAY_MODES and mode != self._context.display_mode:
                    await self._told(mode)
            else:
                self._refused(Reason.NOT_OFFERED, f"display mode {params.mode}")
        return {"mode": self._context.display_mode}

    def _may_show(self, mode: DisplayMode) -> bool:
        view = self._life.view
        declared = view.available_display_modes if view else None
        in_view = declared is None or mode in declared
        return in_view and mode in self._context.available_display_modes

    async def download(self, params: DownloadParams) -> JsonObject:
        """`ui/download-file`: names are made safe before anyone sees them."""
        handler = _wired(self._callbacks.on_download)
        try:
            files = downloads_of(params)
        except RefusedError as refusal:
            if refusal.reason is not Reason.LINK:
                raise
            return self._decline(refusal.reason, refusal.message)
        return self._done(await handler(files), Method.DOWNLOAD_FILE)

    async def sampling(self, params: mcp_types.CreateMessageRequestParams) -> JsonObject:
        """`sampling/createMessage`. Tools are never offered to a page's prompts.

        Raises:
            RefusedError: The page asked for tools.
        """
        handler = _wired(self._callbacks.on_sampling)
        if params.tools is not None or params.tool_choice is not None:
            message = "This host does not offer tools in sampling."
            raise RefusedError(Reason.NOT_OFFERED, message, jsonrpc.INVALID_PARAMS)
        return relayed(await handler(params))

    def _done(self, agreed: bool, method: Method) -> JsonObject:  # noqa: FBT001 - a callback's word
        return {} if agreed else self._decline(Reason.DECLINED, method)

    def _decline(self, reason: Reason, detail: str) -> JsonObject:
        self._refused(reason, detail)
        return {"isError": True}


def _wired(handler: T | None) -> T:
    """The callback behind a request; without it the host never declared that it takes it."""
    if handler is None:
        raise RefusedError(
            Reason.NOT_OFFERED, "This host does not offer that.", jsonrpc.METHOD_NOT_FOUND
        )
    return handler


def _foreign(
    content: Iterable[mcp_types.ContentBlock], allowed: Collection[Modality]
) -> Modality | None:
    """The first kind of content that is not allowed."""
    for block in content:
        modality = _MODALITY_OF[block.type]
        if modality not in allowed:
            return modality
    return None
