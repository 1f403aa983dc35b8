"""Walking a server's providers: what stands in this process, and what is behind a connection."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fastmcp.server.providers import FastMCPProvider, LocalProvider, Provider
from fastmcp.server.providers.aggregate import AggregateProvider
from fastmcp.server.providers.fastmcp_provider import (
    FastMCPProviderPrompt,
    FastMCPProviderResource,
    FastMCPProviderResourceTemplate,
    FastMCPProviderTool,
)
from fastmcp.server.transforms import Namespace
from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.marks import marks_set
from mcp_apps_plugin.server.private import WrappedProvider
from mcp_apps_plugin.server.trail import written_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP
    from fastmcp.server.transforms import Transform
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.server.trail import Trail

    Server = FastMCP[Any]

_MOUNTED = (
    FastMCPProviderTool,
    FastMCPProviderPrompt,
    FastMCPProviderResource,
    FastMCPProviderResourceTemplate,
)
_PROXY_MODULE = "fastmcp.server.providers.proxy"
_PROXIED = ("ProxyTool", "ProxyPrompt", "ProxyResource", "ProxyTemplate")


def base_of(provider: Provider) -> Provider:
    """Return the provider under the transforms that a namespace wraps around it."""
    return layers_of(provider)[0]


def layers_of(provider: Provider) -> list[Provider]:
    """Return a provider with what it wraps, innermost first: the order transforms apply in."""
    layers = [provider]
    while isinstance(provider, WrappedProvider):
        provider = provider._inner  # noqa: SLF001  FastMCP has no reader for it
        layers.append(provider)
    return layers[::-1]


def proxies_exist() -> bool:
    """Tell whether this process can have proxies at all: FastMCP's module for them is heavy."""
    return _PROXY_MODULE in sys.modules


def is_remote(provider: Provider) -> bool:
    """Tell whether asking a provider reaches over a connection."""
    return _is_proxy(base_of(provider), "ProxyProvider")


def root_of(component: FastMCPComponent) -> FastMCPComponent:
    """Return the component that others were transformed from."""
    while (parent := vars(component).get("parent_tool")) is not None:
        component = parent
    return component


def mount_of(component: FastMCPComponent) -> Server | None:
    """Return the mounted server that a component comes from, or `None`."""
    root = root_of(component)
    return root._server if isinstance(root, _MOUNTED) else None  # noqa: SLF001  no reader


def name_below(component: FastMCPComponent) -> str:
    """Return the name or the address by which the mounted server knows a component."""
    kept: dict[str, Any] = root_of(component).__pydantic_private__ or {}
    return str(kept.get("_original_name") or kept["_original_uri"])


def written_below(tool: Tool) -> Tool:
    """Return the tool that stands behind a mounted one, however deep; the same for any other.

    A background task's result is made without the mounted server that ran it.
    """
    server = mount_of(tool)
    found = None if server is None else _registered(server, name_below(tool))
    return tool if found is None else found


def _registered(server: Server, name: str) -> Tool | None:
    """Find a registered tool by the name that its server lists it under."""
    inner = written_name(name, namespaces_of(server))
    for provider in server.providers if inner is not None else ():
        below = None if inner is None else written_name(inner, namespaces_of(provider))
        base = base_of(provider)
        found: Tool | None = None
        if below is not None and isinstance(base, FastMCPProvider):
            found = _registered(base.server, below)
        elif below is not None and isinstance(base, LocalProvider):
            tools = (c for c in base._components.values() if isinstance(c, Tool))  # noqa: SLF001
            found = next((tool for tool in tools if tool.name == below), None)
        if found is not None:
            return found
    return None


def is_proxied(component: FastMCPComponent) -> bool:
    """Tell whether a component comes from a back end, directly or on a mounted server."""
    return _is_proxy(root_of(component), *_PROXIED)


def is_foreign(component: FastMCPComponent) -> bool:
    """Tell whether another endpoint completed this component: a mounted server or a back end."""
    return mount_of(component) is not None or is_proxied(component)


def mounted(server: Server) -> Iterator[tuple[Provider, Server]]:
    """Yield the servers mounted on one, with the provider through which they are seen."""
    for provider in server.providers:
        base = base_of(provider)
        if isinstance(base, FastMCPProvider):
            yield provider, base.server


def transforms_of(server: Server) -> Iterator[Transform]:
    """Yield every transform of a server, of its providers, and of the servers mounted on it."""
    pending: list[Provider] = [server]
    while pending:
        layers = layers_of(pending.pop())
        for layer in layers:
            yield from layer.transforms
        if isinstance(layers[0], FastMCPProvider):
            pending.append(layers[0].server)
        elif isinstance(layers[0], AggregateProvider):  # a server is one
            pending += layers[0].providers


def namespaces_of(provider: Provider) -> Trail:
    """Return the namespaces that a provider's components pass, innermost first."""
    return tuple(
        transform
        for layer in layers_of(provider)
        for transform in layer.transforms
        if isinstance(transform, Namespace)
    )


def local_components(server: Server, *, renamed: bool = True) -> Iterator[FastMCPComponent]:
    """Yield every component registered in-process on this server, hidden ones too.

    Args:
        server: The server.
        renamed: Whether to yield those of providers with a namespace.
    """
    pending: list[Provider] = list(server.providers)
    while pending:
        provider = pending.pop(0)
        if not renamed and namespaces_of(provider):
            continue
        base = base_of(provider)
        if isinstance(base, LocalProvider):
            yield from list(base._components.values())  # noqa: SLF001  without copies and filters
        elif isinstance(base, AggregateProvider):
            pending += base.providers


def state_of(server: Server) -> int:
    """Return a value that changes when something is declared, added, removed or exchanged."""
    state = [marks_set()]
    pending: list[Provider] = [server]
    while pending:
        provider = pending.pop()
        # Through FastMCP's private parts: its readers copy, and every list comes through here.
        while isinstance(provider, WrappedProvider):
            state.append(id(provider))
            state += map(id, provider._transforms)  # noqa: SLF001
            provider = provider._inner  # noqa: SLF001
        state.append(id(provider))
        state += map(id, provider._transforms)  # noqa: SLF001
        if isinstance(provider, LocalProvider):
            components = provider._components  # noqa: SLF001
            state.append(hash(tuple(components)))
            state += map(id, components.values())
        elif isinstance(provider, FastMCPProvider):
            pending.append(provider.server)
        elif isinstance(provider, AggregateProvider):  # a server is one
            pending += provider.providers
            state += map(id, getattr(provider, "middleware", ()))
    return hash(tuple(state))


def _is_proxy(value: object, *names: str) -> bool:
    module = sys.modules.get(_PROXY_MODULE)
    return module is not None and isinstance(value, tuple(getattr(module, n) for n in names))
