"""One question: its form, its page, and what an answer to it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastmcp.server.elicitation import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    handle_elicit_accept,
)
from mcp_types import ElicitRequest, ElicitRequestFormParams
from pydantic import ValidationError

from mcp_apps_plugin.protocol.answers import Problem, check_answer
from mcp_apps_plugin.protocol.elicitation import hint
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.shapes import as_list
from mcp_apps_plugin.server.elicitation.errors import ElicitationError

if TYPE_CHECKING:
    from fastmcp.server.elicitation import ElicitConfig

    from mcp_apps_plugin.protocol.shapes import JsonObject

    Answer = AcceptedElicitation[Any] | DeclinedElicitation | CancelledElicitation


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        message: The words.
        form: FastMCP's reading of the answer's type: the schema, and how to make the value.
        page: The page that may render it, as its author wrote the address, or `None`.
        retries: How often an invalid answer is asked again.
    """

    message: str
    form: ElicitConfig
    page: str | None
    retries: int

    def request(self, page: str | None, why: str | None = None) -> ElicitRequest:
        """Return the request as it goes out.

        Args:
            page: The page as the client knows it, where it may be named. Without, it is the same
                form, byte for byte.
            why: What was wrong with the last answer.
        """
        message = self.message if why is None else f"{self.message}\n\n{why}"
        params = ElicitRequestFormParams(message=message, requested_schema=self.form.schema)
        if page is not None:
            dumped = params.model_dump(by_alias=True, exclude_none=True)
            params = ElicitRequestFormParams.model_validate({**dumped, "_meta": hint(page)})
        return ElicitRequest(params=params)

    def read(self, answer: JsonObject) -> tuple[Answer, JsonObject] | str:
        """Read an answer.

        Returns:
            What the handler gets and the answer as it is kept, or why it has to be asked again.
        """
        match answer.get("action"):
            case "decline":
                return DeclinedElicitation(), {"action": "decline"}
            case "cancel":
                return CancelledElicitation(), {"action": "cancel"}
            case "accept":
                return self._accepted(answer.get("content"))
            case _:
                return str(Problem("/action", "Action must be 'accept', 'decline', or 'cancel'."))

    def given_up(self, why: str) -> ElicitationError:
        """Say that no answer was valid."""
        return ElicitationError(
            Finding(
                code=Code.ELICIT_ANSWER,
                subject=f"the question {self.message!r}",
                problem=f"was answered {self.retries + 1} times, never as its form asks. {why}",
                consequence="There is no answer to go on with.",
                remedy="Answer as the form asks, or decline.",
            )
        )

    def _accepted(self, content: object) -> tuple[Answer, JsonObject] | str:
        filled, problems = check_answer(content, self.form.schema)
        if not problems:
            try:
                accepted = handle_elicit_accept(self.form, filled)
            except ValidationError as error:
                problems = [_problem(each, filled) for each in error.errors(include_url=False)]
            except ValueError:  # what FastMCP says of a shorthand without its value
                problems = [Problem("/content/value", "Value is not accepted.")]
            else:
                return accepted, {"action": "accept", "content": filled}
        return "The last answer was not accepted. " + " ".join(str(each) for each in problems)


def _problem(error: Any, content: JsonObject) -> Problem:
    """Say what pydantic found; its words only where they do not repeat what was submitted."""
    path = "".join(f"/{part}" for part in ("content", *error["loc"]))
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    submitted = [item for value in content.values() for item in (as_list(value) or [value])]
    if any(str(item) in message for item in submitted if item is not None and str(item)):
        return Problem(path, "Value is not accepted.")
    return Problem(path, message if message.endswith(".") else f"{message}.")
