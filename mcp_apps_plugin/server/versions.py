"""The versions of one server's pages: what their listed addresses carry, and what is served.

Components keep the address that their author wrote, through every provider and transform. The
hash comes on at the very end, when a page or a link is listed, and any hash is good for a read.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from contextvars import Context as ContextVariables
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.context import Context

from mcp_apps_plugin.declarations.marks import PAGE_MARK
from mcp_apps_plugin.declarations.page_version import any_versioned, version_finding
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.versioned import (
    digest_of,
    version_template,
    with_version,
)
from mcp_apps_plugin.server.content import PageError, page_result
from mcp_apps_plugin.server.emission import declared_page, page_ui, subject_of
from mcp_apps_plugin.server.pages import FilePage
from mcp_apps_plugin.server.trail import passed_namespace
from mcp_apps_plugin.server.tree import is_foreign, local_components, mount_of, name_below, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastmcp import FastMCP
    from fastmcp.resources import ResourceResult

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.protocol.findings import Finding
    from mcp_apps_plugin.server.attachment import Attachment

    Server = FastMCP[Any]

_LISTED = "_mcp_apps_listed"
"""The attribute with a page's copy as it is listed, made once."""

_logger = logging.getLogger("mcp_apps_plugin")


@dataclass(slots=True)
class _Version:
    """What is known of one page.

    Attributes:
        page: The declaration.
        digest: Its hash; `None` where there is none.
        result: What a function returned at the start, to be served from then on.
        problem: What kept it from having a hash.
        told: Whether it was said that a function returned something else later.
    """

    page: AppResource
    digest: str | None = None
    result: ResourceResult | None = None
    problem: Finding | None = None
    told: bool = False


class Versions:
    """The versions of one server's own pages.

    Args:
        attachment: Our parts on the server.

    Attributes:
        links: The addresses of versioned pages as written, each with what it is listed as.
    """

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        self._known: dict[int, _Version] = {}
        self._state: object = None
        self.links: dict[str, str] = {}

    async def prepare(self) -> None:
        """Find out the hash of each versioned page, once; functions are asked now."""
        if not any_versioned():
            return
        server = self._attachment.server
        state = state_of(server)
        if state == self._state:
            return
        links: dict[str, str] = {}
        declared: set[int] = set()
        for resource in self._versioned():
            version = await self._find_out(server, resource)
            declared.add(id(version.page))
            if version.digest is not None:
                uri = str(resource.uri)
                links[uri] = with_version(uri, version.digest)
        for gone in self._known.keys() - declared:
            del self._known[gone]
        self.links = links
        self._state = state

    def forget(self) -> None:
        """Drop everything: pages have changed on disk."""
        self._known = {}
        self._state = None
        self.links = {}

    def of(self, resource: Resource | ResourceTemplate) -> str | None:
        """Return the hash of one of this server's own pages, or `None` when it has none."""
        page = declared_page(resource)
        version = None if page is None else self._known.get(id(page))
        return None if version is None else version.digest

    def problems(self) -> list[Finding]:
        """List what keeps versioned pages from having a hash."""
        return [each.problem for each in self._known.values() if each.problem is not None]

    def listed(self, resources: Sequence[Any]) -> list[Any]:
        """Put the hashes on the addresses of listed pages."""
        return [self._listed(each) for each in resources] if self.links else list(resources)

    async def templates(self) -> list[ResourceTemplate]:
        """List a template for each versioned page, which fits its address with any hash.

        A proxy in front of this server reads what it has seen listed, and nothing else: without
        a template, a host that it told an older hash would find no page.
        """
        if not self.links:
            return []
        resources = await self._attachment.server.list_resources(run_middleware=False)
        listed = self._attachment.lists.pages(resources)
        return [
            _template(page) for page in listed if not is_foreign(page) and self.of(page) is not None
        ]

    def served(self, resource: Resource, result: ResourceResult) -> ResourceResult:
        """Return what a versioned function's page is served as, whatever it returned now."""
        page = declared_page(resource)
        version = None if page is None else self._known.get(id(page))
        if version is None or version.result is None:
            return result
        if not version.told and _shown(result) != _shown(version.result):
            version.told = True
            problem = "is `versioned=True` and returned another page than when the server started."
            _logger.warning("%s", version_finding(subject_of(resource), problem))
        return version.result

    def _listed(self, resource: Resource) -> Resource:
        digest = None if is_foreign(resource) else self.of(resource)
        if digest is None:
            return resource
        uri = with_version(str(resource.uri), digest)
        if passed_namespace(resource):  # a copy that was made for this very list
            vars(resource)["uri"] = uri
            return resource
        fields: dict[str, Any] = vars(resource)
        known: Resource | None = fields.get(_LISTED)
        if known is None or known.uri != uri or known.meta is not resource.meta:
            known = resource.model_copy()
            vars(known)["uri"] = uri
            fields[_LISTED] = known
        return known

    def _versioned(self) -> list[Resource]:
        server = self._attachment.server
        pages = self._attachment.pages
        brought = [each for uri, each in pages.pages().items() if uri in pages.versioned]
        registered = [
            component
            for component in local_components(server)
            if isinstance(component, Resource)
            and (page := declared_page(component)) is not None
            and page.versioned
        ]
        return [*brought, *registered]

    async def _find_out(self, server: Server, resource: Resource) -> _Version:
        page = declared_page(resource)
        assert page is not None  # noqa: S101  the caller looked
        known = self._known.get(id(page))
        if known is not None:
            return known
        found = _Version(page)
        ui: Any = None
        if isinstance(resource, FilePage):
            html = resource.html  # the audit says why there is none
            ui = page_ui(server, resource)
        else:
            html = None
            try:
                returned = await _ask(vars(resource)["fn"])
                found.result = page_result(server, resource, returned)
            except PageError as error:
                found.problem = error.finding
            except Exception as error:  # noqa: BLE001  an author's function, at a moment of ours
                said = f"{type(error).__name__}: {error}".rstrip(".: ")
                problem = f"is `versioned=True` and failed when the server started: {said}."
                found.problem = version_finding(subject_of(resource), problem)
            else:
                if found.result is not None:
                    html, ui = _shown(found.result)
                else:
                    problem = "is `versioned=True` and asks the user before there is a page."
                    found.problem = version_finding(subject_of(resource), problem)
        if html is not None:
            found.digest = digest_of(html, ui)
        # Two first requests may come here at once; what one of them found counts for both.
        return self._known.setdefault(id(page), found)


async def listed_address(server: Server, uri: str, page: Resource | ResourceTemplate) -> str:
    """Return the address under which a page is listed: with its hash, if it has one.

    Args:
        server: The server on which it was found.
        uri: The address it was found under.
        page: What was found.
    """
    from mcp_apps_plugin.server.attachment import attachment_of  # noqa: PLC0415  it owns these

    if not any_versioned():
        return uri
    owner = server
    while (below := mount_of(page)) is not None:
        if not isinstance(page, Resource):
            return uri
        async with Context(fastmcp=below):
            inner = await below.get_resource(name_below(page))
        if inner is None:
            return uri
        owner, page = below, inner
    attachment = attachment_of(owner)
    if attachment is None:
        return uri
    await attachment.versions.prepare()
    digest = attachment.versions.of(page)
    return uri if digest is None else with_version(uri, digest)


async def _ask(handler: Callable[..., Any]) -> Any:
    """Call a page's function as nobody: what belongs to a request is not there to be used."""

    async def call() -> Any:
        if inspect.iscoroutinefunction(handler):
            return await handler()
        returned = await asyncio.to_thread(handler)
        return await returned if inspect.isawaitable(returned) else returned

    return await asyncio.create_task(call(), context=ContextVariables())


def _shown(result: ResourceResult) -> tuple[str, Any]:
    """Return what a host shows: the document, and the options it runs with."""
    (item,) = result.contents
    return str(item.content), (item.meta or {}).get(UI_KEY)


def _template(page: Resource) -> ResourceTemplate:
    template = ResourceTemplate(
        uri_template=version_template(str(page.uri)),
        name=page.name,
        title=page.title,
        description=page.description,
        mime_type=page.mime_type,
        parameters={"type": "object", "properties": {"v": {"type": "string"}}},
        meta=page.meta,
        tags=page.tags,
    )
    vars(template)[PAGE_MARK] = declared_page(page)
    return template
