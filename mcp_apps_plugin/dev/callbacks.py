"""What the window does for a page: every capability a host can have, with the user asked."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import mcp_types
from mcp import MCPError

from mcp_apps_plugin.host import Callbacks
from mcp_apps_plugin.host.callbacks import MODALITIES
from mcp_apps_plugin.protocol.jsonrpc import DENIED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from mcp_apps_plugin.dev.questions import Questions, Say
    from mcp_apps_plugin.host import Download, Reason
    from mcp_apps_plugin.protocol.messages import (
        DisplayMode,
        LogParams,
        MessageParams,
        ModelContextParams,
    )
    from mcp_apps_plugin.protocol.shapes import JsonObject


class WindowCallbacks:
    """The window's side of one page.

    Args:
        view: The page's number.
        say: The way to the window.
        questions: The way to its user.
        tools_changed: Told that the page offers other tools.
    """

    def __init__(
        self,
        view: int,
        say: Say,
        questions: Questions,
        *,
        tools_changed: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._tools_changed = tools_changed
        self._view = view
        self._say = say
        self._questions = questions

    def build(self) -> Callbacks:
        """Return them as the bridge takes them."""
        return Callbacks(
            on_open_link=self._open_link,
            on_message=self._message,
            on_model_context=self._model_context,
            on_display_mode=self._display_mode,
            on_download=self._download,
            on_size=self._size,
            on_log=self._log,
            on_sampling=self._sampling,
            on_request_teardown=self._request_teardown,
            on_app_tools_changed=self._tools_changed,
            approve_app_tool=self._approve_app_tool,
            on_refused=self._refused,
            message_modalities=MODALITIES,
            context_modalities=MODALITIES,
        )

    async def _open_link(self, url: str) -> bool:
        answer = await self._questions.ask("link", url=url)
        return answer is not None and answer.get("open") is True

    async def _message(self, params: MessageParams) -> bool:
        content = [_wire(block) for block in params.content]
        self._say({"type": "message", "view": self._view, "content": content})
        return True

    async def _model_context(self, params: ModelContextParams) -> bool:
        context: JsonObject = {"content": [_wire(block) for block in params.content]}
        if params.structured_content is not None:
            context["structuredContent"] = params.structured_content
        self._say({"type": "model_context", "view": self._view, "context": context})
        return True

    async def _display_mode(self, mode: DisplayMode) -> DisplayMode:
        self._say({"type": "mode", "view": self._view, "mode": mode})
        return mode

    async def _download(self, files: tuple[Download, ...]) -> bool:
        shown = [
            {
                "name": file.name,
                "mimeType": file.mime_type,
                "url": file.url,
                "size": None if file.data is None else len(file.data),
                "data": None if file.data is None else base64.b64encode(file.data).decode(),
            }
            for file in files
        ]
        answer = await self._questions.ask("download", files=shown)
        return answer is not None and answer.get("save") is True

    async def _size(self, width: float | None, height: float | None) -> None:
        self._say({"type": "size", "view": self._view, "width": width, "height": height})

    async def _log(self, entry: LogParams) -> None:
        self._say(
            {
                "type": "log",
                "source": "page",
                "level": entry.level,
                "logger": entry.logger,
                "data": entry.data,
            }
        )

    async def _sampling(
        self, params: mcp_types.CreateMessageRequestParams
    ) -> mcp_types.CreateMessageResult:
        # There is no model here; the developer plays it.
        answer = await self._questions.ask("sampling", params=_wire(params))
        text = (answer or {}).get("text")
        if not isinstance(text, str):
            message = "The user did not agree to this."
            raise MCPError(DENIED, message)
        content = mcp_types.TextContent(type="text", text=text)
        return mcp_types.CreateMessageResult(
            role="assistant", content=content, model="mcp-apps-dev", stop_reason="endTurn"
        )

    async def _request_teardown(self) -> None:
        self._say({"type": "teardown_asked", "view": self._view})

    async def _approve_app_tool(self, _tool: mcp_types.Tool, _arguments: dict[str, Any]) -> bool:
        return True  # it is the user who calls it, in the window

    def _refused(self, reason: Reason, detail: str) -> None:
        self._say({"type": "refused", "view": self._view, "reason": reason, "detail": detail})


def _wire(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)
