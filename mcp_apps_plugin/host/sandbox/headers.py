"""The headers a page is served under, and the features its frame is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol.csp import DEFAULT_POLICY, is_origin

if TYPE_CHECKING:
    from mcp_apps_plugin.protocol.metadata import Permissions

_FEATURES: Final = {
    "camera": "camera",
    "microphone": "microphone",
    "geolocation": "geolocation",
    "clipboardWrite": "clipboard-write",
}


def allow_attribute(permissions: Permissions) -> str:
    """Return the `allow` attribute for a frame, for example `"camera; clipboard-write"`.

    Both frames need it: what the outer one was not given, it cannot pass on.
    """
    asked = permissions.to_wire()
    return "; ".join(feature for name, feature in _FEATURES.items() if name in asked)


def sandbox_headers(host_origin: str, policy: str = DEFAULT_POLICY) -> dict[str, str]:
    """Return the headers to serve the proxy page with.

    The policy is sent as a header because the page's frame, a `srcdoc`, inherits it from there;
    a `<meta>` in the document could be tampered with.

    Args:
        host_origin: The only origin that may embed the proxy.
        policy: The page's policy: `ResolvedPage.policy`.

    Raises:
        ValueError: `host_origin` is no origin.
    """
    if not is_origin(host_origin):
        message = f"{host_origin!r} is no origin"
        raise ValueError(message)
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": f"{policy}; frame-ancestors {host_origin}",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        # One address serves the policies of many pages.
        "Cache-Control": "no-store",
    }
