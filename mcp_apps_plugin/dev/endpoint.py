"""Where a server is reached, and the ways there: a client's, and the dev host's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

import httpx2
from fastmcp.client.transports import SSETransport, StreamableHttpTransport

from mcp_apps_plugin.dev.fresh import FRESH_PATH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

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


async def tell_changed(endpoint: Endpoint, files: Iterable[Path]) -> bool:
    """Tell a server's process which files of pages have changed.

    Args:
        endpoint: Where it is.
        files: The files.

    Returns:
        Whether it serves what they are now; otherwise it has to be started anew.
    """
    try:
        async with httpx2.AsyncClient(headers=dict(endpoint.headers), trust_env=False) as http:
            url = str(httpx2.URL(endpoint.url).copy_with(path=FRESH_PATH))
            answer = await http.post(url, json=[str(file) for file in files])
            return answer.status_code == HTTPStatus.OK and bool(answer.json()["fresh"])
    except (httpx2.HTTPError, ValueError):
        return False
