"""The one map of this package: from an address as written to the address as seen.

A component that passes a `Namespace` is renamed by it. The namespaces it passed, innermost
first, are its *trail*; FastMCP's own mapping, applied along the trail, turns what was written
below into what is seen above. Whoever needs a name or an address asks this map; two things it does
not know: a back end's own mounts, which `far_names` reads off its lists, and the hash that
`versions` puts behind an address at the very end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from fastmcp.server.transforms import Namespace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fastmcp.tools import Tool
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.protocol.shapes import JsonObject

Trail: TypeAlias = tuple[Namespace, ...]

TRAIL = "_mcp_apps_trail"
"""The attribute that keeps a component's trail; it never leaves the process."""


def trail_of(component: FastMCPComponent) -> Trail:
    """Return the namespaces a component passed on its way to where it was listed."""
    current: FastMCPComponent | None = component
    while current is not None:
        trail: Trail | None = vars(current).get(TRAIL)
        if trail is not None:
            return trail
        current = vars(current).get("parent_tool")
    return ()


def passed_namespace(component: FastMCPComponent) -> bool:
    """Tell whether a component is a copy that a namespace made, for one list or look-up."""
    return TRAIL in vars(component)


def with_meta(tool: Tool, meta: JsonObject) -> Tool:
    """Return a tool with another `_meta`: a copy, unless it is one made for this very list."""
    if not passed_namespace(tool):
        tool = tool.model_copy()
    vars(tool)["meta"] = meta
    return tool


def has_trail(component: FastMCPComponent) -> bool:
    """Tell whether a component may have a trail; cheaper than asking which."""
    return TRAIL in vars(component) or "parent_tool" in vars(component)


def leave_trail(component: FastMCPComponent, namespace: Namespace) -> None:
    """Note that a component passed a namespace. It is always a copy, made by that namespace."""
    vars(component)[TRAIL] = (*trail_of(component), namespace)


def seen_uri(uri: str, trail: Trail) -> str:
    """Return the address that a URI has at the end of a trail."""
    for namespace in trail:
        uri = namespace._transform_uri(uri)  # noqa: SLF001  the mapping that FastMCP lists by
    return uri


def seen_name(name: str, trail: Trail) -> str:
    """Return the name that a tool has at the end of a trail."""
    for namespace in trail:
        name = namespace._transform_name(name)  # noqa: SLF001  the mapping that FastMCP lists by
    return name


def written_name(name: str, trail: Trail) -> str | None:
    """Return the name a tool had before its trail, or `None` when it was renamed on the way."""
    for namespace in reversed(trail):
        shorter = namespace._reverse_name(name)  # noqa: SLF001  the mapping that FastMCP calls by
        if shorter is None:
            return None
        name = shorter
    return name


def written_uri(uri: str, trail: Trail) -> str | None:
    """Return the address a URI had before its trail, or `None` when it did not pass it."""
    for namespace in reversed(trail):
        shorter = namespace._reverse_uri(uri)  # noqa: SLF001  the mapping that FastMCP reads by
        if shorter is None:
            return None
        uri = shorter
    return uri


def candidates(uri: str, trail: Trail) -> Iterator[str]:
    """Yield what a link may have become, from the whole trail to none of it.

    A page that stands beside its tool passed the same namespaces; one that stands further out
    passed only the outer ones; one of the server at the end passed none.
    """
    for start in range(len(trail) + 1):
        yield seen_uri(uri, trail[start:])


def listing(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a `Namespace` method that lists components."""

    async def listed(self: Namespace, components: Any) -> Any:
        result = await original(self, components)
        alone = (self,)
        for component in result:
            if has_trail(component):
                leave_trail(component, self)
            else:
                vars(component)[TRAIL] = alone
        return result

    return listed


def lookup(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a `Namespace` method that looks one component up."""

    async def found(self: Namespace, key: str, call_next: Any, **options: Any) -> Any:
        component = await original(self, key, call_next, **options)
        if component is not None:
            leave_trail(component, self)
        return component

    return found
