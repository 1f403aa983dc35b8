"""Connected clients of one kind, in memory or over HTTP."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from mcp_apps_plugin.checks.connect import apps_client
from mcp_apps_plugin.testing.answers import as_answer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult

    from mcp_apps_plugin.checks.snapshot import Apps, Era
    from mcp_apps_plugin.host.elicitation import ElicitationHandler


@asynccontextmanager
async def open_client(
    server: Any,
    *,
    era: Era = "modern",
    apps: Apps | bool = "apps",
    elicitation: ElicitationHandler | Callable[[Any], Any] | Mapping[str, Any] | None = None,
    http: bool = False,
    stateless: bool = False,
    **options: Any,
) -> AsyncGenerator[Client[Any]]:
    """Connect a real FastMCP client of one kind.

    Args:
        server: A FastMCP server, or anything else that `fastmcp.Client` takes.
        era: The protocol era: `"modern"` (2026-07-28) or `"legacy"`.
        apps: What the client declares for MCP Apps: `"apps"`, or `True`; `"none"`, or `False`;
            or `"wrong-mime"`.
        elicitation: Answers the server's questions: FastMCP's own kind of handler, the content
            that accepts every form, or a whole result. Without it the client declares no
            elicitation. Content that does not fit a form ends the call (`elicit-answer`).
        http: Whether to speak HTTP, through the server's own application but without a socket.
        stateless: With `http`: whether the application keeps no sessions.
        options: Further options of `fastmcp.Client`.

    Yields:
        The client, connected. A server whose audit has errors raises them here.
    """
    declared: Apps = apps if isinstance(apps, str) else "apps" if apps else "none"
    async with AsyncExitStack() as stack:
        if http:
            # FastMCP's own test tools are imported by who uses them.
            from fastmcp.utilities.tests import asgi_server  # noqa: PLC0415

            served = await stack.enter_async_context(asgi_server(server, stateless_http=stateless))
            server = served.transport()
        client = apps_client(
            server, era=era, apps=declared, elicitation=elicitation_handler(elicitation), **options
        )
        yield await stack.enter_async_context(client)


def elicitation_handler(given: Any) -> ElicitationHandler | None:
    """Return a handler as it is, and for content one that accepts every form with it."""
    if given is None or callable(given):
        handler: ElicitationHandler | None = cast("Any", given)
        return handler

    async def accept(message: str, kind: Any, params: Any, context: Any) -> ElicitResult[Any]:
        del kind, context
        form = getattr(params, "requested_schema", None)  # a question by URL has none
        return as_answer(given, message, form, "elicitation=")

    return accept


@dataclass(frozen=True, slots=True)
class ClientKind:
    """One kind of client.

    Attributes:
        era: The protocol era.
        apps: What it declares for MCP Apps.
    """

    era: Era
    apps: Apps

    @property
    def sees_pages(self) -> bool:
        """Whether it declares that its user sees pages."""
        return self.apps == "apps"

    def __call__(self, server: Any, **options: Any) -> AbstractAsyncContextManager[Client[Any]]:
        """Connect one; see `open_client` for the options."""
        return open_client(server, era=self.era, apps=self.apps, **options)
