"""A question of the server in front of the window's user: by its page, by a form, or by both.

The page and the form are two faces of one question, with a switch between them. Who answers
first, answers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.client.elicitation import ElicitResult

from mcp_apps_plugin.dev.callbacks import WindowCallbacks
from mcp_apps_plugin.dev.views import Sandbox, View
from mcp_apps_plugin.host import apps_elicitation_handler
from mcp_apps_plugin.protocol.shapes import as_object

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types

    from mcp_apps_plugin.dev.questions import Questions, Say
    from mcp_apps_plugin.dev.wire import Wire
    from mcp_apps_plugin.host import AppElicitation, ContextChanges
    from mcp_apps_plugin.protocol.shapes import JsonObject


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
        self._sandbox = sandbox
        self._questions = questions
        self._say = say
        self._wire = wire
        self._context = context
        self._shown = shown

    async def __call__(
        self,
        message: str,
        response_type: type[Any] | None,
        params: mcp_types.ElicitRequestParams,
        request: Any,
    ) -> Any:
        """Ask the user (this is what makes it a handler)."""
        number = next(self._sandbox.numbers)
        question = _Question(self, number, message, params)
        handler = apps_elicitation_handler(
            render=question.render,
            native=question.native,
            callbacks=WindowCallbacks(number, self._say, self._questions).build(),
            context=self._context(),
        )
        return await handler(message, response_type, params, request)

    async def by_page(
        self,
        number: int,
        shown: AppElicitation,
        form: JsonObject,
        answered: Callable[[JsonObject | None], None],
    ) -> None:
        """Show a question's page until the form beside it is answered or all is dismissed.

        What the form said is told before the page is gone, as the page's end has the form asked.
        """
        view = View(number, shown.page, shown.bridge, say=self._say, wire=self._wire)
        async with self._sandbox.showing(view):
            self._shown(number, view)
            try:
                frame = self._sandbox.frame_of(view)
                answered(await self._questions.ask("elicitation", frame=frame, **form))
            finally:
                self._shown(number, None)

    async def by_form(self, form: JsonObject) -> JsonObject | None:
        """Show a question's form."""
        return await self._questions.ask("elicitation", frame=None, **form)


class _Question:
    """One question, whose page and form know of each other."""

    def __init__(
        self,
        asker: WindowElicitation,
        number: int,
        message: str,
        params: mcp_types.ElicitRequestParams,
    ) -> None:
        self._asker = asker
        self._number = number
        asked = params.model_dump(mode="json", by_alias=True, exclude_none=True)
        self._form: JsonObject = {
            "message": message,
            "schema": asked.get("requestedSchema"),
            "url": asked.get("url"),
        }
        self._answer: JsonObject | None = None

    async def render(self, shown: AppElicitation) -> None:
        """Show the page; returning means that the form has the word."""
        self._form["server"] = shown.server.name if shown.server else None
        await self._asker.by_page(self._number, shown, self._form, self._take)

    def _take(self, answer: JsonObject | None) -> None:
        self._answer = answer

    async def native(
        self,
        _message: str,
        _response_type: type[Any] | None,
        _params: mcp_types.ElicitRequestParams,
        _request: Any,
    ) -> ElicitResult[Any]:
        """Answer with what the form said, or ask it."""
        answer = self._answer or await self._asker.by_form(self._form) or {}
        action = answer.get("action")
        if action == "accept":
            content = as_object(answer.get("content"))
            return ElicitResult(action="accept", content=content)
        # To close a question is not to decline it.
        return ElicitResult(action="decline" if action == "decline" else "cancel")
