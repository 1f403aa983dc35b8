"""The `io.modelcontextprotocol/ui` entry in both sides' `capabilities.extensions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.protocol.constants import EXTENSION_ID, MIME_TYPE
from mcp_apps_plugin.protocol.shapes import JsonObject, as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping


def ui_settings(extensions: object) -> JsonObject | None:
    """Read the Apps settings from an `extensions` object.

    Args:
        extensions: `capabilities.extensions` of a client or a server, as it came.

    Returns:
        The settings, or `None` when absent or no object.
    """
    return as_object((as_object(extensions) or {}).get(EXTENSION_ID))


def renders_pages(settings: Mapping[str, Any] | None) -> bool:
    """Tell whether Apps settings name the page MIME type exactly.

    The specification requires `mimeTypes`; settings without it do not count as support.
    """
    return MIME_TYPE in (as_list((settings or {}).get("mimeTypes")) or ())


def merge_settings(base: Mapping[str, Any], update: Mapping[str, Any]) -> JsonObject:
    """Merge two settings objects: objects deeply, lists as a union, else the later wins.

    Nothing is lost: merging keeps every key of both sides. It is associative, and merging the
    same settings again changes nothing.
    """
    merged = dict(base)
    for key, value in update.items():
        present = merged.get(key)
        objects = as_object(present), as_object(value)
        lists = as_list(present), as_list(value)
        if objects[0] is not None and objects[1] is not None:
            merged[key] = merge_settings(objects[0], objects[1])
        elif lists[0] is not None and lists[1] is not None:
            merged[key] = [*lists[0], *(item for item in lists[1] if item not in lists[0])]
        else:
            merged[key] = value
    return merged
