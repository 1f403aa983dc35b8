"""Building a running server's pages anew, for development: in production a page is built once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.server.attachment import attachment_of
from mcp_apps_plugin.server.named_pages import built_files
from mcp_apps_plugin.server.pages import FilePage
from mcp_apps_plugin.server.tree import mounted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fastmcp import FastMCP

    from mcp_apps_plugin.server.attachment import Attachment

    Server = FastMCP[Any]


async def refresh_pages(server: Server, changed: Iterable[Path]) -> bool | None:
    """Build versioned pages anew after their files have changed.

    Args:
        server: The server, with everything mounted on it.
        changed: The files.

    Returns:
        Whether an address has moved; `None` where only a new start would do: a file is of no
        versioned page, or of another one as well, or the page cannot be built any more.
    """
    files = {path.resolve() for path in changed}
    parts = list(_parts(server, set()))
    touched: list[tuple[Attachment, str]] = []
    known: set[Path] = set()
    for part in parts:
        for uri, page in part.pages.pages().items():
            if not isinstance(page, FilePage):
                continue
            made_of = {path.resolve() for path in page.files}
            if files & made_of:
                if uri not in part.pages.versioned:
                    return None
                touched.append((part, uri))
                known |= made_of
    if not files or not files <= known or files & {path.resolve() for path in built_files()}:
        return None
    before = [part.versions.links.get(uri) for part, uri in touched]
    for part in parts:
        part.renew()
    for part in parts:
        await part.versions.prepare()
    after = [part.versions.links.get(uri) for part, uri in touched]
    return None if None in after else before != after


def _parts(server: Server, seen: set[int]) -> Iterator[Attachment]:
    attachment = attachment_of(server)
    if attachment is None or id(server) in seen:
        return
    seen.add(id(server))
    yield attachment
    for _, below in mounted(server):
        yield from _parts(below, seen)
