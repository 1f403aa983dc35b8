"""Putting the page of a question back where the SDK took it out.

The 2026-07-28 model of an embedded question has no `_meta`, so the SDK drops it when it shapes a
result for the wire. Whatever reaches this place without having passed the gates is taken out too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.elicitation import METHOD
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping


def with_hints(result: Any, hints: Mapping[str, JsonObject]) -> Any:
    """Name the pages of the questions in a result.

    Args:
        result: The result as it goes out.
        hints: The `_meta` of each question that may name one, by key.
    """
    keys: object = result
    if not isinstance(keys, dict) or "inputRequests" not in keys:
        return result  # as almost always
    answer: JsonObject = result
    requests = as_object(answer["inputRequests"])
    if not requests:
        return result
    return {
        **answer,
        "inputRequests": {
            key: _with_hint(request, hints.get(key)) for key, request in requests.items()
        },
    }


def _with_hint(request: Any, meta: JsonObject | None) -> Any:
    asked = as_object(request)
    params = as_object((asked or {}).get("params"))
    if asked is None or params is None or asked.get("method") != METHOD:
        return request
    kept = {k: v for k, v in (as_object(params.get("_meta")) or {}).items() if k != UI_KEY}
    bare = {key: value for key, value in params.items() if key != "_meta"}
    merged = {**kept, **(meta or {})}
    return {**asked, "params": {**bare, "_meta": merged} if merged else bare}
