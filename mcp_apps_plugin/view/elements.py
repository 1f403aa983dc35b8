"""Embeds what a document's elements load: images, media, stylesheets. Scripts are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .assets import data_uri
from .editing import kept
from .paths import Local, local
from .problems import RefusedError
from .srcset import candidates

if TYPE_CHECKING:
    from collections.abc import Callable

    from .build import Build
    from .markup import Attribute, Token

_MEDIA: Final = {
    "audio": ("src",),
    "feimage": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
    "img": ("src",),
    "input": ("src",),
    "source": ("src",),
    "track": ("src",),
    "video": ("src", "poster"),
}
_FRAMES: Final = {"embed": "src", "frame": "src", "iframe": "src", "object": "data"}
_ICONS: Final = frozenset({"apple-touch-icon", "icon", "mask-icon"})
_HINTS: Final = frozenset({"modulepreload", "prefetch", "preload"})
#: What a `<link>` has that means nothing, or something else, on a `<style>`.
_LINK_ONLY: Final = frozenset(
    {
        "as",
        "crossorigin",
        "fetchpriority",
        "href",
        "integrity",
        "referrerpolicy",
        "rel",
        "sizes",
        "type",
    }
)


class Elements:
    """Embeds what elements other than scripts load."""

    def __init__(self, build: Build) -> None:
        """Work on the document of `build`."""
        self._source = build.source
        self._base = build.base
        self._folder = build.folder
        self._stylesheets = build.stylesheets
        self._problems = build.problems
        self._edits = build.edits
        self._document_base: Token | None = None
        self._has_local = False

    def start_tag(self, token: Token) -> None:
        """Embed what one start tag loads."""
        handler: Callable[[Token], None] | None = {
            "base": self._base_element,
            "link": self._link,
            "style": self._style,
            "use": self._use,
        }.get(token.name)
        if handler is not None:
            handler(token)
        for name in _MEDIA.get(token.name, ()):
            self._media(token.attributes.get(name))
        if token.name in {"img", "source"}:
            self._srcset(token.attributes.get("srcset"))
        elif token.name in _FRAMES:
            self._refuse(token, _FRAMES[token.name], "page-frame-local")
        style = token.attributes.get("style")
        if style is not None and "(" in style.value:
            text = self._stylesheets.declarations(
                style.value, self._source, style.start, self._base
            )
            if text != style.value:
                self._edits.value(style, text)

    def finish(self) -> None:
        """Report what only the whole document shows."""
        if self._document_base is not None and self._has_local:
            what = "The document has a base URL and names local files."
            refused = RefusedError(code="page-base", what=what)
            self._problems.add(self._source, self._document_base.start, refused)

    def local(self, attribute: Attribute | None) -> Local | None:
        """The local file an attribute names; None for anything else, refusals being recorded."""
        if attribute is None:
            return None
        try:
            found = local(attribute.value, self._base)
        except RefusedError as refused:
            self._problems.add(self._source, attribute.start, refused)
            return None
        self._has_local = self._has_local or found is not None
        return found

    def _base_element(self, token: Token) -> None:
        if token.get("href"):
            self._document_base = self._document_base or token

    def _uri(self, file: Local, at: int) -> str | None:
        try:
            return data_uri(file.name, self._folder.content(file.path), file.fragment)
        except RefusedError as refused:
            self._problems.add(self._source, at, refused)
            return None

    def _media(self, attribute: Attribute | None) -> None:
        file = self.local(attribute)
        if attribute is not None and file is not None:
            uri = self._uri(file, attribute.start)
            if uri is not None:
                self._edits.value(attribute, uri)

    def _srcset(self, attribute: Attribute | None) -> None:
        if attribute is None:
            return
        written: list[str] = []
        changed = False
        for url, descriptor in candidates(attribute.value):
            try:
                file = local(url, self._base)
            except RefusedError as refused:
                self._problems.add(self._source, attribute.start, refused)
                continue
            uri = None if file is None else self._uri(file, attribute.start)
            changed = changed or uri is not None
            written.append(f"{uri or url} {descriptor}".strip())
        if changed:
            self._has_local = True
            self._edits.value(attribute, ", ".join(written))

    def _refuse(self, token: Token, name: str, code: str) -> None:
        attribute = token.attributes.get(name)
        file = self.local(attribute)
        if attribute is not None and file is not None:
            what = f"`<{token.name}>` loads the local file {file.name!r}."
            self._problems.add(self._source, attribute.start, RefusedError(code=code, what=what))

    def _use(self, token: Token) -> None:
        for name in ("href", "xlink:href"):
            self._refuse(token, name, "page-use-external")

    def _style(self, token: Token) -> None:
        if (token.get("type") or "text/css").strip().lower() != "text/css":
            return
        texts = self._stylesheets.text(self._source, token.end, token.content_end, self._base)
        if texts is not None:
            again = f"<style{kept(self._source.text, token, {'id'})}>"
            self._edits.content(token, f"</style>{again}".join(texts))

    def _link(self, token: Token) -> None:
        relations = set((token.get("rel") or "").lower().split())
        href = token.attributes.get("href")
        if href is None or not relations & {"stylesheet", *_ICONS, *_HINTS}:
            return
        file = self.local(href)
        if file is None:
            return
        if "stylesheet" in relations and not ("alternate" in relations or token.get("disabled")):
            self._stylesheet(token, href, file)
        elif relations & _ICONS:
            self._media(href)
        elif relations & _HINTS:
            # What it would load early is in the document itself.
            self._edits.replace(token.start, token.end, "")
        else:
            what = f"The stylesheet {file.name!r} is not in force when the page starts."
            self._problems.note(self._source, href.start, "page-link-local", what)

    def _stylesheet(self, token: Token, href: Attribute, file: Local) -> None:
        try:
            texts = self._stylesheets.file(file.path)
        except RefusedError as refused:
            self._problems.add(self._source, href.start, refused)
            return
        first = kept(self._source.text, token, _LINK_ONLY)
        others = kept(self._source.text, token, _LINK_ONLY | {"id"})
        written = "".join(
            f"<style{others if index else first}>{text}</style>" for index, text in enumerate(texts)
        )
        self._edits.replace(token.start, token.end, written)
