"""Dialects: what some hosts read beside the specification; one that follows it needs none."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, Literal, get_args

from mcp_apps_plugin.protocol.constants import FLAT_LINK_KEY, OPENAI_LINK_KEY
from mcp_apps_plugin.protocol.links import link_of, visibility_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from mcp_apps_plugin.protocol.shapes import JsonObject

Dialect = Literal["flat", "openai"]
DIALECTS: Final[tuple[Dialect, ...]] = get_args(Dialect)
"""`flat` is the specification's own former spelling, `openai` is that of ChatGPT's Apps SDK."""

_CLAUDE_SUFFIX: Final = ".claudemcpcontent.com"
_CLAUDE_DIGITS: Final = 32


def in_dialects(meta: Mapping[str, Any], dialects: Iterable[str]) -> JsonObject:
    """Return a tool's `_meta` with the keys of dialects beside the standard ones.

    Keys that an author wrote stay as they are. Every link among them follows mounts and proxies,
    as the standard one does.

    Args:
        meta: The `_meta`, with its standard `ui`.
        dialects: Names from `DIALECTS`.
    """
    link = link_of(meta)
    audience = visibility_of(meta)
    added: JsonObject = {}
    if "flat" in dialects and link is not None:
        added[FLAT_LINK_KEY] = link
    if "openai" in dialects:
        if link is not None:
            added[OPENAI_LINK_KEY] = link
        if "app" in audience:
            added["openai/widgetAccessible"] = True
        if "model" not in audience:
            added["openai/visibility"] = "private"
    return {**added, **meta}


def claude_domain(url: str) -> str:
    """Return the sandbox domain that Claude gives the pages of a server.

    Declare it as a page's `domain=` only where a stable origin is needed, such as an allow-list
    on an API: with a wrong one Claude shows no page at all.

    Args:
        url: The exact URL under which the server is connected, for example
            `https://mcp.example.com/mcp`; another path or slash is another domain.
    """
    return hashlib.sha256(url.encode()).hexdigest()[:_CLAUDE_DIGITS] + _CLAUDE_SUFFIX
