"""Where a view is in its life, and who waits for it (specification: *Lifecycle*)."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.host.calls import closed
from mcp_apps_plugin.host.errors import ViewTimeoutError
from mcp_apps_plugin.protocol.findings import Code, Finding

if TYPE_CHECKING:
    from mcp_apps_plugin.protocol.messages import AppCapabilities, AppInfo, InitializeParams

_VIEW: Final = "view"


class Stage(StrEnum):
    """Where a view is in its life."""

    LOADING = "loading"
    """Nothing heard yet, or loaded anew."""
    INITIALIZING = "initializing"
    """It asked to be initialized and was answered."""
    READY = "ready"
    """It said that it is initialized: only now may anything be sent to it."""
    CLOSED = "closed"
    """Torn down; nothing goes in or out any more."""


class Lifecycle:
    """The life of one view.

    Attributes:
        stage: Where it is.
        view: What the view can do, or `None` before it has said so and after it is gone.
        app_info: Who the view says it is, once it has.
    """

    def __init__(self) -> None:
        self.stage = Stage.LOADING
        self.view: AppCapabilities | None = None
        self.app_info: AppInfo | None = None
        self._decided = asyncio.Event()

    @property
    def ready(self) -> bool:
        """Whether the view may be sent anything."""
        return self.stage is Stage.READY

    @property
    def ready_view(self) -> AppCapabilities | None:
        """What the view can do, or `None` while it may not be asked."""
        return self.view if self.ready else None

    def asked(self, params: InitializeParams) -> None:
        """The view asked to be initialized.

        It may ask twice, because a framework mounted it twice: both are answered alike, and one
        that is ready stays ready, as nothing is told twice to the same document.
        """
        self.app_info, self.view = params.app_info, params.app_capabilities
        if self.stage is Stage.LOADING:
            self.stage = Stage.INITIALIZING

    def announce(self) -> None:
        """Wake who waits: the view is ready, or it never will be."""
        self._decided.set()

    def restart(self) -> None:
        """The page was loaded anew."""
        self.stage, self.view = Stage.LOADING, None
        self._decided.clear()

    def end(self) -> None:
        """The view is gone."""
        self.stage, self.view = Stage.CLOSED, None
        self.announce()

    async def wait_ready(self, seconds: float | None) -> None:
        """Wait until the view is ready.

        Args:
            seconds: How long; `None` for as long as it takes.

        Raises:
            ViewTimeoutError: It was not ready in time.
            BridgeClosedError: It is gone.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._decided.wait()
        except TimeoutError:
            raise ViewTimeoutError(
                Finding(
                    Code.VIEW_TIMEOUT,
                    _VIEW,
                    f"has not finished its handshake after {seconds:g} s.",
                    "Nothing can be shown in it.",
                    "It has to send `ui/initialize` and then `ui/notifications/initialized`.",
                )
            ) from None
        if self.stage is Stage.CLOSED:
            raise closed(_VIEW)
