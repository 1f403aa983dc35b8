"""What this package adds to one server, and takes away again."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP

from mcp_apps_plugin.declarations.marks import raise_refusal
from mcp_apps_plugin.protocol.authored import authored
from mcp_apps_plugin.protocol.findings import AppsTypeError, Code, Finding
from mcp_apps_plugin.server.addresses import Addresses
from mcp_apps_plugin.server.attached_links import AttachedLinks
from mcp_apps_plugin.server.emission import take_back
from mcp_apps_plugin.server.lists import Lists
from mcp_apps_plugin.server.middleware import AppsMiddleware
from mcp_apps_plugin.server.older_servers import KEY, meet
from mcp_apps_plugin.server.pages import PageProvider
from mcp_apps_plugin.server.proxies import stop_forwarding
from mcp_apps_plugin.server.tree import local_components
from mcp_apps_plugin.server.versions import Versions
from mcp_apps_plugin.server.wire import WireMiddleware

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_apps_plugin.declarations.page import AppResource

    Server = FastMCP[Any]


class Attachment:
    """Our parts on one server: the provider of pages, the lists, and the edge of the wire.

    Args:
        server: The server. It keeps this object; this object keeps only a weak reference.
    """

    def __init__(self, server: Server) -> None:
        self._server = weakref.ref(server)
        self.links = AttachedLinks()
        self.pages = PageProvider(server.local_provider, self)
        self.versions = Versions(self)
        self.lists = Lists(self)
        self.addresses = Addresses(self)
        self._middleware = AppsMiddleware(self)
        self._wire = WireMiddleware(self)
        try:
            self._add(server)
        except Exception:
            self.remove()
            raise

    def _add(self, server: Server) -> None:
        vars(server)[KEY] = self
        _everywhere.add(self)
        server.providers[server.providers.index(server.local_provider)] = self.pages
        # The outermost: what an author's own middleware adds to a list is completed too.
        server.middleware.insert(0, self._middleware)
        server._mcp_server.middleware.insert(0, self._wire)  # noqa: SLF001  the SDK's own list

    @property
    def server(self) -> Server:
        """The server; it outlives this object."""
        server = self._server()
        assert server is not None  # noqa: S101  it owns this object
        return server

    def resume_place(self) -> None:
        """Stand around the server's own provider, wherever its author has put that meanwhile."""
        server = self.server
        server.providers[:] = [
            self.pages if each is server.local_provider else each for each in server.providers
        ]

    def renew(self) -> None:
        """Let everything be made anew when it is asked for: files of pages have changed."""
        for component in local_components(self.server):
            take_back(component)
        self.pages.forget()
        self.versions.forget()
        self.addresses.forget()

    def remove(self) -> None:
        """Leave the server as it was found."""
        server = self.server
        server.providers[:] = [
            server.local_provider if each is self.pages else each for each in server.providers
        ]
        _without(server.middleware, self._middleware)
        _without(getattr(server._mcp_server, "middleware", []), self._wire)  # noqa: SLF001
        stop_forwarding(server)
        for component in local_components(server):
            take_back(component)
        del vars(server)[KEY]
        _everywhere.discard(self)


_everywhere: weakref.WeakSet[Attachment] = weakref.WeakSet()


def remove_everywhere() -> None:
    """Leave every server as it was found."""
    for attachment in list(_everywhere):
        if attachment._server() is not None:  # noqa: SLF001  else it goes with its server
            attachment.remove()


def _without(parts: list[Any], ours: object) -> None:
    parts[:] = [part for part in parts if part is not ours]


def attachment_of(server: Server) -> Attachment | None:
    """Return our parts on a server, or `None` when it has none."""
    meet(server)
    return vars(server).get(KEY)


@authored(Code.UI_USAGE, "attach_ui")
def attach_ui(server: Server, links: Mapping[str, str | AppResource | Callable[..., Any]]) -> None:
    """Give pages to tools that nobody decorated: OpenAPI tools, proxied tools, transformed ones.

    Args:
        server: The server that lists the tools.
        links: Pages by tool name, or by a glob such as `"report_*"`; the first that fits counts,
            exact names first. A page is a `ui://` address, an `AppResource`, or a function with
            `@app_resource`. A tool's own `@ui` goes before.

    Raises:
        AppsTypeError: A value is no page, the first argument no server, or the package not
            active (`ui-usage`).
        AppsValueError: A value is no `ui://` address (`uri-invalid`).

    Example:
        ```python
        attach_ui(server, {"list_orders": orders_view, "report_*": "ui://reports/table"})
        ```
    """
    if not isinstance(server, FastMCP):
        problem = f"is given `{server!r}` where a FastMCP server is expected."
        raise AppsTypeError(
            _usage("attach_ui", problem, 'Write `attach_ui(server, {"tool": page})`.')
        )
    attachment = attachment_of(server)
    if attachment is None:
        raise_refusal()
        problem = "comes while mcp-apps-plugin is switched off for it."
        remedy = "Call `mcp_apps_plugin.activate()`, or unset `MCP_APPS_DISABLE`."
        raise AppsTypeError(_usage(f"attach_ui on server {server.name!r}", problem, remedy))
    attachment.links.add(links)


def _usage(subject: str, problem: str, remedy: str) -> Finding:
    return Finding(
        code=Code.UI_USAGE,
        subject=subject,
        problem=problem,
        consequence="Its tools would have no pages.",
        remedy=remedy,
    )
