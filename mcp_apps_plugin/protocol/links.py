"""The link from a tool to its page, in every spelling that hosts read.

The nested `_meta.ui.resourceUri` is the specification's; the flat one is its deprecated form,
and ChatGPT's own key comes last.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import quote, unquote

from mcp_apps_plugin.protocol.constants import FLAT_LINK_KEY, OPENAI_LINK_KEY, UI_KEY, URI_SCHEME
from mcp_apps_plugin.protocol.shapes import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Audience = Literal["model", "app"]
BOTH: Final[tuple[Audience, ...]] = ("model", "app")
"""Who may use a tool that declares no `visibility`."""

_FLAT_KEYS: Final = (FLAT_LINK_KEY, OPENAI_LINK_KEY)


def uri_problem(uri: object) -> str | None:
    """Say what keeps `uri` from being the address of a page.

    Args:
        uri: The value an author wrote, for example `"ui://weather/dashboard"`.

    Returns:
        What is wrong, as the end of a sentence that starts with the URI, or `None`.
    """
    if not isinstance(uri, str):
        return f"is {type(uri).__name__}, not a string."
    if not uri.startswith(URI_SCHEME):
        if uri.lower().startswith(URI_SCHEME):
            return "spells its scheme in capitals; hosts compare `ui://` letter for letter."
        return "does not start with `ui://`."
    rest = uri[len(URI_SCHEME) :]
    if re.search(r"[\s\x00-\x1f\x7f]", uri):
        return "has white space in it."
    if "{" in uri or "}" in uri:
        return "is a template; hosts read the link as it stands, so it has to be one fixed URI."
    if "#" in uri or "?" in uri:
        return "has a query or a fragment; hosts compare the URI as a whole."
    if not rest or rest.startswith("/"):
        return "has no host part; write `ui://name/page`."
    host, _, path = rest.partition("/")
    if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", host):
        return (
            f"has the host part `{host}`, which may have the letters A to Z, digits, dots and "
            "dashes only."
        )
    if _ESCAPED.search(path):
        return "has characters that a URI must escape."
    if any(unquote(segment) in (".", "..") for segment in path.split("/")):
        return "has `.` or `..` for a part of its path; some hosts shorten it, others do not."
    return None


_ESCAPED: Final = re.compile(r"[ \"<>\\^`|]|[^\x00-\x7f]")


def repaired_uri(uri: str) -> str | None:
    """Return an address of a page that is like one that is none: escaped, or with a plain host.

    Args:
        uri: What `uri_problem` finds a problem with.
    """
    scheme, _, rest = uri.strip().partition("://")
    host, slash, path = rest.partition("/")
    plain = unicodedata.normalize("NFKD", host).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("._-") or "name"
    path = _ESCAPED.sub(lambda found: quote(found[0]), path)
    parts = [part for part in path.split("/") if unquote(part) not in (".", "..")]
    near = f"{scheme.lower()}://{plain}{slash if parts else ''}{'/'.join(parts)}"
    return near if rest and uri_problem(near) is None else None


def link_of(meta: Mapping[str, Any] | None) -> str | None:
    """Read a tool's link: nested first, then the flat key, then ChatGPT's.

    Args:
        meta: The tool's `_meta`.

    Returns:
        The URI, or `None` when there is none or when it does not start with `ui://`.
    """
    if not meta:
        return None
    nested = (as_object(meta.get(UI_KEY)) or {}).get("resourceUri")
    for candidate in (nested, *(meta.get(key) for key in _FLAT_KEYS)):
        if candidate is not None:
            is_link = isinstance(candidate, str) and candidate.startswith(URI_SCHEME)
            return candidate if is_link else None
    return None


def lost_link(ui: Mapping[str, Any]) -> str | None:
    """Return the key that was meant to be `resourceUri`, where a tool has no other link.

    Args:
        ui: A tool's `_meta.ui`, as it was written.
    """
    if "resourceUri" in ui:
        return None
    return next((key for key in ui if key.replace("_", "").lower() == "resourceuri"), None)


def rewrite_links(meta: Mapping[str, Any], rewrite: Callable[[str], str]) -> dict[str, Any]:
    """Return `meta` with every spelling of the link rewritten; all else is kept.

    Args:
        meta: A `_meta` object; it is not changed.
        rewrite: Maps a `ui://` URI to the URI it is to become.
    """
    result = dict(meta)
    for key in _FLAT_KEYS:
        value = result.get(key)
        if isinstance(value, str) and value.startswith(URI_SCHEME):
            result[key] = rewrite(value)
    ui = as_object(result.get(UI_KEY)) or {}
    link = ui.get("resourceUri")
    if isinstance(link, str) and link.startswith(URI_SCHEME):
        result[UI_KEY] = {**ui, "resourceUri": rewrite(link)}
    return result


def without_links(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return `meta` without any spelling of the link; visibility and other keys are kept."""
    result = {key: value for key, value in meta.items() if key not in _FLAT_KEYS}
    ui = as_object(result.get(UI_KEY))
    if ui is not None:
        result[UI_KEY] = {key: value for key, value in ui.items() if key != "resourceUri"}
    return result


def visibility_of(meta: Mapping[str, Any] | None) -> frozenset[Audience]:
    """Read who may use a tool: absent means both, nonsense means nobody (fail closed).

    Args:
        meta: The tool's `_meta`.
    """
    ui = as_object((meta or {}).get(UI_KEY)) or {}
    if "visibility" not in ui:
        return frozenset(BOTH)
    declared = as_list(ui["visibility"]) or []
    return frozenset(audience for audience in BOTH if audience in declared)


def friendly_name(uri: str) -> str:
    """Derive a page's display name from its URI: `ui://get-time/mcp-app.html` is "Get Time".

    The last dotted segment is dropped unless it is the only one; the rest's last part is split
    on `-` and `_` and put in title case.
    """
    segments = [part for part in uri.removeprefix(URI_SCHEME).split("/") if part]
    if len(segments) > 1 and "." in segments[-1]:
        segments.pop()
    words = [word for word in re.split(r"[-_]+", segments[-1]) if word] if segments else []
    return " ".join(word[0].upper() + word[1:] for word in words) or uri
