"""What has to survive from one leg of a request to the next, inside the sealed request state.

Nothing is kept in the process: FastMCP seals the text made here with the server's keys, the
client sends it back, and FastMCP refuses it when it was changed, has expired or belongs to another
request. So the next leg may land on any replica that has the keys.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.shapes import JsonObject, as_list, as_object
from mcp_apps_plugin.server.elicitation.errors import ElicitationError

_VERSION_KEY: Final = "mcp-apps-elicitation"
_VERSION: Final = 1

MAX_STATE_BYTES: Final = 65_536
"""What answers and `once` results may take together, before sealing."""


@dataclass(slots=True)
class State:
    """The memory of one request, over all its legs.

    Attributes:
        asked: The keys of the questions that the last leg sent.
        answers: Answers by key: an action, and the checked content when it was accepted.
        early: Answers that came before their question was asked again, not yet checked.
        tries: How often a question was asked again because its answer was invalid.
        kept: The results of `once` by key.
        calls: Calls of the handler's that asked in turn, by key: their state, the names of their
            questions and the answers so far, or their result.
        stalls: How many legs in a row brought answers that no question wanted.
    """

    asked: list[str] = field(default_factory=list[str])
    answers: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    early: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    tries: dict[str, int] = field(default_factory=dict[str, int])
    kept: dict[str, Any] = field(default_factory=dict[str, Any])
    calls: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    stalls: int = 0

    @classmethod
    def read(cls, text: str | None) -> State:
        """Read what a leg brought; text that is none of ours is the author's, and left alone."""
        try:
            found = as_object(json.loads(text)) if text else None
        except ValueError:
            found = None
        if found is None or found.get(_VERSION_KEY) != _VERSION:
            return cls()
        return cls(
            asked=as_list(found.get("asked")) or [],
            answers=as_object(found.get("answers")) or {},
            early=as_object(found.get("early")) or {},
            tries=as_object(found.get("tries")) or {},
            kept=as_object(found.get("kept")) or {},
            calls=as_object(found.get("calls")) or {},
            stalls=int(found.get("stalls", 0)),
        )

    def write(self) -> str:
        """Return the text to seal.

        Raises:
            ElicitationError: It is too long (`elicit-state`).
        """
        text = json.dumps(
            {
                _VERSION_KEY: _VERSION,
                "asked": self.asked,
                "answers": self.answers,
                "early": self.early,
                "tries": self.tries,
                "kept": self.kept,
                "calls": self.calls,
                "stalls": self.stalls,
            },
            separators=(",", ":"),
        )
        if len(text) > MAX_STATE_BYTES:
            raise ElicitationError(
                Finding(
                    code=Code.ELICIT_STATE,
                    subject="the request state",
                    problem=f"has {len(text):,} bytes of answers and `once` results; the limit "
                    f"is {MAX_STATE_BYTES:,}.",
                    consequence="It travels to the client and back with every question.",
                    remedy="Keep large results in a store and let `once` return their handle.",
                )
            )
        return text
