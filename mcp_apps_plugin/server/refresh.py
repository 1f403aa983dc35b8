"""Building a running server's pages anew, for development: in production a page is built once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.server.attachment import attachment_of
from mcp_apps_plugin.server.audit import audit
from mcp_apps_plugin.server.extension import options_of
from mcp_apps_plugin.server.named_pages import built_files, forget_built
from mcp_apps_plugin.server.pages import FilePage
from mcp_apps_plugin.server.tree import mounted
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastmcp import FastMCP

    from mcp_apps_plugin.server.attachment import Attachment

    Server = FastMCP[Any]

_logger = logging.getLogger("mcp_apps_plugin")


def files_of_pages(server: Server) -> set[Path]:
    """List the files that a server's pages are built from, with those of everything mounted."""
    pages = (page for part in _parts(server, set()) for page in part.pages.pages().values())
    built = {path for page in pages if isinstance(page, FilePage) for path in page.files}
    return {path.resolve() for path in (*built, *built_files())}


async def refresh_pages(server: Server) -> bool | None:
    """Build the pages anew after their files have changed.

    Args:
        server: The server, with everything mounted on it.

    Returns:
        Whether an address has moved; `None` where the server would not start with its pages as
        they are now: a new start says why.
    """
    parts = list(_parts(server, set()))
    before = [(part, dict(part.versions.links)) for part in parts]
    forget_built()
    for part in parts:
        part.renew()
    for part in parts:
        await part.versions.prepare()
    mode = options_of(server).audit or read_settings().audit
    if mode != "off":
        report = await audit(server)
        if report.errors and mode == "error":
            return None
        for finding in report.findings:
            _logger.warning("%s", finding)
    if any(part.versions.links.keys() != links.keys() for part, links in before):
        return None
    return any(part.versions.links != links for part, links in before)


def _parts(server: Server, seen: set[int]) -> Iterator[Attachment]:
    attachment = attachment_of(server)
    if attachment is None or id(server) in seen:
        return
    seen.add(id(server))
    yield attachment
    for _, below in mounted(server):
        yield from _parts(below, seen)
