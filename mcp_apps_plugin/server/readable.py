"""Whether a page can be read on a server: by this caller, by everyone, or whether it stands at all.

Lists of tools and reads of pages ask the same questions, so that a link is never a dead end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.context import Context
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.server.providers import FastMCPProvider, LocalProvider, Provider
from fastmcp.server.providers.aggregate import AggregateProvider
from fastmcp.server.transforms import Namespace, Transform
from fastmcp.server.transforms.version_filter import VersionFilter
from mcp_types import ReadResourceRequestParams

from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.emission import declared_page
from mcp_apps_plugin.server.inherited_auth import may_read
from mcp_apps_plugin.server.pages import PageProvider
from mcp_apps_plugin.server.trail import written_uri
from mcp_apps_plugin.server.tree import (
    base_of,
    is_remote,
    layers_of,
    local_components,
    mount_of,
    mounted,
    name_below,
    namespaces_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP

    Server = FastMCP[Any]
    Page = Resource | ResourceTemplate

_KNOWN = (LocalProvider, PageProvider, FastMCPProvider, AggregateProvider)


async def page_for_caller(server: Server, uri: str) -> Page | None:
    """Look a page up as a read of this caller would, on the mounted server that has it, too."""
    try:
        async with Context(fastmcp=server) as context:
            await _ask_middleware(server, uri, context)
            page = await server.get_resource(uri) or await server.get_resource_template(uri)
            if page is None:
                return None
            declared = declared_page(page)
            if declared is not None and not await may_read(server, declared):
                return None
    except Exception:  # noqa: BLE001  whatever a guard raises, the caller cannot read the page
        return None
    below = mount_of(page)
    if below is not None and isinstance(page, Resource):
        return None if await page_for_caller(below, name_below(page)) is None else page
    return page


def is_open(server: Server) -> bool:
    """Tell whether every page of a server is there for everyone, and for as long as its parts."""
    if _guards(server):
        return False
    for provider in server.providers:
        if isinstance(provider, PageProvider) and provider.guarded():
            return False
    layers = [server, *(layer for p in server.providers for layer in layers_of(p))]
    if any(_may_hide(transform) for layer in layers for transform in layer.transforms):
        return False
    return not any(_is_dynamic(p) for p in _all_providers(server))


def may_answer_reads(server: Server) -> bool:
    """Tell whether an author's middleware may serve pages that nothing lists."""
    return any(
        type(each).on_read_resource is not Middleware.on_read_resource
        and not type(each).__module__.startswith("fastmcp.")
        for each in server.middleware
    )


def stands(server: Server, uri: str) -> bool:
    """Tell whether a page is registered in this process, whoever may read it."""
    written = written_uri(uri, namespaces_of(server))
    if written is None:
        return False
    if stands_locally(server, written):
        return True
    for provider, below in mounted(server):
        inner = written_uri(written, namespaces_of(provider))
        if inner is not None and stands(below, inner):
            return True
    return False


def stands_locally(server: Server, uri: str) -> bool:
    """Tell whether a server itself has a page under an address as it was written."""
    uri = unversioned(uri)
    for component in local_components(server):
        if isinstance(component, Resource) and str(component.uri) == uri:
            return True
        if isinstance(component, ResourceTemplate) and component.matches(uri) is not None:
            return True
    return any(isinstance(p, PageProvider) and uri in p.pages() for p in server.providers)


def sources(server: Server) -> list[Provider]:
    """List what serves pages beside the server's own: mounts, proxies, an author's providers."""
    own = (LocalProvider, PageProvider)
    return [provider for provider in server.providers if not isinstance(base_of(provider), own)]


async def _ask_middleware(server: Server, uri: str, context: Context) -> None:
    request = MiddlewareContext(
        message=ReadResourceRequestParams(uri=uri),
        method="resources/read",
        fastmcp_context=context,
    )
    for middleware in _guards(server):
        await middleware.check_resource_access(request)


def _guards(server: Server) -> list[Any]:
    plain = getattr(Middleware, "check_resource_access", None)
    return [
        each
        for each in server.middleware
        if getattr(type(each), "check_resource_access", plain) is not plain
    ]


def _may_hide(transform: Transform) -> bool:
    if isinstance(transform, Namespace | VersionFilter):
        return False
    kind = type(transform)
    return (
        kind.get_resource is not Transform.get_resource
        or kind.get_resource_template is not Transform.get_resource_template
    )


def _is_dynamic(provider: Provider) -> bool:
    """Tell whether an author's provider has pages that may come and go unnoticed."""
    base = base_of(provider)
    if isinstance(base, _KNOWN) or is_remote(provider):
        return False
    plain = ("get_resource", "_get_resource", "get_resource_template", "_get_resource_template")
    return any(getattr(type(base), name) is not getattr(Provider, name) for name in plain)


def _all_providers(server: Server) -> Iterator[Provider]:
    pending: list[Provider] = [*server.providers]
    while pending:
        provider = pending.pop()
        yield provider
        base = base_of(provider)
        if isinstance(base, FastMCPProvider):
            pending += base.server.providers
        elif isinstance(base, AggregateProvider):
            pending += base.providers
