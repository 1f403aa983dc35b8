"""This package's own behaviour, through the same hooks as anyone's, and first in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.plugins.builtin import (
    capability,
    defaults,
    dialects,
    link_rules,
    links,
    page_rules,
    text_rules,
    tool_rules,
)

if TYPE_CHECKING:
    from types import ModuleType

BUILTIN: dict[str, ModuleType] = {
    "capability": capability,
    "links": links,
    "dialects": dialects,
    "defaults": defaults,
    "link-rules": link_rules,
    "page-rules": page_rules,
    "tool-rules": tool_rules,
    "text-rules": text_rules,
}
