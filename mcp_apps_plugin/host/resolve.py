"""From a tool to the page that shows it, ready to be put into a sandbox."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import mcp_types
from mcp import MCPError

from mcp_apps_plugin.host.errors import PageUnavailableError
from mcp_apps_plugin.protocol import links
from mcp_apps_plugin.protocol.constants import (
    FLAT_LINK_KEY,
    MIME_TYPE,
    OPENAI_LINK_KEY,
    UI_KEY,
)
from mcp_apps_plugin.protocol.csp import build_policy, is_origin
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.metadata import Csp, Permissions
from mcp_apps_plugin.protocol.shapes import JsonObject, as_list, as_object

if TYPE_CHECKING:
    from mcp_apps_plugin.host.connection import ServerConnection

_NOT_FOUND: Final = (-32602, -32002)
"""What servers answer for a resource they do not have: today's code, and the one before it."""

_MAX_LISTING_PAGES: Final = 100
_DOCUMENT = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPage:
    """A page, read and checked.

    Attributes:
        uri: The `ui://` URI it was read from.
        html: The document.
        csp: The origins it declares, or `None` when it declares none. Entries that are no
            origins are left out.
        permissions: What it asks the host to allow. A host may refuse any of it.
        domain: The host-specific origin it asks for, or `None`.
        prefers_border: `True` or `False`, or `None` to let the host decide.
        policy: The exact `Content-Security-Policy` header to serve it under.
    """

    uri: str
    html: str
    csp: Csp | None
    permissions: Permissions
    domain: str | None
    prefers_border: bool | None
    policy: str


async def resolve_page(client: ServerConnection, tool: mcp_types.Tool) -> ResolvedPage | None:
    """Read the page that a tool links to.

    Args:
        client: A connected `fastmcp.Client`. Nothing is kept between calls.
        tool: The tool, as `client.list_tools()` gave it.

    Returns:
        The page, or `None` when the tool has no link.

    Raises:
        PageUnavailableError: The link is no `ui://` URI (`uri-invalid`), the server has no such
            page (`link-dangling`), it has another MIME type (`page-mime`), or what came is not
            one HTML document (`page-content`).
        mcp.MCPError: The server failed in another way.
    """
    uri = links.link_of(tool.meta)
    if uri is None:
        if (written := written_link(tool.meta)) is None:
            return None
        raise PageUnavailableError(
            _finding(
                Code.URI_INVALID,
                f"tool {tool.name!r}",
                f"links to {written!r}, which is no `ui://` URI.",
                "Give the link as `ui://name/page`, the address of a resource of this server.",
            )
        )
    return await resolve_uri(client, uri)


async def resolve_uri(client: ServerConnection, uri: str) -> ResolvedPage:
    """Read the page at a `ui://` URI. See `resolve_page` for what is raised."""
    subject = f"page {uri}"
    try:
        read = await client.read_resource_mcp(uri)
    except MCPError as error:
        if error.code not in _NOT_FOUND:
            raise
        raise PageUnavailableError(
            _finding(
                Code.LINK_DANGLING,
                subject,
                f"is not served by the server that links to it: {error.message}",
                "Register the resource, or correct the link; both must be equal to the letter.",
            )
        ) from error
    if len(read.contents) != 1:
        raise PageUnavailableError(
            _finding(
                Code.PAGE_CONTENT,
                subject,
                f"came as {len(read.contents)} content items; a page is exactly one.",
                "Return one item with the whole document.",
            )
        )
    item = read.contents[0]
    if item.mime_type != MIME_TYPE:
        raise PageUnavailableError(
            _finding(
                Code.PAGE_MIME,
                subject,
                f"has the MIME type {item.mime_type!r}.",
                f"It has to be `{MIME_TYPE}`, without a space.",
            )
        )
    ui = as_object((item.meta or {}).get(UI_KEY))
    if ui is None:
        # The item's object replaces the listing's as a whole; only without one the listing counts.
        ui = await _listed_ui(client, uri)
    return _page(uri, _html(subject, item), ui or {})


def _page(uri: str, html: str, ui: JsonObject) -> ResolvedPage:
    csp = as_object(ui.get("csp"))
    domain, border = ui.get("domain"), ui.get("prefersBorder")
    return ResolvedPage(
        uri=uri,
        html=html,
        csp=None if csp is None else _declared_csp(csp),
        permissions=_declared_permissions(ui.get("permissions")),
        domain=domain if isinstance(domain, str) else None,
        prefers_border=border if isinstance(border, bool) else None,
        policy=build_policy(csp),
    )


def _declared_csp(csp: JsonObject) -> Csp:
    def origins(key: str) -> tuple[str, ...]:
        return tuple(entry for entry in as_list(csp.get(key)) or () if is_origin(entry))

    return Csp(
        connect_domains=origins("connectDomains"),
        resource_domains=origins("resourceDomains"),
        frame_domains=origins("frameDomains"),
        base_uri_domains=origins("baseUriDomains"),
    )


def _declared_permissions(declared: object) -> Permissions:
    asked = as_object(declared) or {}
    # On the wire each is an object; `true` is not valid there and asks for nothing.
    return Permissions(
        camera=as_object(asked.get("camera")) is not None,
        microphone=as_object(asked.get("microphone")) is not None,
        geolocation=as_object(asked.get("geolocation")) is not None,
        clipboard_write=as_object(asked.get("clipboardWrite")) is not None,
    )


def _html(
    subject: str, item: mcp_types.TextResourceContents | mcp_types.BlobResourceContents
) -> str:
    if isinstance(item, mcp_types.TextResourceContents):
        html = item.text
    else:
        try:
            html = base64.b64decode(item.blob, validate=True).decode("utf-8-sig")
        except (binascii.Error, UnicodeDecodeError) as error:
            raise PageUnavailableError(
                _finding(
                    Code.PAGE_CONTENT,
                    subject,
                    f"came as a `blob` that is not UTF-8 in base64: {error}.",
                    "Return the document as `text`.",
                )
            ) from error
    if not _DOCUMENT.search(html):
        raise PageUnavailableError(
            _finding(
                Code.PAGE_CONTENT,
                subject,
                "is empty." if not html.strip() else "is no HTML document.",
                "Return a whole document that starts with `<!doctype html>`.",
            )
        )
    return html


async def _listed_ui(client: ServerConnection, uri: str) -> JsonObject | None:
    cursor: str | None = None
    for _ in range(_MAX_LISTING_PAGES):
        try:
            listing = await client.list_resources_mcp(cursor=cursor)
        except MCPError:
            # A server need not list what only hosts read; the page stays under the default policy.
            return None
        for resource in listing.resources:
            if str(resource.uri) == uri:
                return as_object((resource.meta or {}).get(UI_KEY))
        cursor = listing.next_cursor
        if cursor is None:
            return None
    return None


def written_link(meta: JsonObject | None) -> object:
    """Return what stands in the place of a tool's link, whatever it is; `None` for nothing."""
    meta = meta or {}
    nested = (as_object(meta.get(UI_KEY)) or {}).get("resourceUri")
    return next(
        (v for v in (nested, meta.get(FLAT_LINK_KEY), meta.get(OPENAI_LINK_KEY)) if v is not None),
        None,
    )


def _finding(code: Code, subject: str, problem: str, remedy: str) -> Finding:
    return Finding(code, subject, problem, "A host cannot show it.", remedy)
