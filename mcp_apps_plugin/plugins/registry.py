"""What an audit rule sees: a server's tools and pages as plain data, in-process parts only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mcp_apps_plugin.declarations.link import UiDeclaration
    from mcp_apps_plugin.protocol.findings import Finding
    from mcp_apps_plugin.protocol.metadata import ResourceUi
    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.view.parts import Parts


LinkState = Literal["served", "hidden", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool that takes part in MCP Apps.

    Attributes:
        server: The name of the server that registered it.
        name: Its name there.
        subject: How an author would look for it.
        declaration: What `@ui` said, or `None` for FastMCP's `app=`.
        written: The `_meta` that was there before ours, from `app=` or `meta=`.
        meta: The `_meta` as it is listed.
        output_schema: The schema of its structured result.
        link: The address it links to, as written, or `None`.
        link_state: Whether this server serves the link: `"served"`, `"hidden"` when it does but
            disables or guards it, `"missing"`, or `"unknown"` where only a back end, or a
            middleware of the author's that has `on_read_resource`, could tell.
        place: Where it is written, as `file:line`; empty where that is not known.
    """

    server: str
    name: str
    subject: str
    declaration: UiDeclaration | None
    written: JsonObject
    meta: JsonObject
    output_schema: JsonObject | None
    link: str | None
    link_state: LinkState
    place: str = ""

    @property
    def own(self) -> bool:
        """Whether it was declared with this package, so that a fault may stop the server."""
        return self.declaration is not None


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page.

    Attributes:
        server: The name of the server that registered it.
        uri: Its address there.
        subject: Where it is declared.
        own: Whether it was declared with this package.
        mime_type: The MIME type it was declared with.
        written: The `_meta.ui` that its author wrote, or `None`.
        ui: The `_meta.ui` as it is listed.
        html: The document, when it is known without running a handler.
        file: The file it is read from, for errors.
        problems: What kept it from being built, or is worth knowing of it.
        declared: The options given to `@app_resource`, or `None` when it has none.
        place: Where it is declared, as `file:line`; empty where that is not known.
        renamed: Whether a server above shows it under another address.
        server_id: Tells servers of one name apart.
        parts: The files it is made of, as their author wrote them; `None` when it is made of none.
    """

    server: str
    uri: str
    subject: str
    own: bool
    mime_type: str
    written: JsonObject | None
    ui: JsonObject
    html: str | None = None
    file: str | None = None
    problems: tuple[Finding, ...] = ()
    declared: ResourceUi | None = None
    place: str = ""
    renamed: bool = False
    server_id: int = 0
    parts: Parts | None = None


@dataclass(frozen=True, slots=True)
class ElicitationEntry:
    """One page that a handler asks the user with.

    Attributes:
        server: The name of the server that registered the handler.
        subject: The handler, as an author would look for it.
        uri: The page's address, as written; `None` for a page without one.
        state: Whether the page is served, as for a tool's link.
        place: Where the handler is written, as `file:line`; empty where that is not known.
    """

    server: str
    subject: str
    uri: str | None
    state: LinkState
    place: str = ""


@dataclass(slots=True)
class Registry:
    """A server and everything mounted on it, in-process.

    Attributes:
        server: The name of the server that was asked.
        tools: The tools that take part in MCP Apps.
        pages: The pages.
        elicitations: The pages that handlers ask with.
        served: Every `ui://` address that some part of the tree serves, where it serves it.
        names: The names of all tools, with a page or without.
        unmatched: Patterns given to `attach_ui` that match no tool, with their `file:line`.
        forgotten: What `@ui` said about functions that no server has as a tool.
        page_budget: The page size above which the audit warns, in bytes.
        findings: What was already wrong while this was put together.
    """

    server: str
    tools: list[ToolEntry] = field(default_factory=list["ToolEntry"])
    pages: list[PageEntry] = field(default_factory=list["PageEntry"])
    elicitations: list[ElicitationEntry] = field(default_factory=list["ElicitationEntry"])
    served: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    unmatched: dict[str, str] = field(default_factory=dict[str, str])
    forgotten: list[UiDeclaration] = field(default_factory=list["UiDeclaration"])
    page_budget: int = 1_000_000
    findings: list[Finding] = field(default_factory=list["Finding"])
