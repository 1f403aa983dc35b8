"""Pages with this package's page library: they use what it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.view import PAGE_PROBLEM_CODES
from mcp_apps_plugin.view.library_values import Code
from mcp_apps_plugin.view.misuse import misuses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.checks.surface import Surface
    from mcp_apps_plugin.protocol.findings import Finding


def _names(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        source = page.source
        if source is None or not source.uses_library:
            continue
        scripts = source.own_scripts
        codes = [Code(script.code, is_module=script.is_module) for script in scripts]
        for each in misuses(codes, source.html, loads_elsewhere=source.loads_elsewhere):
            kind = PAGE_PROBLEM_CODES[each.code]
            yield found(
                CheckCode(each.code),
                page.subject,
                f"at line {scripts[each.script].line_of(each.node)}: {each.what}",
                kind.consequence,
                kind.remedy,
                severity="warning",
            )


RULES: Final = (_names,)
