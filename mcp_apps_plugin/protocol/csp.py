"""The origins a page may use: their grammar, and the policy a host builds from them.

The directives are those of the specification's *UI Resource Format*, *Host Behavior*, with
`object-src 'none'` from its draft.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol.shapes import as_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEFAULT_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; object-src 'none'"
)
"""The policy for a page that declares no `csp`."""

_SCHEMES: Final = ("https", "http", "wss", "ws")
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = rf"(?:\*\.)?{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+\]"
_ORIGIN = re.compile(rf"(?:{'|'.join(_SCHEMES)})://(?:{_HOST})(?::(?P<port>\d{{1,5}}))?", re.ASCII)
_MAX_PORT: Final = 65535


def origin_problem(entry: object) -> str | None:
    """Say what keeps `entry` from being an origin that a policy may list.

    Args:
        entry: The value an author wrote, for example `"https://api.example.com"`.

    Returns:
        What is wrong, as the end of a sentence that starts with the entry, or `None`.
    """
    if not isinstance(entry, str):
        return f"is {type(entry).__name__}, not a string."
    match = _ORIGIN.fullmatch(entry)
    if match:
        port = match["port"]
        return "has a port above 65535." if port and int(port) > _MAX_PORT else None
    if not entry:
        return "is empty."
    if re.search(r"[\s;,'\"\\\x00-\x1f\x7f]", entry):
        return "has white space, a quote, a comma or a semicolon, which would change the policy."
    if not entry.isascii():
        return "is not ASCII; write an international host name in its `xn--` form."
    scheme, separator, rest = entry.partition("://")
    if (rest if separator else entry).rstrip("/").partition(":")[0] == "*":
        return "would allow every origin; list the ones that the page needs."
    if not separator:
        if entry.endswith(":"):
            return "is a scheme; only origins can be listed."
        entry = entry.lstrip("/")
        further = origin_problem(f"https://{entry}")
        return f"has no scheme{f', and {further}' if further else f'; write `https://{entry}`.'}"
    if scheme not in _SCHEMES:
        return f"has the scheme `{scheme}`; only https, http, wss and ws are origins."
    host, slash, path = rest.partition("/")
    if "@" in host:
        return "has credentials in it."
    if slash or "?" in rest or "#" in rest:
        bare = f"{scheme}://{re.split('[/?#]', rest)[0]}"
        what = "ends with a slash" if slash and not path else "has a path"
        return f"{what}; an origin ends after host and port: `{bare}`."
    return "is not scheme, host and port, for example `https://api.example.com:8443`."


def is_origin(entry: object) -> bool:
    """Tell whether `entry` may stand in a policy."""
    return origin_problem(entry) is None


def covers(declared: Iterable[str], origin: str) -> bool:
    """Tell whether a source list allows `origin`, as a browser matches it.

    Args:
        declared: Origins, of which one may start with a wildcard: `https://*.example.com`.
        origin: The origin of a URL, for example `https://cdn.example.com`.
    """
    scheme, host, port = _parts(origin)
    for entry in declared:
        allowed_scheme, allowed_host, allowed_port = _parts(entry)
        upgraded = f"{allowed_scheme}s" == scheme
        if not upgraded and allowed_scheme != scheme:
            continue
        if allowed_port != port and not (upgraded and (allowed_port, port) == ("80", "443")):
            continue
        wildcard = allowed_host.startswith("*.") and host.endswith(allowed_host[1:])
        if wildcard or allowed_host == host:
            return True
    return False


def build_policy(csp: Mapping[str, object] | None) -> str:
    """Build the `Content-Security-Policy` header for a page.

    Entries that are no origins are left out: a header cannot be injected through them.

    Args:
        csp: The page's `_meta.ui.csp` as it is on the wire, or `None` when it has none.

    Returns:
        The header's value. Without `csp` the restrictive default of the specification.
    """
    if csp is None:
        return DEFAULT_POLICY

    def listed(key: str) -> str:
        return "".join(f" {entry}" for entry in as_list(csp.get(key)) or () if is_origin(entry))

    resources = listed("resourceDomains")
    frames = listed("frameDomains").strip() or "'none'"
    bases = listed("baseUriDomains").strip() or "'self'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'unsafe-inline'{resources}",
            f"style-src 'self' 'unsafe-inline'{resources}",
            f"connect-src 'self'{listed('connectDomains')}",
            f"img-src 'self' data:{resources}",
            f"font-src 'self'{resources}",
            f"media-src 'self' data:{resources}",
            f"frame-src {frames}",
            "object-src 'none'",
            f"base-uri {bases}",
        )
    )


_DEFAULT_PORTS: Final = {"https": "443", "wss": "443", "http": "80", "ws": "80"}


def _parts(origin: str) -> tuple[str, str, str]:
    scheme, _, rest = origin.lower().rstrip("/").partition("://")
    host, separator, port = rest.rpartition(":")
    if not separator or "]" in port:
        host, port = rest, _DEFAULT_PORTS.get(scheme, "")
    return scheme, host, port
