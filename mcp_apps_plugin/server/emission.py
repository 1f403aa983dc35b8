"""Writing `_meta.ui` into tools and resources: once for each, not once per list.

What was written is kept on the component, in the place where FastMCP's own `app=` puts it. An
`Emitted` object says which servers it holds for, so that the next list costs one comparison.
"""

from __future__ import annotations

import weakref
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar

from fastmcp.utilities.components import FastMCPComponent

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.declarations.marks import ATTACHED_MARK, PAGE_MARK, describe, find_mark
from mcp_apps_plugin.declarations.page import AppResource
from mcp_apps_plugin.plugins.manager import plugins
from mcp_apps_plugin.protocol.constants import MIME_TYPE, UI_KEY, URI_SCHEME
from mcp_apps_plugin.protocol.findings import MCPAppsError
from mcp_apps_plugin.protocol.links import link_of, rewrite_links
from mcp_apps_plugin.protocol.metadata import ResourceUi
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object
from mcp_apps_plugin.server.folders import function_key
from mcp_apps_plugin.server.tree import is_foreign, is_proxied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastmcp import FastMCP
    from fastmcp.resources import Resource, ResourceTemplate
    from fastmcp.tools import Tool

    Server = FastMCP[Any]

_AnyResource = TypeVar("_AnyResource", bound="Resource | ResourceTemplate")
_Component = TypeVar("_Component", bound=FastMCPComponent)
_PREFAB = f"{URI_SCHEME}prefab/"
_UNSET = "text/plain"  # FastMCP's default for a resource


class Emitted(dict[str, Any]):
    """A component's `meta` as this package wrote it.

    Attributes:
        original: The `meta` that was there before.
        mime_type: The MIME type that was there before; `None` where it was kept.
        settled: Where the link was last looked up, as `Addresses` knows it.
    """

    def __init__(self, meta: JsonObject, original: JsonObject | None, server: Server) -> None:
        super().__init__(meta)
        self.original = original
        self.mime_type: str | None = None
        self.settled: object = None
        self._servers = {id(server): weakref.ref(server)}

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the process as what it shows: servers do not."""
        return dict, (dict(self),)

    def __copy__(self) -> Emitted:
        return self._filled(Emitted.__new__(Emitted), dict(self), vars(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Emitted:
        memo[id(self)] = copied = Emitted.__new__(Emitted)
        return self._filled(copied, deepcopy(dict(self), memo), deepcopy(vars(self), memo))

    @staticmethod
    def _filled(copied: Emitted, meta: JsonObject, attributes: Mapping[str, Any]) -> Emitted:
        copied.update(meta)
        vars(copied).update(attributes)
        return copied

    def is_for(self, server: Server) -> bool:
        """Tell whether it is right for a server."""
        known = self._servers.get(id(server))
        return known is not None and known() is server

    def share(self, server: Server) -> None:
        """Note that it is right for one more server."""
        self._servers[id(server)] = weakref.ref(server)

    def is_used(self) -> bool:
        """Tell whether any server that it is right for is still there."""
        return any(known() is not None for known in self._servers.values())


def emit_tool(server: Server, tool: Tool, listed_as: Mapping[str, str]) -> Tool:
    """Write a tool's `_meta`, if it takes part in MCP Apps.

    Args:
        server: The server that lists the tool.
        tool: The tool.
        listed_as: The addresses of versioned pages, each with what it is listed as.

    Returns:
        The tool; a copy only where another server needs another `_meta` on the same object.
    """
    original = original_of(tool)
    declared = declaration_of(tool, server) is not None
    if not declared and (is_foreign(tool) or not takes_part(original)):
        if isinstance(tool.meta, Emitted):  # written for another server that shares the tool
            return tool.model_copy(update={"meta": original})
        return tool
    written = plugins().customize_tool(server, tool, dict(original or {}))
    if listed_as:
        written = rewrite_links(written, lambda uri: listed_as.get(uri, uri))
    return _written(server, tool, written, original)


def emit_page(server: Server, resource: _AnyResource) -> _AnyResource:
    """Write the MIME type and the complete `_meta.ui` of a `ui://` resource."""
    meta = resource.meta
    if isinstance(meta, Emitted) and meta.is_for(server):
        return resource
    if not keeps_mime_type(resource):
        return resource  # its author made it something else on purpose, and says all of it
    original = original_of(resource)
    written = {**(original or {}), UI_KEY: page_ui(server, resource)}
    page = _written(server, resource, written, original)
    if page.mime_type != MIME_TYPE and isinstance(page.meta, Emitted):
        page.meta.mime_type = page.mime_type
        vars(page)["mime_type"] = MIME_TYPE
    return page


def page_ui(server: Server, resource: Resource | ResourceTemplate) -> JsonObject:
    """Return the complete `_meta.ui` of a page on a server, as every list shows it."""
    meta = resource.meta
    if isinstance(meta, Emitted) and meta.is_for(server):
        return as_object(meta[UI_KEY]) or {}
    options = _options(resource)
    if options is None:
        return _written_ui(resource)  # a server that ran goes on running
    return plugins().customize_page(server, address_of(resource), options.to_wire())


def item_ui(server: Server, resource: Resource | ResourceTemplate, own: Any) -> Any:
    """Return the `_meta.ui` of a page as it is read.

    Args:
        server: The server that reads the page.
        resource: The page.
        own: What the handler put on the item itself; it goes before the page's, field by field.

    Returns:
        The complete object; what was written where it is no options of a page; of a back end's
        page what that one said, which may be `None`.
    """
    if is_proxied(resource):  # its list is passed on as it is, and both have to say the same
        return (resource.meta or {}).get(UI_KEY) if own is None else own
    if own is None or own == (resource.meta or {}).get(UI_KEY):  # as FastMCP's `TextResource` does
        return page_ui(server, resource)
    try:
        options = ResourceUi.coerce(own)
    except MCPAppsError:  # `mcp-apps check` names it
        return own  # a server that ran goes on running
    options = options.filled(_options(resource) or ResourceUi())
    return plugins().customize_page(server, address_of(resource), options.to_wire())


def _options(resource: Resource | ResourceTemplate) -> ResourceUi | None:
    """Return the options of a page; `None` where nobody declared it, and what is there is none."""
    declared = declared_page(resource)
    try:
        options = ResourceUi.coerce(_written_ui(resource))
    except MCPAppsError:  # the audit names it
        return None if declared is None else declared.ui
    return options if declared is None else declared.ui.filled(options)


def _written_ui(resource: Resource | ResourceTemplate) -> JsonObject:
    return as_object((original_of(resource) or {}).get(UI_KEY)) or {}


def declared_page(resource: FastMCPComponent) -> AppResource | None:
    """Return the `@app_resource` of a resource, if it has one."""
    declared: AppResource | None = vars(resource).get(PAGE_MARK)
    function = vars(resource).get("fn")
    if declared is not None or function is None:
        return declared
    return find_mark(function, PAGE_MARK, AppResource)


def source_of(page: AppResource) -> object:
    """Return what tells pages of one address apart: the file, or the function that makes it.

    It stays the same when the file that declares the page is read again.
    """
    if page.handler is None and page.file is not None:
        return page.file.identity
    return function_key(page.handler)


def original_of(component: FastMCPComponent) -> JsonObject | None:
    """Return the `meta` as its author wrote it.

    A tool made from another one has a copy of that one's `meta`, which may be ours already.
    """
    meta = component.meta
    if isinstance(meta, Emitted):
        return meta.original
    parent = vars(component).get("parent_tool")
    if not meta or parent is None:
        return meta
    inherited: JsonObject = parent.meta or {}
    written = original_of(parent) or {}
    ours = {key for key, value in meta.items() if key in inherited and inherited[key] == value}
    return {
        key: written[key] if key in ours else value
        for key, value in meta.items()
        if key not in ours or key in written
    }


def subject_of(resource: Resource | ResourceTemplate) -> str:
    """Name a page as an author would look for it: its address, and who makes it."""
    declared = declared_page(resource)
    function = vars(resource).get("fn")
    if declared is not None:
        maker = declared.subject
    else:
        maker = f"resource {resource.name!r}" if function is None else describe(function)
    return f"page {address_of(resource)} of {maker}"


def address_of(resource: Resource | ResourceTemplate) -> str:
    """Return the URI of a resource, or the pattern of a template."""
    fields = vars(resource)
    return str(fields["uri"] if "uri" in fields else fields["uri_template"])


def mime_type_of(resource: Resource | ResourceTemplate) -> str:
    """Return the MIME type that an author chose, or the one of a page where none did."""
    meta = resource.meta
    chosen = meta.mime_type if isinstance(meta, Emitted) else None
    return resource.mime_type if chosen is None or chosen == _UNSET else chosen


def is_page(resource: Resource | ResourceTemplate) -> bool:
    """Tell whether a resource is a page of ours to look after; Prefab's are left alone."""
    address = address_of(resource)
    return address.startswith(URI_SCHEME) and not is_prefab(address)


def keeps_mime_type(resource: Resource | ResourceTemplate) -> bool:
    """Tell whether the MIME type may be set: not where an author chose another on purpose."""
    if declared_page(resource) is not None or resource.mime_type == MIME_TYPE:
        return True
    # A function of a `ui://` address has FastMCP's default only where its author wrote it.
    chosen = "mime_type" in resource.model_fields_set
    return resource.mime_type == _UNSET and not chosen


def takes_part(meta: JsonObject | None) -> bool:
    """Tell whether a tool that nobody declared here takes part, by FastMCP's own `app=`."""
    if not meta or UI_KEY not in meta:
        return False
    return as_object(meta[UI_KEY]) is not None and not is_left_alone(meta)


def is_left_alone(meta: JsonObject) -> bool:
    """Tell whether a tool is Prefab's or a `FastMCPApp`'s, which FastMCP looks after itself."""
    app_name = (as_object(meta.get("fastmcp")) or {}).get("app")
    return app_name is not None or is_prefab(link_of(meta))


def is_prefab(link: str | None) -> bool:
    """Tell whether a link is the place that Prefab marks a tool with, for FastMCP to fill in."""
    return (link or "").startswith(_PREFAB)


def as_written(component: _Component) -> _Component:
    """Return a component with the `meta` and the MIME type that its author gave it."""
    if not isinstance(component.meta, Emitted):
        return component
    written = component.model_copy()
    take_back(written)
    return written


def take_back(component: FastMCPComponent) -> None:
    """Restore the `meta` and the MIME type that were there before this package wrote them."""
    meta = component.meta
    if isinstance(meta, Emitted):
        vars(component)["meta"] = meta.original
        if meta.mime_type is not None:
            vars(component)["mime_type"] = meta.mime_type
    vars(component).pop(ATTACHED_MARK, None)


def _written(
    server: Server, component: _Component, meta: JsonObject, original: JsonObject | None
) -> _Component:
    present = component.meta
    if isinstance(present, Emitted) and present.is_used():
        if present == meta:
            present.share(server)
            return component
        component = component.model_copy()
    vars(component)["meta"] = Emitted(meta, original, server)
    return component
