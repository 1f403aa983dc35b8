"""`Page`: what a page function returns to serve a file, with data of the moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.declarations.sources import html_file
from mcp_apps_plugin.protocol.authored import authored, caller
from mcp_apps_plugin.protocol.findings import Code

if TYPE_CHECKING:
    from mcp_apps_plugin.declarations.sources import Html


class Page:
    """An HTML file and the data its scripts read as `McpApp.data`.

    Args:
        html: The file: relative to the file that makes this object, a `Path`, or a package file.
            It is built again whenever a file has changed.
        data: Anything that is JSON. It goes into the page when it is read, so that it may change
            from read to read; what differs by user or call belongs into tool results.

    Raises:
        AppsTypeError: `html` is no path (`page-option-invalid`).
        AppsValueError: `html` is relative in code that is in no file, or is HTML text.

    Example:
        ```python
        @app_resource("ui://shop/orders")
        def orders() -> Page:
            return Page("orders.html", data={"currencies": CURRENCIES})
        ```
    """

    @authored(Code.PAGE_USAGE, "Page")
    def __init__(self, html: Html, data: Any = None) -> None:
        self.file = html_file(html, caller()[0], f"Page({str(html)!r})")
        self.data = data

    def __repr__(self) -> str:
        return f"Page({self.file.identity!r})"
