"""Where a server is reached, and the client's way there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx2
from fastmcp.client.transports import SSETransport, StreamableHttpTransport

from mcp_apps_plugin.dev.serving import ADDRESS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastmcp.client.transports import ClientTransport

_LOOPBACK: Final = frozenset({ADDRESS, "localhost", "::1"})
_PORTS: Final = {"http": 80, "https": 443}
_TIMEOUT: Final = httpx2.Timeout(30.0, read=300.0)  # the SDK's own


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server is reached.

    Attributes:
        url: Its MCP endpoint.
        headers: What a request to it has to carry. They are secrets: neither shown nor logged.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def transport(self, on_status: Callable[[int], None] | None = None) -> ClientTransport:
        """Make the transport of a client.

        Args:
            on_status: Told the status of each response: the client's errors leave it out.
        """
        headers = dict(self.headers)
        make: Any = _Clients(self, on_status)
        if self.url.rstrip("/").endswith("/sse"):
            return SSETransport(self.url, headers=headers, httpx_client_factory=make)
        transport = StreamableHttpTransport(self.url, headers=headers, httpx_client_factory=make)
        if hasattr(transport, "max_sse_event_size"):
            transport.max_sse_event_size = None  # a page may be larger than a message should
        return transport

    async def wait_reachable(self, seconds: float = 1.0) -> None:
        """Wait until something listens there, looking every so many seconds."""
        parts = urlsplit(self.url)
        port = parts.port or _PORTS[parts.scheme]
        while True:
            try:
                _, writer = await asyncio.open_connection(parts.hostname, port)
            except OSError:
                await asyncio.sleep(seconds)
            else:
                writer.close()
                return


class _Clients:
    def __init__(self, endpoint: Endpoint, on_status: Callable[[int], None] | None) -> None:
        self._url = httpx2.URL(endpoint.url)
        self._secrets = tuple(endpoint.headers)
        self._on_status = on_status

    def __call__(self, **options: Any) -> httpx2.AsyncClient:
        options["timeout"] = options.get("timeout") or _TIMEOUT
        options.setdefault("follow_redirects", True)
        return httpx2.AsyncClient(
            **options,
            # A proxy that the environment names is not the way to one's own machine.
            trust_env=self._url.host not in _LOOPBACK,
            event_hooks={"request": [self._asked], "response": [self._answered]},
        )

    async def _asked(self, request: httpx2.Request) -> None:
        there, here = request.url, self._url
        if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
            for name in self._secrets:  # a redirection to somebody else
                request.headers.pop(name, None)

    async def _answered(self, response: httpx2.Response) -> None:
        if self._on_status is not None:
            self._on_status(response.status_code)
