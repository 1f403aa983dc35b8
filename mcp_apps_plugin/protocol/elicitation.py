"""App-rendered elicitation on the wire (SEP-3118, a draft): every name of it stands here.

A server asks with an ordinary form and adds a hint, `_meta.ui.resourceUri`: a page of its own
that may render the question. The hint is left out unless both sides declared that they know it,
so a client that does not sees the form it always saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcp_apps_plugin.protocol.capabilities import renders_pages
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

METHOD: Final = "elicitation/create"
"""The request: from server to client, embedded in a result, and from host to page."""

SETTING: Final = "elicitation"
"""The key in the Apps settings of both sides, and in the capabilities of host and page."""

LINK_KEY: Final = "resourceUri"
"""The key in `_meta.ui` that names the page."""

DECLARED: Final[JsonObject] = {SETTING: {}}
"""What a server that may hint adds to its Apps settings."""


def asks_by_form(capabilities: Mapping[str, Any] | None) -> bool:
    """Tell whether a client's capabilities include form elicitation.

    An empty `elicitation` means forms, as it did before there were modes; `url` alone does not.

    Args:
        capabilities: The client's capabilities, as they are on the wire.
    """
    declared = as_object((capabilities or {}).get("elicitation"))
    return declared is not None and ("form" in declared or "url" not in declared)


def declares(settings: Mapping[str, Any] | None) -> bool:
    """Tell whether one side's Apps settings include app-rendered elicitation."""
    return as_object((settings or {}).get(SETTING)) is not None


def negotiated(
    capabilities: Mapping[str, Any] | None,
    client: Mapping[str, Any] | None,
    server: Mapping[str, Any] | None,
) -> bool:
    """Tell whether a hint may be sent: all four gates, of which none implies another.

    Args:
        capabilities: The client's capabilities for this request.
        client: The client's Apps settings.
        server: The server's Apps settings.
    """
    return (
        asks_by_form(capabilities)
        and renders_pages(client)
        and declares(client)
        and declares(server)
    )


def hint(uri: str) -> JsonObject:
    """Return the `_meta` that names the page of a question."""
    return {UI_KEY: {LINK_KEY: uri}}


def has_hint(meta: Mapping[str, Any] | None) -> bool:
    """Tell whether a question's `_meta` names a page at all, well or badly."""
    return LINK_KEY in (as_object((meta or {}).get(UI_KEY)) or {})


def hinted_page(meta: Mapping[str, Any] | None) -> str | None:
    """Read the page that a question's `_meta` names, or `None`."""
    uri = (as_object((meta or {}).get(UI_KEY)) or {}).get(LINK_KEY)
    return uri if isinstance(uri, str) else None
