"""What a page did to its host, written down: the embedder's side of a bridge, for tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.host.callbacks import MODALITIES, Callbacks

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

    Sampling = Callable[
        [mcp_types.CreateMessageRequestParams], Awaitable[mcp_types.CreateMessageResult]
    ]


@dataclass(slots=True)
class Record:
    """Everything a page asked its host for. The host agrees to all of it.

    Attributes:
        messages: What it put into the conversation.
        context: What it last gave the model, or `None`.
        links: The URLs it had opened.
        downloads: The files it handed over.
        sizes: The sizes it asked for, as width and height.
        logs: What it logged.
        display_modes: The modes it was switched to.
        refusals: What was refused, as reason and detail.
        teardown_requests: How often it asked to be closed.
        agrees: Whether the host's user agrees to links, messages and downloads.
        on_size: Told of each size, for who shows the page.
    """

    messages: list[MessageParams] = field(default_factory=list["MessageParams"])
    context: ModelContextParams | None = None
    links: list[str] = field(default_factory=list[str])
    downloads: list[Download] = field(default_factory=list["Download"])
    sizes: list[tuple[float | None, float | None]] = field(
        default_factory=list[tuple[float | None, float | None]]
    )
    logs: list[LogParams] = field(default_factory=list["LogParams"])
    display_modes: list[DisplayMode] = field(default_factory=list["DisplayMode"])
    refusals: list[tuple[Reason, str]] = field(default_factory=list[tuple["Reason", str]])
    teardown_requests: int = 0
    agrees: bool = True
    on_size: Callable[[float | None, float | None], Awaitable[None]] | None = None

    def callbacks(self, sampling: Sampling | None = None) -> Callbacks:
        """Return the embedder's side that writes everything down here.

        Args:
            sampling: Answers a page that asks the model; without it pages cannot.
        """
        return Callbacks(
            on_open_link=self._link,
            on_message=self._message,
            on_model_context=self._context,
            on_display_mode=self._mode,
            on_download=self._download,
            on_size=self._size,
            on_log=self._log,
            on_sampling=sampling,
            on_request_teardown=self._teardown,
            on_refused=self._refused,
            message_modalities=MODALITIES,
            context_modalities=MODALITIES,
        )

    async def _link(self, url: str) -> bool:
        self.links.append(url)
        return self.agrees

    async def _message(self, message: MessageParams) -> bool:
        self.messages.append(message)
        return self.agrees

    async def _context(self, context: ModelContextParams) -> bool:
        self.context = context
        return self.agrees

    async def _mode(self, mode: DisplayMode) -> DisplayMode:
        self.display_modes.append(mode)
        return mode

    async def _download(self, files: tuple[Download, ...]) -> bool:
        self.downloads += files
        return self.agrees

    async def _size(self, width: float | None, height: float | None) -> None:
        self.sizes.append((width, height))
        if self.on_size is not None:
            await self.on_size(width, height)

    async def _log(self, entry: LogParams) -> None:
        self.logs.append(entry)

    async def _teardown(self) -> None:
        self.teardown_requests += 1

    def _refused(self, reason: Reason, detail: str) -> None:
        self.refusals.append((reason, detail))


def text_of_content(content: list[Any]) -> str:
    """Return the text blocks of some content, one after the other."""
    return "\n".join(block.text for block in content if getattr(block, "type", "") == "text")
