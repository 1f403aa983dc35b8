"""Where a server is reached, and the client's way there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastmcp.client.transports import SSETransport, StreamableHttpTransport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastmcp.client.transports import ClientTransport


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server is reached.

    Attributes:
        url: Its MCP endpoint.
        headers: What a request to it has to carry. They are secrets: neither shown nor logged.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def transport(self) -> ClientTransport:
        """Make the transport of a client."""
        headers = dict(self.headers)
        if self.url.rstrip("/").endswith("/sse"):
            return SSETransport(self.url, headers=headers)
        transport = StreamableHttpTransport(self.url, headers=headers)
        if hasattr(transport, "max_sse_event_size"):
            transport.max_sse_event_size = None  # a page may be larger than a message should
        return transport
