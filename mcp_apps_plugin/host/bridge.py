"""The host's end of the channel to one view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from mcp_apps_plugin.host import handshake
from mcp_apps_plugin.host.announcements import Announcements
from mcp_apps_plugin.host.callbacks import Callbacks
from mcp_apps_plugin.host.calls import ViewCalls, cannot_elicit
from mcp_apps_plugin.host.context import ContextChanges, HostContext
from mcp_apps_plugin.host.delivery import Delivery, reason_of
from mcp_apps_plugin.host.dispatch import Dispatcher
from mcp_apps_plugin.host.errors import ViewAnswerError, ViewTimeoutError
from mcp_apps_plugin.host.forwarding import READ_SCHEMES, Forwarder, relayed
from mcp_apps_plugin.host.inflight import InFlight
from mcp_apps_plugin.host.lifecycle import Lifecycle, Stage
from mcp_apps_plugin.host.limits import Limits
from mcp_apps_plugin.host.links import LINK_SCHEMES
from mcp_apps_plugin.host.outbox import Outbox
from mcp_apps_plugin.host.page_tools import AppTools
from mcp_apps_plugin.host.refusals import Reason, Refusals
from mcp_apps_plugin.host.routes import notification_routes, request_routes
from mcp_apps_plugin.host.sandbox.page import resource_ready
from mcp_apps_plugin.host.ui_requests import UiRequests
from mcp_apps_plugin.protocol.elicitation import METHOD
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection
    from types import TracebackType
    from typing import Unpack

    import mcp_types

    from mcp_apps_plugin.host.changes import ServerChanges
    from mcp_apps_plugin.host.connection import ServerConnection
    from mcp_apps_plugin.host.resolve import ResolvedPage
    from mcp_apps_plugin.protocol import messages as wire
    from mcp_apps_plugin.protocol.shapes import JsonObject

TEARDOWN_SECONDS: Final = 5.0
"""How long a view is waited for when it is to end."""

_OWN_WORK: Final = 64


class AppBridge:
    """The host half of `ui/*` for one view: one page, one call of one tool.

    It knows nothing of how messages travel. Feed what the view sends to `receive` (or
    `receive_text`), and bring what comes out of `outgoing` (or is given to `send`) to the view:
    over `postMessage`, a WebSocket, a notebook's channel, a desktop window.

    Args:
        client: The connected `fastmcp.Client` that the tool came from.
        tool: The tool, or `None` for a page without one (an elicitation).
        page: The page, from `resolve_page`. Needed when a sandbox proxy asks for it, and told
            to the view as what its sandbox grants.
        callbacks: What the embedder does; each one there is a capability the view sees.
        send: Takes each outgoing message, one at a time. Without it use `outgoing`.
        host_info: Who the host says it is. Default: this package.
        context: The host context to begin with.
        limits: How much the view may send.
        changes: The server's change notifications; the view is then told of them.
        link_schemes: The schemes of links that are opened. Default: https, http, mailto.
        read_schemes: The schemes of resources the view may read. Default: `ui` alone.
        elicitation: Whether the view is to answer an elicitation (see `host.elicitation`).

    Attributes:
        tool: The tool.
        page: The page.
        app_tools: The tools that the page itself offers.
        refusals: What was refused: `bridge.refusals.counts`.
    """

    def __init__(
        self,
        client: ServerConnection,
        tool: mcp_types.Tool | None,
        *,
        page: ResolvedPage | None = None,
        callbacks: Callbacks | None = None,
        send: Callable[[JsonObject], Awaitable[None]] | None = None,
        host_info: mcp_types.Implementation | None = None,
        context: ContextChanges | None = None,
        limits: Limits | None = None,
        changes: ServerChanges | None = None,
        link_schemes: Collection[str] = LINK_SCHEMES,
        read_schemes: Collection[str] = READ_SCHEMES,
        elicitation: bool = False,
    ) -> None:
        self.tool = tool
        self.page = page
        self._client = client
        self._callbacks = callbacks or Callbacks()
        self._limits = limits or Limits()
        self._info = host_info or handshake.default_host_info()
        self._elicitation = elicitation
        self._documents = 0
        self._life = Lifecycle()
        self._context = HostContext()
        self._context.update(context or {})

        name = tool.name if tool else page.uri if page else "page"
        self.refusals = Refusals(name, self._callbacks.on_refused)
        self._outbox = Outbox(self._limits.outgoing_messages, send)
        self._own_work = InFlight(_OWN_WORK)
        self._calls = ViewCalls(self._outbox)
        self._delivery = Delivery(self._outbox)
        self._announcements = Announcements(self._outbox, self._life, self._own_work)
        self._forwarder = Forwarder(client, self._outbox, self._callbacks, read_schemes)
        self._ui = UiRequests(
            self._callbacks,
            self._context,
            self._life,
            link_schemes=link_schemes,
            told=lambda mode: self.update_context(display_mode=mode),
            refused=self.refusals.note,
        )
        self.app_tools = AppTools(name, self._calls, self._life, self._callbacks, self._limits)
        self._dispatcher = Dispatcher(
            request_routes(self._initialize, self._ui, self._forwarder),
            notification_routes(
                self._proxy_ready,
                self._initialized,
                self.app_tools.changed,
                self._callbacks,
                self._context,
            ),
            outbox=self._outbox,
            calls=self._calls,
            refusals=self.refusals,
            limits=self._limits,
            lifecycle=self._life,
        )
        self._hears_changes = changes is not None
        self._unsubscribe = changes.subscribe(self._server_changed) if changes else None

    async def receive(self, message: object) -> None:
        """Take one message of the view, or of the sandbox proxy around it.

        Whatever it is, nothing is raised for it: what the protocol does not allow is answered
        with an error where an answer is due, counted in `refusals` and logged. Returns as soon as
        the message is on its way; answers come out of `outgoing` when they are there.

        Args:
            message: A JSON-RPC message as parsed JSON. It is not changed.
        """
        if self.stage is not Stage.CLOSED:
            await self._dispatcher.take(message)

    async def receive_text(self, text: str | bytes) -> None:
        """Take one message as JSON text. Too large a text is not even parsed. See `receive`."""
        if self.stage is not Stage.CLOSED:
            await self._dispatcher.take_text(text)

    def outgoing(self) -> AsyncIterator[JsonObject]:
        """Iterate over what is to be brought to the view, until the bridge is closed.

        For one consumer; not together with `send`.
        """
        return self._outbox.messages()

    @property
    def stage(self) -> Stage:
        """Where the view is in its life."""
        return self._life.stage

    @property
    def app_info(self) -> wire.AppInfo | None:
        """Who the view says it is, or `None` before it has said so."""
        return self._life.app_info

    @property
    def view_capabilities(self) -> wire.AppCapabilities | None:
        """What the view can do, or `None` before it has said so."""
        return self._life.view

    @property
    def model_context(self) -> wire.ModelContextParams | None:
        """What the view last gave for the model and the embedder took over, or `None`."""
        return self._ui.model_context

    async def wait_ready(self, seconds: float | None = None) -> None:
        """Wait until the view is initialized; `None` waits for as long as it takes.

        Raises:
            ViewTimeoutError: It was not initialized in time.
            BridgeClosedError: It was torn down first.
        """
        await self._life.wait_ready(seconds)

    async def _initialize(self, params: wire.InitializeParams) -> JsonObject:
        self._life.asked(params)
        self._announcements.answered()
        capabilities = handshake.host_capabilities(
            self._callbacks,
            self._client.server_capabilities,
            self.page,
            hears_changes=self._hears_changes,
            elicitation=self._elicitation,
        )
        return handshake.initialize_result(
            self._info, capabilities, {**self._context.current, **handshake.tool_info(self.tool)}
        )

    async def _initialized(self) -> None:
        if self.stage is Stage.LOADING:
            self.refusals.note(Reason.BEFORE_HANDSHAKE, Method.INITIALIZED)
        if self.stage is not Stage.INITIALIZING:
            return
        self._life.stage = Stage.READY
        await self._delivery.start()
        await self._announcements.flush()
        self._life.announce()

    async def _proxy_ready(self) -> None:
        if self.page is None:
            return
        self._documents += 1
        if self._documents > self._limits.documents:
            self.refusals.note(Reason.TOO_MANY, Method.SANDBOX_PROXY_READY)
            return
        if self._documents > 1:
            await self.restart()
        await self._outbox.put(resource_ready(self.page))

    async def restart(self) -> None:
        """The page was loaded anew: begin again with the handshake.

        Input and outcome are told to the new document once more. A sandbox proxy that announces
        itself again does this by itself.
        """
        if self.stage is Stage.CLOSED:
            return
        self._life.restart()
        self._delivery.restart()
        self.app_tools.drop()
        self._calls.abandon_all()
        await self._dispatcher.close()

    async def teardown(
        self, seconds: float = TEARDOWN_SECONDS, *, reason: str | None = None
    ) -> bool:
        """Ask the view to end, wait for it, and close. Then remove its frame.

        Args:
            seconds: How long to wait for the view.
            reason: Told to the view.

        Returns:
            Whether the view agreed. `False` too when it was never ready to be asked.
        """
        agreed = False
        try:
            if self.stage is Stage.READY:
                params: JsonObject = {} if reason is None else {"reason": reason}
                await self._calls.request(Method.TEARDOWN, params, seconds)
                agreed = True
        except (ViewTimeoutError, ViewAnswerError):
            pass  # the frame goes all the same
        finally:
            await self.close()
        return agreed

    async def close(self) -> None:
        """End at once, without asking the view: its calls are cancelled, its tools dropped."""
        if self.stage is Stage.CLOSED:
            return
        self._life.end()
        if self._unsubscribe is not None:
            self._unsubscribe()
        self.app_tools.drop()
        self._calls.abandon_all()
        await self._dispatcher.close()
        await self._own_work.cancel_all()
        await self._outbox.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def run_tool(
        self, arguments: dict[str, Any] | None = None, *, meta: dict[str, Any] | None = None
    ) -> mcp_types.CallToolResult:
        """Call the tool and tell the view: its input, then its result or that it was cancelled.

        Need not wait for the view; it is told everything, in order, once it is initialized. A
        result with `isError` is a result.

        Args:
            arguments: The arguments; none are `{}`.
            meta: `_meta` for the request.

        Returns:
            The tool's final result, for the model.

        Raises:
            mcp.MCPError: The server refused; the view is told that the call was cancelled.
            BridgeOrderError: The view was told of a call before.
            ValueError: This bridge has no tool.
        """
        if self.tool is None:
            message = "this bridge shows a page without a tool"
            raise ValueError(message)
        given = arguments or {}
        await self.tool_input(given)
        try:
            called = await self._client.call_tool_mcp(self.tool.name, given, meta=meta)
        except BaseException as error:
            # Not awaited: this task may be the one that was cancelled.
            self._own_work.start(self.tool_cancelled(reason_of(error)))
            raise
        await self.tool_result(called)
        return called

    async def tool_input_partial(self, arguments: JsonObject) -> bool:
        """Tell the view the arguments as far as the model has written them.

        Returns:
            `False` when it is too late: the whole input or the outcome is there already.
        """
        return await self._delivery.partial(arguments)

    async def tool_input(self, arguments: JsonObject | None = None) -> None:
        """Tell the view the complete arguments, for an embedder that calls the tool itself.

        Raises:
            BridgeOrderError: They were given before.
        """
        await self._delivery.input(arguments or {})

    async def tool_result(self, result: mcp_types.CallToolResult) -> None:
        """Tell the view the final result.

        Raises:
            BridgeOrderError: The call had an outcome before.
        """
        await self._delivery.outcome(Method.TOOL_RESULT, relayed(result))

    async def tool_cancelled(self, reason: str | None = None) -> None:
        """Tell the view that there will be no result.

        Raises:
            BridgeOrderError: The call had an outcome before.
        """
        params: JsonObject = {} if reason is None else {"reason": reason}
        await self._delivery.outcome(Method.TOOL_CANCELLED, params)

    async def update_context(self, **changes: Unpack[ContextChanges]) -> None:
        """Change the host context; the view is told what has another value now.

        What real views would refuse is left out and logged; see `ContextChanges`. A mode that the
        view did not declare is not switched to.

        Raises:
            TypeError: There is no such field.
        """
        mode, view = changes.get("display_mode"), self._life.view
        declared = view.available_display_modes if view else None
        if mode and declared is not None and mode not in declared:
            self.refusals.note(Reason.NOT_OFFERED, f"the view has no display mode {mode}")
            del changes["display_mode"]
        await self._announcements.context_changed(self._context.update(changes))

    async def elicit(self, params: JsonObject, seconds: float) -> JsonObject:
        """Have the view answer an elicitation (draft convention); see `host.elicitation`.

        Args:
            params: The parameters of `elicitation/create`, as they came from the server.
            seconds: How long to wait for the answer.

        Returns:
            What the view answered, unchecked.

        Raises:
            ViewAnswerError: The view cannot answer elicitations, or answered with an error.
            ViewTimeoutError: It did not answer in time.
            BridgeClosedError: It is gone.
        """
        view = self._life.ready_view
        if not self._elicitation or view is None or view.elicitation is None:
            raise cannot_elicit()
        return await self._calls.request(METHOD, params, seconds)

    def _server_changed(self, method: Method) -> None:
        if method is Method.TOOLS_CHANGED:
            self._forwarder.catalog.forget()
        self._announcements.list_changed(method)
