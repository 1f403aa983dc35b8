"""Telling a server's process which files of its pages have changed."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

import httpx2

from mcp_apps_plugin.dev.order import FRESH_PATH

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mcp_apps_plugin.dev.endpoint import Endpoint


async def tell_changed(endpoint: Endpoint, files: Iterable[Path]) -> bool:
    """Tell a server's process which files have changed.

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
