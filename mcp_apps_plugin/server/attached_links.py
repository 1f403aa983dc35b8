"""`attach_ui`: pages for tools that nobody decorated."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.declarations.link import UiDeclaration, declaration_of
from mcp_apps_plugin.declarations.marks import ATTACHED_MARK, declared_more
from mcp_apps_plugin.declarations.page import AppResource, check_uri, page_of
from mcp_apps_plugin.protocol.authored import calling_place
from mcp_apps_plugin.protocol.findings import AppsTypeError, Code, Finding
from mcp_apps_plugin.protocol.links import BOTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp import FastMCP
    from fastmcp.tools import Tool

    Server = FastMCP[Any]

_GLOB = frozenset("*?[")


class AttachedLinks:
    """The patterns that `attach_ui` was given for one server, in order."""

    def __init__(self) -> None:
        self._declarations: dict[str, UiDeclaration] = {}
        self._matched: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._declarations)

    def add(self, links: Mapping[str, str | AppResource | Callable[..., Any]]) -> None:
        """Check and keep a mapping of tool names or globs to pages.

        Raises:
            AppsTypeError: It is no mapping, or a value is no page (`ui-usage`).
            AppsValueError: A value is no `ui://` address (`uri-invalid`).
        """
        if not isinstance(links, Mapping):
            raise AppsTypeError(_usage("attach_ui", f"is given `{links!r}`, which is no mapping."))
        checked = {pattern: _declaration(pattern, page) for pattern, page in links.items()}
        self._declarations.update(checked)
        declared_more()

    def mark(self, server: Server, tool: Tool) -> None:
        """Put the declaration of the pattern that names this tool on it; `@ui` goes before."""
        declaration = self._find(tool.name)
        if declaration is not None and declaration_of(tool) is None:
            by_server = vars(tool).setdefault(ATTACHED_MARK, weakref.WeakKeyDictionary())
            by_server[server] = declaration

    def pages(self) -> list[AppResource]:
        """List the pages that the mapping brings."""
        return [each.page for each in self._declarations.values() if each.page is not None]

    def unmatched(self) -> dict[str, str]:
        """List the patterns that no listed tool had, with the place they are written at."""
        return {
            pattern: declaration.place
            for pattern, declaration in self._declarations.items()
            if pattern not in self._matched
        }

    def of(self, name: str) -> UiDeclaration | None:
        """Return what was said of a tool, whether it is listed or not."""
        fitting = self._fitting(name)
        return self._declarations[fitting[0]] if fitting else None

    def _find(self, name: str) -> UiDeclaration | None:
        self._matched.update(self._fitting(name))
        return self.of(name)

    def _fitting(self, name: str) -> list[str]:
        if not self._declarations:
            return []
        fitting = [p for p in self._declarations if _GLOB & set(p) and fnmatchcase(name, p)]
        return [name, *fitting] if name in self._declarations else fitting


def _declaration(pattern: str, page: object) -> UiDeclaration:
    subject = f"attach_ui {pattern!r}"
    place = calling_place()
    if isinstance(page, str):
        check_uri(page, subject)
        return UiDeclaration(subject=subject, link=page, page=None, visibility=BOTH, place=place)
    declared = page_of(page)
    if declared is None:
        raise AppsTypeError(_usage(subject, f"is given {page!r}, which is no page."))
    return UiDeclaration(subject=subject, link=None, page=declared, visibility=BOTH, place=place)


def _usage(subject: str, problem: str) -> Finding:
    return Finding(
        code=Code.UI_USAGE,
        subject=subject,
        problem=problem,
        consequence="The tools would have no pages.",
        remedy='Write `attach_ui(server, {"list_orders": page})`, where a page is a `ui://` '
        "address, an `AppResource`, or a function with `@app_resource`.",
    )
