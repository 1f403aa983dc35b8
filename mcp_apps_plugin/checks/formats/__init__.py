"""Reports for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from mcp_apps_plugin.checks.formats.junit import junit
from mcp_apps_plugin.checks.formats.plain import json_text, text
from mcp_apps_plugin.checks.formats.sarif import sarif

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_apps_plugin.checks.report import CheckReport

Format = Literal["text", "json", "sarif", "junit"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

WRITERS: Final[dict[Format, Callable[[CheckReport], str]]] = {
    "text": text,
    "json": json_text,
    "sarif": sarif,
    "junit": junit,
}
"""What writes each format."""
