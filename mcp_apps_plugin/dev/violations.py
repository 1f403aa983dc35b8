"""What a browser reports when a page's policy stopped something, and which declaration lacks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from mcp_apps_plugin.protocol.csp import is_origin
from mcp_apps_plugin.protocol.shapes import as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_apps_plugin.protocol.shapes import JsonObject

_LISTS: Final = {
    "connect-src": "connectDomains",
    "script-src": "resourceDomains",
    "style-src": "resourceDomains",
    "img-src": "resourceDomains",
    "font-src": "resourceDomains",
    "media-src": "resourceDomains",
    "frame-src": "frameDomains",
    "child-src": "frameDomains",
    "base-uri": "baseUriDomains",
}
_ARGUMENTS: Final = {
    "connectDomains": "connect_domains",
    "resourceDomains": "resource_domains",
    "frameDomains": "frame_domains",
    "baseUriDomains": "base_uri_domains",
}
_LONGEST: Final = 500


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that the browser stopped.

    Attributes:
        directive: The directive of the policy that stopped it, such as `connect-src`.
        blocked: The URL, or a word such as `inline`, `eval` or `data`.
        declaration: The list of `csp` that lacks the origin, or `None` when no list can allow it.
        remedy: What to write, or why nothing can be written.
        source: Where in the page, as far as the browser says.
    """

    directive: str
    blocked: str
    declaration: str | None
    remedy: str
    source: str

    def to_wire(self) -> JsonObject:
        """Return it as the window takes it."""
        return {
            "directive": self.directive,
            "blocked": self.blocked,
            "declaration": self.declaration,
            "remedy": self.remedy,
            "source": self.source,
        }


def read_report(report: object) -> Violation | None:
    """Read what was sent to `report-uri`; `None` when it is no such report.

    A page can send one itself: it is shown, and believed no further.
    """
    body = as_object((as_object(report) or {}).get("csp-report"))
    if body is None:
        return None
    directive = _text(body, "effective-directive") or _text(body, "violated-directive")
    directive = directive.split(" ")[0].removesuffix("-elem").removesuffix("-attr")
    blocked = _text(body, "blocked-uri")
    if not directive:
        return None
    declaration, remedy = _remedy(directive, blocked)
    line = body.get("line-number")
    sample = _text(body, "script-sample")
    source = f"line {line}" if isinstance(line, int) and line else ""
    if sample:
        source = f"{source}: {sample}" if source else sample
    return Violation(directive, blocked, declaration, remedy, source)


def _remedy(directive: str, blocked: str) -> tuple[str | None, str]:
    if blocked in ("eval", "wasm-eval"):
        return None, "No page may use `eval` or WebAssembly: hosts allow neither."
    if blocked == "inline":
        return None, "This kind of inline content is allowed nowhere; put it into a script."
    declaration = _LISTS.get(directive)
    if declaration is None:
        return None, f"Nothing in `csp` opens `{directive}`; put the content into the page."
    origin = _origin(blocked)
    if origin is None:
        return None, f"`{blocked}:` can not be declared; only origins can. Put it into the page."
    return declaration, f'Csp({_ARGUMENTS[declaration]}=["{origin}"])'


def _origin(blocked: str) -> str | None:
    try:
        parts = urlsplit(blocked)
    except ValueError:
        return None
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin if is_origin(origin) else None


def _text(body: Mapping[str, object], key: str) -> str:
    value = body.get(key)
    return value[:_LONGEST] if isinstance(value, str) else ""
