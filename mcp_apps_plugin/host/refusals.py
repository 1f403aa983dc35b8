"""What a host refused, counted and logged, without letting a hostile page fill the log."""

from __future__ import annotations

import logging
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

_MAX_DETAIL: Final = 200


class Reason(StrEnum):
    """Why something that came from a page was refused."""

    MALFORMED = "malformed"
    TOO_LARGE = "too-large"
    TOO_MANY = "too-many"
    BEFORE_HANDSHAKE = "before-handshake"
    UNKNOWN_METHOD = "unknown-method"
    NOT_OFFERED = "not-offered"
    INVALID_PARAMS = "invalid-params"
    UNKNOWN_ANSWER = "unknown-answer"
    TOOL_NOT_VISIBLE = "tool-not-visible"
    NOT_READABLE = "not-readable"
    LINK = "link"
    CONTENT = "content"
    DECLINED = "declined"


class RefusedError(Exception):
    """A request is refused; becomes its answer.

    Args:
        reason: Why, for the embedder.
        message: What the page is told.
        code: The JSON-RPC code of the answer.
    """

    def __init__(self, reason: Reason, message: str, code: int = jsonrpc.DENIED) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.code = code


class Refusals:
    """The record of one bridge.

    Each reason is logged as a warning once, and from then on for debugging only: a page that
    floods its host does not flood the log.

    Args:
        name: The tool or page the bridge shows, for the log.
        listener: Called with every refusal, or `None`.

    Attributes:
        counts: How often each reason occurred.
    """

    def __init__(self, name: str, listener: Callable[[Reason, str], None] | None) -> None:
        self._name = name
        self._listener = listener
        self.counts: Counter[Reason] = Counter()

    def note(self, reason: Reason, detail: str) -> None:
        """Count and log one refusal; `detail` may hold what the page sent."""
        self.counts[reason] += 1
        level = logging.WARNING if self.counts[reason] == 1 else logging.DEBUG
        shown = detail[:_MAX_DETAIL]
        # `%r`, because what a page sent must not write lines of its own.
        logger.log(level, "page of %s refused (%s): %r", self._name, reason.value, shown)
        if self._listener is not None:
            self._listener(reason, shown)
