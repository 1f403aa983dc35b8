"""What this request's client declared, in both eras, and this request's own id."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from fastmcp.server.dependencies import get_context
from mcp_types import ClientCapabilities
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mcp_apps_plugin.protocol.capabilities import renders_pages, ui_settings

if TYPE_CHECKING:
    from fastmcp import Context

    from mcp_apps_plugin.protocol.shapes import JsonObject


class Support(Enum):
    """Whether the client can show pages."""

    YES = "yes"
    """It declared the page MIME type."""

    NO = "no"
    """It declared what it can do, and pages are not in it. Some hosts show them all the same."""

    UNKNOWN = "unknown"
    """Nothing is known: outside a request, or a stateless call of a handshake-era client."""


def supports_apps(ctx: Context | None = None) -> Support:
    """Tell whether this request's client can show pages.

    Compares the exact MIME type in `mimeTypes`; the extension key alone is not support. Use it
    to choose words, never to withhold a result: hosts exist that render without declaring.

    Args:
        ctx: The request's context. Default: the current one.

    Returns:
        `YES`, `NO` or `UNKNOWN`.
    """
    capabilities = client_capabilities(ctx)
    if capabilities is None:
        return Support.UNKNOWN
    return Support.YES if renders_pages(_settings(capabilities)) else Support.NO


def client_ui_settings(ctx: Context | None = None) -> JsonObject | None:
    """Return the Apps settings this request's client declared, in either era.

    Args:
        ctx: The request's context. Default: the current one.

    Returns:
        The settings, or `None` when none were declared or nothing is known.
    """
    capabilities = client_capabilities(ctx)
    return None if capabilities is None else _settings(capabilities)


def call_id(ctx: Context | None = None) -> int | str:
    """Return this request's JSON-RPC id as it came: `3` is not `"3"`.

    It is what `hostContext.toolInfo.id` shows to the page. It is unique among the requests in
    flight of one connection on stdio and stateful HTTP, and only among the sender's requests in
    flight on stateless HTTP and 2026-07-28. On a retry of a multi-round-trip call it is new.

    Args:
        ctx: The request's context. Default: the current one.

    Raises:
        RuntimeError: There is no request.
    """
    context = ctx if ctx is not None else get_context()
    request = context.request_context
    if request is None:
        message = "call_id() needs a request: call it from a tool, a resource or a prompt."
        raise RuntimeError(message)
    # FastMCP keeps it as text; the SDK's own context has it as it came.
    request_id = request._srctx.request_id  # noqa: SLF001
    assert request_id is not None  # noqa: S101  a request context is a request's
    return request_id


def is_modern(ctx: Context | None = None) -> bool | None:
    """Tell whether this request is of the modern era; `None` outside a request."""
    context = _context(ctx)
    request = context.request_context if context is not None else None
    if request is None:
        return None
    return request.session.protocol_version in MODERN_PROTOCOL_VERSIONS


def _context(ctx: Context | None) -> Context | None:
    if ctx is not None:
        return ctx
    try:
        return get_context()
    except RuntimeError:
        return None


def client_capabilities(ctx: Context | None = None) -> ClientCapabilities | None:
    """Return what this request's client declared; `None` when nothing is known.

    Args:
        ctx: The request's context. Default: the current one.
    """
    context = _context(ctx)
    if context is None:
        return None
    try:
        session = context.session
    except RuntimeError:
        return None
    return getattr(session, "client_capabilities", None) or _being_negotiated(context)


def _being_negotiated(context: Context) -> ClientCapabilities | None:
    """Return what a client declares in a handshake that is not answered yet."""
    request = context.request_context
    if request is None or request._srctx.method != "initialize":  # noqa: SLF001  no other reader
        return None
    declared = (request._srctx.params or {}).get("capabilities")  # noqa: SLF001  no other reader
    return ClientCapabilities.model_validate(declared or {})


def _settings(capabilities: Any) -> JsonObject | None:
    # Before `extensions` existed, early clients declared the same under `experimental`.
    declared = ui_settings(capabilities.extensions)
    return ui_settings(capabilities.experimental) if declared is None else declared
