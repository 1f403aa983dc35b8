"""What a client says about itself so that servers know its user sees pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.client.extension import advertise

from mcp_apps_plugin.protocol.constants import EXTENSION_ID, MIME_TYPE
from mcp_apps_plugin.protocol.elicitation import DECLARED

if TYPE_CHECKING:
    from mcp.client.extension import ClientExtension


def apps_client_extension(*, elicitation: bool = False) -> ClientExtension:
    """Declare MCP Apps for `fastmcp.Client(extensions=[...])`, in both protocol eras.

    Args:
        elicitation: Whether pages may render elicitations (draft convention). Set it only
            together with `elicitation_handler=apps_elicitation_handler(...)`: a server takes it
            as a promise.

    Returns:
        The extension: `{"mimeTypes": ["text/html;profile=mcp-app"]}` and nothing not wired.
    """
    settings: dict[str, Any] = {"mimeTypes": [MIME_TYPE]}
    if elicitation:
        settings |= DECLARED
    return advertise(EXTENSION_ID, settings)
