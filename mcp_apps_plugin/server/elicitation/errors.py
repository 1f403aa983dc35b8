"""What goes wrong when a handler asks."""

from __future__ import annotations

from fastmcp.exceptions import FastMCPError

from mcp_apps_plugin.protocol.findings import Code, Finding


class ElicitationError(FastMCPError):
    """A question could not be asked or answered. FastMCP sends the message to the client as it is.

    Attributes:
        finding: What is wrong.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


def usage(problem: str, remedy: str) -> Finding:
    """Say that a handler asks in a way that has no meaning."""
    return Finding(
        code=Code.ELICIT_USAGE,
        subject="elicit()",
        problem=problem,
        consequence="Nobody was asked.",
        remedy=remedy,
    )


def step_usage(key: str, problem: str, remedy: str) -> Finding:
    """Say that a step cannot be kept."""
    return Finding(
        code=Code.ELICIT_USAGE,
        subject=f"once({key!r})",
        problem=problem,
        consequence="The step could run twice.",
        remedy=remedy,
    )


def unsupported(message: str) -> ElicitationError:
    """Say that this client cannot ask its user."""
    return ElicitationError(
        Finding(
            code=Code.ELICIT_UNSUPPORTED,
            subject=f"the question {message!r}",
            problem="cannot be asked: the client did not declare form elicitation, or this "
            "connection cannot carry a question.",
            consequence="Nobody was asked.",
            remedy="Use a client that supports elicitation, or give `elicit()` a `default=`.",
        )
    )
