"""`mcp-apps run`: an unedited server, with this package active."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter, validators

from mcp_apps_plugin.cli.load import LoadError, ServerSpec, load_server

Transport = Literal["stdio", "http", "sse", "streamable-http"]


def run(
    server: ServerSpec,
    *,
    transport: Annotated[Transport, Parameter(help="How clients reach it.")] = "stdio",
    host: Annotated[
        str | None, Parameter(help="The address to listen on. Default: FastMCP's, 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None,
        Parameter(
            help="The port to listen on. Default: FastMCP's, 8000.",
            validator=validators.Number(gte=0, lte=65535),
        ),
    ] = None,
) -> None:
    """Run a server with its pages, without a line changed in it.

    As importing the package is what makes it active, a server that imports it needs no such
    command.
    """
    options: dict[str, Any] = {"host": host, "port": port}
    given = {name: value for name, value in options.items() if value is not None}
    if given and transport == "stdio":
        names = " and ".join(f"--{name}" for name in given)
        message = f"{names}: only for a transport over the network: add `--transport http`."
        raise LoadError(message)
    load_server(server).run(transport=transport, **given)
