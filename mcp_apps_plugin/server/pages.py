"""The provider of pages that a server's tools bring: declared with `@ui`, nowhere registered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastmcp.resources import Resource, ResourceContent, ResourceResult, ResourceTemplate
from fastmcp.server.providers import FastMCPProvider
from fastmcp.server.transforms import Transform
from fastmcp.tools import Tool
from pydantic import PrivateAttr

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.declarations.marks import PAGE_MARK
from mcp_apps_plugin.plugins.manager import plugins
from mcp_apps_plugin.protocol.constants import MIME_TYPE, UI_KEY, URI_SCHEME
from mcp_apps_plugin.protocol.metadata import ResourceUi
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.content import PageError
from mcp_apps_plugin.server.elicitation.declared import elicitations
from mcp_apps_plugin.server.emission import Emitted, declared_page, is_page, source_of
from mcp_apps_plugin.server.folders import while_whole
from mcp_apps_plugin.server.page_tags import common_tags
from mcp_apps_plugin.server.private import WrappedProvider
from mcp_apps_plugin.server.problems import build_findings, note_findings
from mcp_apps_plugin.server.tree import base_of, is_remote, local_components, state_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from fastmcp import FastMCP
    from fastmcp.server.providers import LocalProvider
    from fastmcp.utilities.versions import VersionSpec

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.protocol.findings import Finding
    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.server.attachment import Attachment
    from mcp_apps_plugin.view import BuiltPage
    from mcp_apps_plugin.view.parts import Parts

    Server = FastMCP[Any]


_NO_TAGS: set[str] = set()


class FilePage(Resource):
    """A page that is a file: built once, then every read is the same object."""

    _built: BuiltPage | None = PrivateAttr(default=None)
    _problems: tuple[Finding, ...] = PrivateAttr(default=())
    _result: ResourceResult | None = PrivateAttr(default=None)

    @property
    def html(self) -> str | None:
        """The document, or `None` when it could not be built."""
        return self._built.html if self._built else None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files it was built from."""
        return self._built.files if self._built else ()

    @property
    def parts(self) -> Parts | None:
        """The same files as their author wrote them; `None` when it could not be built."""
        return self._built.parts if self._built else None

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What kept the document from being built, or is worth knowing of it."""
        return self._problems

    def build(self, page: AppResource) -> None:
        """Read the file and what it names."""
        from mcp_apps_plugin.view import (  # noqa: PLC0415  heavy, and for pages only
            PageBuildError,
            build_page,
        )

        assert page.file is not None  # noqa: S101  a page without function has a file
        subject = f"page {page.uri} of {page.subject}"
        try:
            self._built = build_page(page.file.location)
        except PageBuildError as error:
            self._problems = build_findings(subject, page.file.identity, error)
        else:
            self._problems = note_findings(subject, page.file.location, self._built)

    async def _read(self) -> ResourceResult:
        if self._result is None:
            if self._built is None:
                raise PageError(self._problems[0])
            meta = {UI_KEY: (self.meta or {})[UI_KEY]}
            item = ResourceContent(self._built.html, mime_type=MIME_TYPE, meta=meta)
            self._result = ResourceResult([item])
        return self._result


class PageProvider(WrappedProvider):
    """Serves a server's own components, and the pages that tools, `attach_ui` and plugins bring.

    It stands around the server's own provider and not beside it: FastMCP starts a task for each
    provider that it asks, which would cost every list and every call more than all else here.

    Args:
        own: The server's own provider.
        attachment: Our parts on that server.

    Attributes:
        versioned: The addresses of its pages that are versioned, by any of their declarations.
    """

    def __init__(self, own: LocalProvider, attachment: Attachment) -> None:
        super().__init__(own, Transform())
        self._transforms.clear()  # none is needed, and each costs every lookup
        self._attachment = attachment
        self._made: dict[int, tuple[AppResource, Resource]] = {}
        self._by_uri: dict[str, Resource] = {}
        self._state: object = None
        self._inheriting = False
        self.versioned: frozenset[str] = frozenset()

    # Who looks for the server's own provider in its list, or takes it out, means this one.
    def __eq__(self, other: object) -> bool:
        return other is self or other is self._inner

    def __hash__(self) -> int:
        return hash(self._inner)

    def declared(self) -> list[AppResource]:
        """List the declared pages, one for each address and source, in order of declaration."""
        found: dict[tuple[str | None, object], AppResource] = {}
        every: list[AppResource] = []
        for component in local_components(self._attachment.server):
            if isinstance(component, Tool):
                declaration = declaration_of(component)
                if declaration is not None and declaration.page is not None:
                    every.append(declaration.page)
        for _, elicited in elicitations(self._attachment.server):
            if not isinstance(elicited, str):
                every.append(elicited)
        attached = self._attachment.links.pages()
        every += (*attached, *plugins().contribute_pages(self._attachment.server))
        for page in every:
            _put(found, page)
        self.versioned = frozenset(str(page.uri) for page in every if page.versioned)
        return list(found.values())

    def pages(self) -> dict[str, Resource]:
        """Return the pages by address, without those the author registered as resources."""
        server = self._attachment.server
        taken = {
            str(component.uri)
            for component in local_components(server, renamed=False)
            if isinstance(component, Resource)
        }
        # Below a provider's namespace both are: a page there is for the tools beside it.
        beside = {
            source_of(page)
            for component in local_components(server)
            if (page := declared_page(component)) is not None
        } - {
            source_of(declaration.page)
            for component in local_components(server, renamed=False)
            if isinstance(component, Tool)
            and (declaration := declaration_of(component)) is not None
            and declaration.page is not None
        }
        declared = self.declared()
        for gone in self._made.keys() - {id(page) for page in declared}:
            del self._made[gone]
        by_uri: dict[str, Resource] = {}
        tags = common_tags(server, self._attachment.links)
        for page in declared:
            if page.uri is None or page.uri in by_uri or page.uri in taken:
                continue
            if source_of(page) not in beside:
                by_uri[page.uri] = made = self.resource(page)
                vars(made)["tags"] = tags.get(page.uri, _NO_TAGS)
        self._by_uri = by_uri
        self._inheriting = self._any_inherits()
        self._state = state_of(self._attachment.server)
        return by_uri

    def forget(self) -> None:
        """Build every page anew when it is asked for: files have changed."""
        self._made.clear()
        self._state = None

    def problems(self) -> Iterator[Finding]:
        """Yield what keeps its pages from being built, or is worth knowing of them."""
        for page, made in self._made.values():
            if isinstance(made, FilePage):
                yield from (replace(each, place=each.place or page.place) for each in made.problems)

    def guarded(self) -> bool:
        """Tell whether any page of this server asks who reads it."""
        return self.inherits() or any(
            isinstance(component, Resource | ResourceTemplate)
            and component.auth is not None
            and is_page(component)
            for component in (*local_components(self._attachment.server), *self.pages().values())
        )

    def inherits(self) -> bool:
        """Tell whether any page of this server takes its authorization from its tools."""
        if self._state != state_of(self._attachment.server):
            self.pages()
        return self._inheriting

    def _any_inherits(self) -> bool:
        brought = (page.auth for page, _ in self._made.values())
        registered = (
            page.auth
            for component in local_components(self._attachment.server)
            if (page := declared_page(component)) is not None
        )
        return "inherit" in (*brought, *registered)

    # Each layer costs every list and every call; where nothing is in between, it is left out.
    def list_tools(self) -> Any:
        """List the server's own tools."""
        return super().list_tools() if self._transforms else self._inner.list_tools()

    def get_tool(self, name: str, version: VersionSpec | None = None) -> Any:
        """Look a tool up where the server's own stand."""
        if self._transforms:
            return super().get_tool(name, version)
        return self._inner.get_tool(name, version)

    def get_tool_by_hash(self, tool_hash: str, tool_name: str) -> Any:
        """Look a tool up by its hash, in the same place."""
        if self._transforms:
            return super().get_tool_by_hash(tool_hash, tool_name)
        return self._inner.get_tool_by_hash(tool_hash, tool_name)

    async def _list_resources(self) -> Sequence[Resource]:
        own = await super()._list_resources()
        return [*own, *(await while_whole(self._attachment.server, self.pages)).values()]

    async def _get_resource(self, uri: str, version: VersionSpec | None = None) -> Resource | None:
        own = await super()._get_resource(uri, version)
        if own is not None or not uri.startswith(URI_SCHEME):
            return own
        address = unversioned(uri)
        page = await while_whole(self._attachment.server, lambda: self._page(address))
        if page is None and address != uri:
            return await self._registered(address, version)
        # A version range is about versioned components; `1.0` of a page is not this one.
        if page is None or version is None or version.matches(page.version):
            return page
        return None

    def _page(self, address: str) -> Resource | None:
        if self._state != state_of(self._attachment.server):
            self.pages()
        return self._by_uri.get(address)

    async def _registered(self, uri: str, version: VersionSpec | None) -> Resource | None:
        """Find a page that its author registered, for a read with a hash."""
        for provider in self._attachment.server.providers:
            if isinstance(base_of(provider), FastMCPProvider) or is_remote(provider):
                continue  # they know their own hashes
            ask = super()._get_resource if provider is self else provider.get_resource
            page = await ask(uri, version)
            if page is not None and declared_page(page) is not None:
                return page
        return None

    def resource(self, page: AppResource) -> Resource:
        """Return the resource of a declared page; the same one every time."""
        made = self._made.get(id(page))
        if made is None:
            made = page, _make(self._attachment.server, page)
            self._made[id(page)] = made
        return made[1]


def is_brought(page: Resource | ResourceTemplate) -> bool:
    """Tell whether a listed page was made here, and not registered by its author."""
    return isinstance(page, Resource) and PAGE_MARK in vars(page)


def _make(server: Server, page: AppResource) -> Resource:
    """Make the resource of a declared page on one server."""
    assert page.uri is not None  # noqa: S101  the caller looked
    ui = plugins().customize_page(server, page.uri, page.ui.to_wire())
    labels: JsonObject = {
        "uri": page.uri,
        "name": page.name,
        "title": page.title,
        "description": page.description,
        "mime_type": MIME_TYPE,
    }
    auth = None if page.auth == "inherit" else page.auth
    resource: Resource
    if page.handler is not None:
        resource = Resource.from_function(page.handler, meta={UI_KEY: ui}, auth=auth, **labels)
    else:
        resource = FilePage(auth=auth, **labels)
        resource.build(page)
    vars(resource)["meta"] = Emitted({UI_KEY: ui}, {}, server)
    vars(resource)[PAGE_MARK] = page
    return resource


def _put(found: dict[tuple[str | None, object], AppResource], page: AppResource) -> None:
    """Keep one declaration for each address and source; the one with options wins."""
    if page.uri is None:
        return  # the audit names the tool that links it
    key = page.uri, source_of(page)
    known = found.get(key)
    if known is None or known.ui == ResourceUi():
        found[key] = page
    elif page.ui not in (known.ui, ResourceUi()):
        found[page.uri, id(page)] = page  # the audit names both
