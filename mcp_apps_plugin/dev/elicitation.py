"""A question of the server in front of the window's user: by its page, by a form, or by both.

The page and the form are two faces of one question, with a switch between them. Who answers
first, answers it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastmcp.client.elicitation import ElicitResult
from mcp import MCPError

from mcp_apps_plugin.dev.callbacks import WindowCallbacks
from mcp_apps_plugin.dev.views import Sandbox, View
from mcp_apps_plugin.host import HostError, apps_elicitation_handler
from mcp_apps_plugin.host.connection import SessionConnection
from mcp_apps_plugin.host.resolve import resolve_uri
from mcp_apps_plugin.protocol.shapes import as_object

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types

    from mcp_apps_plugin.dev.questions import Questions, Say
    from mcp_apps_plugin.dev.wire import Wire
    from mcp_apps_plugin.host import AppElicitation, ContextChanges
    from mcp_apps_plugin.protocol.shapes import JsonObject


class _RenewedError(Exception):
    """The page of a question has changed: it is to be read and shown again."""


class WindowElicitation:
    """The `elicitation_handler` of one window's client.

    Args:
        sandbox: Where pages are shown.
        questions: The way to the user.
        say: The way to the window.
        wire: Where messages are recorded.
        context: The host context of this moment.
        shown: Told of each page while it is shown, and of `None` after it.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        questions: Questions,
        *,
        say: Say,
        wire: Wire,
        context: Callable[[], ContextChanges],
        shown: Callable[[int, View | None], None],
    ) -> None:
        self.sandbox = sandbox
        self.questions = questions
        self.say = say
        self.wire = wire
        self.context = context
        self.shown = shown
        self._open: set[_Question] = set()

    async def __call__(
        self,
        message: str,
        response_type: type[Any] | None,
        params: mcp_types.ElicitRequestParams,
        request: Any,
    ) -> Any:
        """Ask the user (this is what makes it a handler)."""
        question = _Question(self, message, params, SessionConnection(request.session))
        self._open.add(question)
        try:
            while True:
                number = question.begin()
                handler = apps_elicitation_handler(
                    render=question.render,
                    native=question.native,
                    callbacks=WindowCallbacks(number, self.say, self.questions).build(),
                    context=self.context(),
                )
                try:
                    return await handler(message, response_type, params, request)
                except _RenewedError:
                    continue
        finally:
            self._open.discard(question)
            await question.end()

    async def renew(self) -> None:
        """Show those pages of open questions again that have changed."""
        await asyncio.gather(*(question.renew() for question in tuple(self._open)))


class _Question:
    """One question, whose page and form know of each other.

    Its card in the window stays while its page is shown anew, with what the form holds.
    """

    def __init__(
        self,
        asker: WindowElicitation,
        message: str,
        params: mcp_types.ElicitRequestParams,
        connection: SessionConnection,
    ) -> None:
        self._asker = asker
        self._connection = connection
        asked = params.model_dump(mode="json", by_alias=True, exclude_none=True)
        self._form: JsonObject = {
            "message": message,
            "schema": asked.get("requestedSchema"),
            "url": asked.get("url"),
        }
        self._number = 0
        self._in_card: int | None = None
        self._shown: AppElicitation | None = None
        self._asking: asyncio.Task[JsonObject | None] | None = None
        self._renewed = asyncio.Event()

    def begin(self) -> int:
        """Begin with a page; return the number of its frame."""
        self._number = next(self._asker.sandbox.numbers)
        self._renewed.clear()
        return self._number

    async def end(self) -> None:
        """Take the card away."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    async def renew(self) -> None:
        """Have the page shown again, if it is another one by now and can be read."""
        shown = self._shown
        if shown is None:
            return
        try:
            page = await resolve_uri(self._connection, shown.page.uri)
        except (HostError, MCPError, RuntimeError):
            return  # what it shows is still better than nothing
        if self._shown is shown and page != shown.page:
            self._renewed.set()

    async def render(self, shown: AppElicitation) -> None:
        """Show the page; returning means that the form has the word, or that it is renewed."""
        asker = self._asker
        view = View(self._number, shown.page, shown.bridge, say=asker.say, wire=asker.wire)
        self._shown = shown
        async with asker.sandbox.showing(view):
            asker.shown(self._number, view)
            try:
                await self._face(view, shown)
            finally:
                asker.shown(self._number, None)

    async def _face(self, view: View, shown: AppElicitation) -> None:
        """Put the page into the question's card, until the form is answered or the page renewed."""
        frame = self._asker.sandbox.frame_of(view)
        if self._asking is None:
            self._form["server"] = shown.server.name if shown.server else None
            asking = self._ask(frame)
        else:
            asking = self._asking
            self._asker.say({"type": "ask_again", "was": self._in_card, "frame": frame})
        self._in_card = view.number
        renewed = asyncio.create_task(self._renewed.wait())
        try:
            await asyncio.wait([renewed, asking], return_when=asyncio.FIRST_COMPLETED)
        finally:
            renewed.cancel()

    def _ask(self, frame: JsonObject | None) -> asyncio.Task[JsonObject | None]:
        asking = self._asker.questions.ask("elicitation", frame=frame, **self._form)
        self._asking = asyncio.create_task(asking)
        return self._asking

    async def native(
        self,
        _message: str,
        _response_type: type[Any] | None,
        _params: mcp_types.ElicitRequestParams,
        _request: Any,
    ) -> ElicitResult[Any]:
        """Answer with what the form said, or ask it."""
        asking = self._asking
        answer = asking.result() if asking is not None and asking.done() else None
        if answer is None and self._renewed.is_set():
            raise _RenewedError
        if answer is None:
            await self.end()  # the card of a page that did not do it
            answer = await self._ask(None) or {}
        action = answer.get("action")
        if action == "accept":
            content = as_object(answer.get("content"))
            return ElicitResult(action="accept", content=content)
        # To close a question is not to decline it.
        return ElicitResult(action="decline" if action == "decline" else "cancel")
