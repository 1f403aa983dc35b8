"""The pages of questions that came in a result: from behind a proxy, or written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_types import ElicitRequest

from mcp_apps_plugin.protocol.elicitation import hinted_page
from mcp_apps_plugin.protocol.links import uri_problem
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.elicitation.addressing import seen_uri_from_elsewhere
from mcp_apps_plugin.server.elicitation.declared import may_hint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_types import InputRequest

    from mcp_apps_plugin.server.elicitation.leg import Leg
    from mcp_apps_plugin.server.elicitation.path import Path


async def pages_of_result(
    leg: Leg, path: Path, requests: Mapping[str, InputRequest]
) -> dict[str, str]:
    """Return the pages that the client may be told, as it knows them.

    The server that it talks to answers for them: this client's gates count, and that server's
    addresses.

    Args:
        leg: The leg of the request.
        path: The path of the call that was answered with questions.
        requests: The questions, by key.
    """
    hinted = {
        key: uri
        for key, request in requests.items()
        if isinstance(request, ElicitRequest)
        and request.params.mode == "form"
        and (uri := hinted_page(request.params.meta)) is not None
        and uri_problem(unversioned(uri)) is None
    }
    ctx = path[0].fastmcp_context
    if not hinted or ctx is None or not may_hint(ctx, leg.server):
        return {}
    seen = {key: await seen_uri_from_elsewhere(uri, path) for key, uri in hinted.items()}
    return {key: uri for key, uri in seen.items() if uri is not None}
