"""Tools that a page itself offers: listed, bounded, agreed to, gone with the page.

The specification's draft (*App-Provided Tools*) calls them untrusted: names get a prefix so that
none passes for a tool of a server, and whatever is not marked as read-only needs consent.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import mcp_types
from pydantic import BaseModel, ValidationError

from mcp_apps_plugin.host.calls import closed
from mcp_apps_plugin.host.errors import AppToolRefusedError, ViewAnswerError
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from mcp_apps_plugin.host.callbacks import Callbacks
    from mcp_apps_plugin.host.calls import ViewCalls
    from mcp_apps_plugin.host.lifecycle import Lifecycle
    from mcp_apps_plugin.host.limits import Limits
    from mcp_apps_plugin.protocol.shapes import JsonObject

ResultT = TypeVar("ResultT", bound=BaseModel)

_MAX_PAGES: Final = 10
_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,64}")
_UNLISTED: Final = "is no tool that the page listed."
_DECLINED: Final = "was not agreed to."
CHANGES_SECONDS: Final = 1.0
"""The shortest time between two words to the embedder that a page's tools changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTool:
    """A tool of a page.

    Attributes:
        name: The name to offer it under: `app__<server tool>__<name>`.
        tool: What the page said about it. Descriptions are the page's words, not the server's.
        read_only: Whether the page marked it as changing nothing.
    """

    name: str
    tool: mcp_types.Tool
    read_only: bool


class AppTools:
    """The tools of one view.

    Args:
        owner: The name of the server's tool whose page it is, for the prefix.
        calls: The way to ask the view.
        lifecycle: Whether it may be asked, and what it can do.
        callbacks: For `approve_app_tool` and `on_app_tools_changed`.
        limits: How many tools, how long a call.
    """

    def __init__(
        self,
        owner: str,
        calls: ViewCalls,
        lifecycle: Lifecycle,
        callbacks: Callbacks,
        limits: Limits,
    ) -> None:
        self._prefix = f"app__{re.sub(r'[^A-Za-z0-9_-]+', '_', owner)}__"
        self._calls = calls
        self._life = lifecycle
        self._callbacks = callbacks
        self._limits = limits
        self._known: dict[str, AppTool] = {}
        self._announcing = False
        self._changed = False

    async def list(self) -> list[AppTool]:
        """Ask the page for its tools.

        Returns:
            At most `Limits.app_tools`; those with a name no model could use are left out. Empty
            when the view did not declare `tools`, is not initialized yet, or is gone.

        Raises:
            ViewTimeoutError: The page did not answer in `Limits.app_tool_seconds`.
            ViewAnswerError: The page answered with an error or with no list of tools.
        """
        view = self._life.ready_view
        if view is None or view.tools is None:
            return []
        found: dict[str, AppTool] = {}
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            params: JsonObject = {} if cursor is None else {"cursor": cursor}
            answer = await self._ask(Method.TOOLS_LIST, params)
            page = _read(mcp_types.ListToolsResult, answer)
            for tool in page.tools:
                if _NAME.fullmatch(tool.name) and len(found) < self._limits.app_tools:
                    found[self._prefix + tool.name] = self._described(tool)
            cursor = page.next_cursor
            if cursor is None or len(found) >= self._limits.app_tools:
                break
        self._known = found
        return list(found.values())

    def _described(self, tool: mcp_types.Tool) -> AppTool:
        read_only = tool.annotations is not None and tool.annotations.read_only_hint is True
        return AppTool(name=self._prefix + tool.name, tool=tool, read_only=read_only)

    async def call(self, name: str, arguments: dict[str, Any]) -> mcp_types.CallToolResult:
        """Call a tool of the page.

        Args:
            name: The name as `list` gave it, prefix included.
            arguments: The arguments; the page checks them.

        Returns:
            The page's result, checked for its shape. It is as untrusted as the page.

        Raises:
            AppToolRefusedError: Not listed, or nobody agreed to it.
            BridgeClosedError: The page is gone; so are its tools.
            ViewTimeoutError: The page did not answer in `Limits.app_tool_seconds`.
            ViewAnswerError: The page answered with an error or with no result.
        """
        known = self._known.get(name)
        if known is None:
            if self._life.ready_view is None:
                subject = f"page tool {name!r}"
                raise closed(subject)
            raise _refused(name, _UNLISTED)
        approve = self._callbacks.approve_app_tool
        agreed = known.read_only if approve is None else await approve(known.tool, arguments)
        if not agreed:
            raise _refused(name, _DECLINED)
        params: JsonObject = {"name": known.tool.name, "arguments": arguments}
        return _read(mcp_types.CallToolResult, await self._ask(Method.TOOLS_CALL, params))

    async def _ask(self, method: Method, params: JsonObject) -> JsonObject:
        return await self._calls.request(method, params, self._limits.app_tool_seconds)

    async def changed(self) -> None:
        """The page says that its tools changed: tell the embedder, at most once a second."""
        view, told = self._life.ready_view, self._callbacks.on_app_tools_changed
        if told is None or view is None or view.tools is None:
            return
        self._changed = True
        if self._announcing:
            return
        self._announcing = True
        try:
            while self._changed:
                self._changed = False
                await told()
                await asyncio.sleep(CHANGES_SECONDS)
        finally:
            self._announcing = False

    def drop(self) -> None:
        """The page is gone: nothing of it can be called any more."""
        self._known = {}


def _read(model: type[ResultT], answer: JsonObject) -> ResultT:
    try:
        return model.model_validate(answer)
    except ValidationError as error:
        raise ViewAnswerError(
            Finding(
                Code.VIEW_ANSWER,
                "view answer",
                f"is no {model.__name__}: {error.error_count()} fields are wrong.",
                "The host cannot use it.",
                "Return what the MCP schema asks for.",
            )
        ) from None


def _refused(name: str, problem: str) -> AppToolRefusedError:
    return AppToolRefusedError(
        Finding(
            Code.APP_TOOL_REFUSED,
            f"page tool {name!r}",
            problem,
            "It was not called.",
            "List the tools first, and wire `approve_app_tool` for those that change something.",
        )
    )
