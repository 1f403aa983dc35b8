"""Telling a server's process which files of its pages have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2

from mcp_apps_plugin.dev.order import FRESH_PATH, Concern

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mcp_apps_plugin.dev.endpoint import Endpoint


async def tell_changed(endpoint: Endpoint, files: Iterable[Path]) -> Concern:
    """Tell a server's process which files have changed.

    Args:
        endpoint: Where it is.
        files: The files.

    Returns:
        What that is to it.
    """
    try:
        async with httpx2.AsyncClient(headers=dict(endpoint.headers), trust_env=False) as http:
            url = str(httpx2.URL(endpoint.url).copy_with(path=FRESH_PATH))
            answer = await http.post(url, json=[str(file) for file in files])
            answer.raise_for_status()
            concern: Concern = answer.json()["concern"]
            return concern
    except (httpx2.HTTPError, ValueError):
        return "server"
