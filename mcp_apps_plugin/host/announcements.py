"""What changes around a view, told to it once it may be told anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.host.lifecycle import Stage
from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from mcp_apps_plugin.host.inflight import InFlight
    from mcp_apps_plugin.host.lifecycle import Lifecycle
    from mcp_apps_plugin.host.outbox import Outbox
    from mcp_apps_plugin.protocol.shapes import JsonObject


class Announcements:
    """Changes of the host's context and of the server's lists, for one view.

    Args:
        outbox: The way to the view.
        lifecycle: Whether it may be told yet.
        work: Runs what nobody waits for.
    """

    def __init__(self, outbox: Outbox, lifecycle: Lifecycle, work: InFlight) -> None:
        self._outbox = outbox
        self._life = lifecycle
        self._work = work
        self._context: JsonObject = {}
        self._lists: set[Method] = set()

    async def context_changed(self, told: JsonObject) -> None:
        """Tell the view fields of its context that have another value now.

        Before `ui/initialize` its answer will carry them; between the answer and `initialized`
        they are kept and told together.
        """
        if not told or self._life.stage in (Stage.LOADING, Stage.CLOSED):
            return
        self._context.update(told)
        if self._life.ready:
            await self._tell_context()

    def list_changed(self, method: Method) -> None:
        """Tell the view that a list of the server changed; several in a row are one.

        Does not wait: it is called where the client reads from the server, and a slow view must
        not hold that up.
        """
        waiting = bool(self._lists)
        self._lists.add(method)
        if self._life.ready and not waiting:
            self._work.start(self._tell_lists())

    def answered(self) -> None:
        """The view was just given the whole context: nothing of it is left to tell."""
        self._context = {}

    async def flush(self) -> None:
        """The view is ready: tell it what changed since it was answered."""
        await self._tell_context()
        await self._tell_lists()

    async def _tell_context(self) -> None:
        if self._context:
            told, self._context = self._context, {}
            await self._outbox.put(jsonrpc.notification(Method.HOST_CONTEXT_CHANGED, told))

    async def _tell_lists(self) -> None:
        while self._lists:
            await self._outbox.put(jsonrpc.notification(self._lists.pop()))
