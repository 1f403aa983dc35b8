"""Whatever a page's handler returns becomes one item: the address, the MIME type, a document."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import ResourceError
from fastmcp.resources import ResourceContent, ResourceResult
from mcp_types import InputRequiredResult

from mcp_apps_plugin.declarations.page_file import Page
from mcp_apps_plugin.protocol.constants import MIME_TYPE, UI_KEY
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.shapes import as_list
from mcp_apps_plugin.server.problems import build_findings

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.view import BuiltPage

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


def page_result(
    returned: Any, *, subject: str, ui: JsonObject, declared: AppResource | None
) -> ResourceResult | InputRequiredResult:
    """Make the one item of a page.

    Args:
        returned: What the handler returned: `str`, `bytes`, `Path`, `Page`, `ResourceContent`, a
            list of one, a `ResourceResult`, or `None` where the declaration names a file.
        subject: The handler, for errors.
        ui: The complete `_meta.ui` of the page.
        declared: The declaration, whose file stands in for `None`.

    Raises:
        PageError: It returned something else, another MIME type, or no HTML (`page-content`).
    """
    if isinstance(returned, InputRequiredResult):
        return returned  # it asks the user first; the page comes with the retry
    meta: JsonObject = {}
    if isinstance(returned, ResourceResult):
        result_meta, returned = returned.meta, returned.contents
    else:
        result_meta = None
    items = as_list(returned) or ()
    if any(isinstance(item, ResourceContent) for item in items):
        if len(items) != 1:
            raise _content(subject, f"returned {len(items)} items; a page is exactly one.")
        returned = items[0]
    if isinstance(returned, ResourceContent):
        if returned.mime_type not in _UNSET_MIME_TYPES:
            raise _content(subject, f"returned the MIME type `{returned.mime_type}`.")
        meta = dict(returned.meta or {})
        returned = returned.content
    html = _html(returned, subject, declared)
    item = ResourceContent(html, mime_type=MIME_TYPE, meta={**meta, UI_KEY: ui})
    return ResourceResult([item], meta=result_meta)


def _html(returned: Any, subject: str, declared: AppResource | None) -> str:
    from mcp_apps_plugin.view import (  # noqa: PLC0415  heavy, and for pages only
        PageBuildError,
        build_text,
        complete_document,
    )

    if returned is None and declared is not None and declared.file is not None:
        returned = declared.file.location
    try:
        if isinstance(returned, Page):
            return _built(returned.file.location).with_data(returned.data)
        if isinstance(returned, Traversable):
            return _built(returned).html
        html = _text(returned, subject)
        # What nobody declared here is completed, and otherwise left as its author sends it.
        return complete_document(html) if declared is None else build_text(html)
    except PageBuildError as error:
        raise PageError(build_findings(subject, error.page, error)[0]) from None
    except (TypeError, ValueError) as error:
        remedy = "Give `Page(…, data=…)` texts, numbers, lists and mappings."
        raise _content(subject, f"has data that is not JSON: {error}.", remedy) from None


def _text(returned: Any, subject: str) -> str:
    if isinstance(returned, bytes):
        try:
            returned = returned.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _content(subject, f"returned bytes that are not UTF-8 ({error}).") from None
    if not isinstance(returned, str):
        raise _content(subject, f"returned {type(returned).__name__}, which is no HTML.")
    if not returned.strip():
        raise _content(subject, "returned an empty page.")
    return returned


_pages: dict[str, BuiltPage] = {}


def _built(location: Traversable) -> BuiltPage:
    """Build a file that a handler names; once, as it is part of the server like its code."""
    from mcp_apps_plugin.view import build_page  # noqa: PLC0415  heavy, and for pages only

    key = str(location)
    if key not in _pages:
        _pages[key] = build_page(location)
    return _pages[key]


def built_files() -> list[Path]:
    """List the files of the pages that handlers named so far."""
    return [file for page in _pages.values() for file in page.files]


_RETURN = "Return the HTML as `str`, `bytes`, a `Path`, or one `ResourceContent`."


def _content(subject: str, problem: str, remedy: str = _RETURN) -> PageError:
    return PageError(
        Finding(
            code=Code.PAGE_CONTENT,
            subject=subject,
            problem=problem,
            consequence="The host would show an error or an empty frame.",
            remedy=remedy,
        )
    )
