"""Whatever a page's handler returns becomes one item: the address, the MIME type, a document."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import ResourceError
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.resources.base import InputRequiredResourceResult
from mcp_types import InputRequiredResult

from mcp_apps_plugin.declarations.page_file import Page
from mcp_apps_plugin.protocol.constants import MIME_TYPE, UI_KEY
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.shapes import as_list
from mcp_apps_plugin.server.emission import declared_page, item_ui, subject_of
from mcp_apps_plugin.server.named_pages import built
from mcp_apps_plugin.server.problems import build_findings

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from fastmcp.resources import Resource, ResourceTemplate

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.protocol.shapes import JsonObject

    Server = FastMCP[Any]

_RETURN = "Return the HTML as `str`, `bytes`, a `Path`, or one `ResourceContent`."

# What FastMCP writes where an author wrote nothing.
_UNSET_MIME_TYPES = frozenset({None, "", "text/plain", "application/octet-stream", MIME_TYPE})


class PageError(ResourceError):
    """A page cannot be served. FastMCP sends the message to the client as it is.

    Attributes:
        finding: What is wrong.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class _NoPageError(Exception):
    """What a handler returned is no page: what is wrong with it, and the remedy."""

    def __init__(self, problem: str, remedy: str = _RETURN) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


def page_result(
    server: Server, resource: Resource | ResourceTemplate, returned: object
) -> ResourceResult | None:
    """Make the one item of a page.

    Args:
        server: The server that reads it.
        resource: The page.
        returned: What the handler returned: `str`, `bytes`, `Path`, `Page`, `ResourceContent`, a
            list of one, a `ResourceResult`, or `None` where the declaration names a file.

    Returns:
        The result; `None` where FastMCP is to make it. That is where the handler asks the user
        first, and the page comes with the retry; and where it returned no page and nobody
        declared one here: a server that ran goes on running.

    Raises:
        PageError: A declared page's handler returned something else, another MIME type, or no
            HTML (`page-content`); or the file that it named cannot be built.
    """
    from mcp_apps_plugin.view import PageBuildError  # noqa: PLC0415  heavy, and for pages only

    if isinstance(returned, InputRequiredResult | InputRequiredResourceResult):
        return None
    declared = declared_page(resource)
    try:
        content, meta, result_meta = _one_item(returned)
        html = _html(content, declared)
    except _NoPageError as error:
        if declared is None and not isinstance(returned, Page):
            return None
        finding = Finding(
            code=Code.PAGE_CONTENT,
            subject=subject_of(resource),
            problem=error.problem,
            consequence="The host would show an error or an empty frame.",
            remedy=error.remedy,
        )
        raise PageError(finding) from None
    except PageBuildError as error:
        raise PageError(build_findings(subject_of(resource), error.page, error)[0]) from None
    ui = item_ui(server, resource, meta.pop(UI_KEY, None))
    if ui is not None:
        meta[UI_KEY] = ui
    item = ResourceContent(html, mime_type=MIME_TYPE, meta=meta or None)
    return ResourceResult([item], meta=result_meta)


def _one_item(returned: Any) -> tuple[Any, JsonObject, JsonObject | None]:
    """Take apart what a handler returned: the content, its `_meta`, and that of the result."""
    result_meta = None
    if isinstance(returned, ResourceResult):
        result_meta, returned = returned.meta, returned.contents
    items = as_list(returned) or ()
    if any(isinstance(item, ResourceContent) for item in items):
        if len(items) != 1:
            problem = f"returned {len(items)} items; a page is exactly one."
            raise _NoPageError(problem)
        returned = items[0]
    if not isinstance(returned, ResourceContent):
        return returned, {}, result_meta
    if returned.mime_type not in _UNSET_MIME_TYPES:
        problem = f"returned the MIME type `{returned.mime_type}`."
        raise _NoPageError(problem)
    return returned.content, dict(returned.meta or {}), result_meta


def _html(returned: Any, declared: AppResource | None) -> str:
    from mcp_apps_plugin.view import (  # noqa: PLC0415  heavy, and for pages only
        build_text,
        complete_document,
    )

    if returned is None and declared is not None and declared.file is not None:
        returned = declared.file.location
    if isinstance(returned, Page):
        page = built(returned.file.location)
        try:
            return page.with_data(returned.data)
        except (TypeError, ValueError) as error:
            problem = f"has data that is not JSON: {error}."
            remedy = "Give `Page(…, data=…)` texts, numbers, lists and mappings."
            raise _NoPageError(problem, remedy) from None
    if isinstance(returned, Traversable):
        return built(returned).html
    html = _text(returned)
    # What nobody declared here is completed, and otherwise left as its author sends it.
    return complete_document(html) if declared is None else build_text(html)


def _text(returned: object) -> str:
    if isinstance(returned, bytes):
        try:
            returned = returned.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            problem = f"returned bytes that are not UTF-8 ({error})."
            raise _NoPageError(problem) from None
    if not isinstance(returned, str):
        problem = f"returned {type(returned).__name__}, which is no HTML."
        raise _NoPageError(problem)
    if not returned.strip():
        problem = "returned an empty page."
        raise _NoPageError(problem)
    return returned
