"""The path of a call: what a client asked for, and each call that was made for it since.

One is passed down to a mounted server, another one is made by a handler. A server that is mounted
twice is the same object both times; only the path tells through which of its mounts a call came.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from fastmcp.server.middleware import MiddlewareContext
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.server.elicitation.leg import Leg

    Server = FastMCP[Any]
    Path = tuple[MiddlewareContext[Any], ...]

calls_around: Final[ContextVar[tuple[Leg | None, Path]]] = ContextVar(
    "mcp_apps_path", default=(None, ())
)
"""The leg that this code runs in, and the path of the call that it runs for."""


def path_in(leg: Leg) -> Path:
    """Return the path of the call that this code runs for, outermost first.

    Args:
        leg: The leg that this code runs in.

    Returns:
        The path; empty until the leg's handler runs.
    """
    of, path = calls_around.get()
    if of is leg:
        return path
    # Those around are of another request, or there are none: this is what the client asked for.
    return () if leg.context is None else (leg.context,)


def server_of(context: MiddlewareContext[Any]) -> Server:
    """Return the server that a call was made of.

    Args:
        context: The call.
    """
    assert context.fastmcp_context is not None  # noqa: S101  it is a request's
    return context.fastmcp_context.fastmcp


async def component_of(context: MiddlewareContext[Any]) -> FastMCPComponent | None:
    """Look up what a call is for, as its server knows it.

    Args:
        context: The call.
    """
    server = server_of(context)
    message = context.message
    match context.method:
        case "tools/call":
            return await server.get_tool(message.name)
        case "prompts/get":
            return await server.get_prompt(message.name)
        case _:
            uri = str(message.uri)
            return await server.get_resource(uri) or await server.get_resource_template(uri)
