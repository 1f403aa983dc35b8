"""What an embedder does for its views: each callback that is there is a capability they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import mcp_types

    from mcp_apps_plugin.host.downloads import Download
    from mcp_apps_plugin.host.refusals import Reason
    from mcp_apps_plugin.protocol.messages import (
        DisplayMode,
        LogParams,
        MessageParams,
        ModelContextParams,
    )

Modality: TypeAlias = Literal[
    "text", "image", "audio", "resource", "resourceLink", "structuredContent"
]
MODALITIES: Final[tuple[Modality, ...]] = get_args(Modality)
"""The kinds of content a host can take from a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Callbacks:
    """The embedder's side of one or many bridges. All optional.

    A host capability is declared to the view exactly when its callback is there. Where a callback
    returns a boolean, `True` means done and `False` declined; the page is told no more than that.
    Each is called outside the reading of messages: it may take its time, ask the user, and use
    the bridge. An exception is logged and reaches the page as "the host failed".

    Attributes:
        on_open_link: Open a URL outside the frame. The scheme has been checked (`openLinks`).
        on_message: Put a message of the page into the conversation, as the user's (`message`).
        on_model_context: Give the model this context in future turns, in place of what the page
            gave before; empty means none (`updateModelContext`).
        on_display_mode: Show the view in another mode, one that both sides declared, and return
            the mode it is in then.
        on_download: Hand files to the user (`downloadFile`).
        on_size: The view would like to be this large, in CSS pixels, within
            `containerDimensions`; either may be `None`.
        on_log: A log entry of the page (`logging`).
        on_sampling: Ask the model for the page; ask the user first (`sampling`). Tools are
            refused before it.
        on_request_teardown: The page would like to be closed. Call `bridge.teardown()`, or not.
        on_app_tools_changed: The page offers other tools than before; at most once a second.
        approve_tool_call: Agree to a page's call of a tool of its own server. Without it every
            tool that the server opened to its pages is called.
        approve_app_tool: Agree to a call of a tool that the page offers. Without it only tools
            marked as read-only are called.
        on_refused: Told of everything that was refused, synchronously: reason and detail.
        message_modalities: What `on_message` can take; other content is declined.
        context_modalities: What `on_model_context` can take; other content is declined.
    """

    on_open_link: Callable[[str], Awaitable[bool]] | None = None
    on_message: Callable[[MessageParams], Awaitable[bool]] | None = None
    on_model_context: Callable[[ModelContextParams], Awaitable[bool]] | None = None
    on_display_mode: Callable[[DisplayMode], Awaitable[DisplayMode]] | None = None
    on_download: Callable[[tuple[Download, ...]], Awaitable[bool]] | None = None
    on_size: Callable[[float | None, float | None], Awaitable[None]] | None = None
    on_log: Callable[[LogParams], Awaitable[None]] | None = None
    on_sampling: (
        Callable[[mcp_types.CreateMessageRequestParams], Awaitable[mcp_types.CreateMessageResult]]
        | None
    ) = None
    on_request_teardown: Callable[[], Awaitable[None]] | None = None
    on_app_tools_changed: Callable[[], Awaitable[None]] | None = None
    approve_tool_call: Callable[[mcp_types.Tool, dict[str, Any]], Awaitable[bool]] | None = None
    approve_app_tool: Callable[[mcp_types.Tool, dict[str, Any]], Awaitable[bool]] | None = None
    on_refused: Callable[[Reason, str], None] | None = None
    message_modalities: tuple[Modality, ...] = ("text",)
    context_modalities: tuple[Modality, ...] = ("text", "structuredContent")
