"""The pages that are shown: each with its bridge, its frame in the window, and its own address."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING

from mcp_apps_plugin.host import OUTER_SANDBOX, AppBridge, allow_attribute

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from mcp_apps_plugin.dev.questions import Say
    from mcp_apps_plugin.dev.violations import Violation
    from mcp_apps_plugin.dev.wire import Wire
    from mcp_apps_plugin.host import ResolvedPage
    from mcp_apps_plugin.protocol.shapes import JsonObject

_MOST_VIOLATIONS = 200


class View:
    """One page in one frame.

    Args:
        number: Its number in the window.
        page: The page.
        bridge: Its bridge.
        say: The way to the window.
        wire: Where its messages are recorded.

    Attributes:
        number: Its number in the window.
        page: The page.
        bridge: Its bridge.
        key: The part of its address that nobody can guess.
        when_ready: Called once the page is ready, or `None`.
    """

    def __init__(
        self, number: int, page: ResolvedPage, bridge: AppBridge, *, say: Say, wire: Wire
    ) -> None:
        self.number = number
        self.page = page
        self.bridge = bridge
        self.key = secrets.token_urlsafe(16)
        self.when_ready: Callable[[], Awaitable[None]] | None = None
        self._say = say
        self._wire = wire
        self._violations = 0

    async def heard(self, message: object) -> None:
        """Take what its frame said."""
        self._wire.record("view", "in", message, scope=f"view {self.number}")
        await self.bridge.receive(message)

    async def carry(self) -> None:
        """Bring what the bridge has to say to the frame, until the bridge is closed."""
        async for message in self.bridge.outgoing():
            self._wire.record("view", "out", message, scope=f"view {self.number}")
            self._say({"type": "to_view", "view": self.number, "message": message})

    async def tell_when_ready(self) -> None:
        """Tell the window who the page says it is, once it has said so."""
        await self.bridge.wait_ready()
        info, can = self.bridge.app_info, self.bridge.view_capabilities
        self._say(
            {
                "type": "view_ready",
                "view": self.number,
                "app": info.model_dump(exclude_none=True) if info else None,
                "capabilities": can.model_dump(by_alias=True, exclude_none=True) if can else {},
            }
        )
        if self.when_ready is not None:
            await self.when_ready()

    def violated(self, violation: Violation) -> None:
        """Tell the window what the browser stopped; a page that floods is told of so often."""
        self._violations += 1
        if self._violations <= _MOST_VIOLATIONS:
            self._say({"type": "violation", "view": self.number, **violation.to_wire()})


class Sandbox:
    """The pages that the sandbox's origin serves.

    Args:
        origin: The sandbox's origin.
        host_origin: The window's origin: the only one that may embed a page.

    Attributes:
        origin: The sandbox's origin.
        host_origin: The window's origin.
        numbers: The numbers of pages, each once.
    """

    def __init__(self, origin: str, host_origin: str) -> None:
        self.origin = origin
        self.host_origin = host_origin
        self.numbers = count(1)
        self._views: dict[str, View] = {}

    def find(self, key: str) -> View | None:
        """Return the page at an address."""
        return self._views.get(key)

    def policy_of(self, view: View) -> str:
        """Return the policy a page is served under: its own to the letter, and where to report."""
        return f"{view.page.policy}; report-uri {self.origin}/{view.key}/csp"

    def frame_of(self, view: View) -> JsonObject:
        """Return what the window needs to make the frame."""
        page = view.page
        return {
            "view": view.number,
            "src": f"{self.origin}/{view.key}/",
            "sandbox": OUTER_SANDBOX,
            "allow": allow_attribute(page.permissions),
            "page": {
                "uri": page.uri,
                "size": len(page.html.encode()),
                "csp": None if page.csp is None else page.csp.to_wire(),
                "permissions": page.permissions.to_wire(),
                "domain": page.domain,
                "prefersBorder": page.prefers_border,
                "policy": page.policy,
            },
        }

    @asynccontextmanager
    async def showing(self, view: View) -> AsyncGenerator[None]:
        """Serve a page and carry its messages while the block runs."""
        self._views[view.key] = view
        tasks = [
            asyncio.create_task(view.carry()),
            asyncio.create_task(view.tell_when_ready()),
        ]
        try:
            yield
        finally:
            self._views.pop(view.key, None)
            await view.bridge.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
