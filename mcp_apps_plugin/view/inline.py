"""Builds a page: one HTML document from an HTML file and the files it names.

    page = build_page("dashboard.html")
    page.html  # ready to be served

`mcp-app.js` is a reserved name: in a page it always means the library of this package, whether or
not the page's folder has a file of that name, so that what a page gets does not depend on a stray
copy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike
from os.path import relpath
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from .build import Build
from .data import embed
from .document import complete_document, insertion_point
from .elements import Elements
from .folder import Folder
from .markup import tokens
from .page_scripts import PageScripts
from .problems import PageBuildError, PageProblem, Problems, RefusedError, Source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from .parts import Parts


_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """A page that stands alone."""

    html: str
    """The document."""
    files: tuple[Path, ...]
    """The real files that went in, the page first. Files in zip packages are not among them."""
    notes: tuple[PageProblem, ...]
    """What is worth knowing but does not stop the page."""
    insertion: int
    """Where `with_data` puts things; see `insertion_point`."""
    parts: Parts
    """The files as their author wrote them."""

    def with_data(
        self,
        data: Any = None,
        *,
        names: Mapping[str, str] | None = None,
    ) -> str:
        """The document with data and tool names for its scripts. Cheap: nothing is built again.

        Raises:
            TypeError: When the data is not JSON.
            ValueError: When the data has NaN or an infinity, or refers to itself.
        """
        return embed(self.html, data=data, names=names, at=self.insertion)


def build_page(
    source: str | PathLike[str] | Traversable,
    *,
    root: str | PathLike[str] | Traversable | None = None,
    data: Any = None,
    tool_names: Mapping[str, str] | None = None,
    minify: bool = True,
) -> BuiltPage:
    """Build one document from an HTML file and the local files it names.

    Args:
        source: The HTML file: a path, or a `Traversable` such as
            `importlib.resources.files("package") / "page.html"`. With `root`, a name below it.
        root: The folder or package that nothing the page names may leave. The page's own folder
            by default.
        data: What `McpApp.data` will be; see `embed`.
        tool_names: The tool names as written, mapped to those in force; see `embed`.
        minify: Whether to minify the page library. The page's own code is never rewritten.

    Raises:
        PageBuildError: When the page cannot become one document. It lists every reason.
        TypeError: When `source` does not tell its folder and no `root` is given.
    """
    folder_at, path = _located(source, root)
    folder = Folder(folder_at, path)
    problems = Problems()
    name = "/".join(path)
    try:
        text = _page_text(folder, path)
    except RefusedError as refused:
        problems.add(Source(name, ""), -1, refused)
        raise PageBuildError(name, tuple(problems.found), folder.files) from None
    build = Build(Source(name, text), path[:-1], folder, problems)
    build.parts.add(build.source, "document")
    html = complete_document(_inlined(build, minify=minify))
    if problems.found:
        raise PageBuildError(name, tuple(problems.found), folder.files)
    point = insertion_point(html)
    html = embed(html, data=data, names=tool_names, at=point)
    return BuiltPage(html, folder.files, tuple(problems.notes), point, build.parts)


def _page_text(folder: Folder, path: tuple[str, ...]) -> str:
    if ".." in path:
        what = f"{'/'.join(path)!r} is not below the root."
        raise RefusedError(code="page-path-outside", what=what)
    text = folder.text(path)
    if not _COMMENT.sub("", text).strip():
        raise RefusedError(code="page-content", what="There is nothing in the file.")
    return text


def _located(
    source: str | PathLike[str] | Traversable, root: str | PathLike[str] | Traversable | None
) -> tuple[Traversable, tuple[str, ...]]:
    """The folder that holds everything, and the page's name in it."""
    if root is not None:
        if not isinstance(source, (str, PathLike)):
            msg = f"With `root`, `source` is a name below it, not {source!r}."
            raise TypeError(msg)
        folder, path = _traversable(root), PurePath(source)
        if isinstance(folder, Path) and path.is_absolute():
            return folder, PurePath(relpath(path, folder)).parts
        return folder, path.parts
    page = _traversable(source)
    parent = getattr(page, "parent", None)  # of paths and zip paths; not part of the protocol
    if parent is None:
        msg = f"{page!r} does not know its folder; pass `root` and the page's name below it."
        raise TypeError(msg)
    return parent, (page.name,)


def _traversable(source: str | PathLike[str] | Traversable) -> Traversable:
    return Path(source) if isinstance(source, (str, PathLike)) else source


def _inlined(build: Build, *, minify: bool) -> str:
    elements = Elements(build)
    scripts = PageScripts(build, elements, minify=minify)
    templates = 0
    for token in tokens(build.source.text):
        if token.name == "template":
            templates = max(0, templates + (1 if token.kind == "start" else -1))
        if token.kind != "start":
            continue
        if token.name == "script":
            scripts.start_tag(token, is_live=not templates)
        else:
            elements.start_tag(token)
    scripts.finish()
    elements.finish()
    return build.edits.result()
