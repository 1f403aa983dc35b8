"""What can go wrong on the host's side, each with the words to look it up."""

from __future__ import annotations

from mcp_apps_plugin.protocol.findings import MCPAppsError


class HostError(MCPAppsError):
    """The root of the errors of the host half."""


class PageUnavailableError(HostError):
    """A page cannot be shown: missing, of another type, or no document."""


class BridgeOrderError(HostError, RuntimeError):
    """The embedder asked for something that the order of messages does not allow."""


class BridgeClosedError(HostError, RuntimeError):
    """The view is gone: torn down, or never there."""


class ViewTimeoutError(HostError, TimeoutError):
    """The view did not answer in time."""


class ViewAnswerError(HostError):
    """The view answered with an error, or with something that is no answer.

    Attributes:
        rpc_code: The JSON-RPC code the view gave, or `None` when its answer had no meaning.
    """

    rpc_code: int | None = None


class AppToolRefusedError(HostError, PermissionError):
    """A tool that a page offers was not called: nobody agreed to it."""
