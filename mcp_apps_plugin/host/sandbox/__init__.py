"""The double frame around a page: the proxy between host and page, its headers, its features."""

from mcp_apps_plugin.host.sandbox.headers import allow_attribute, sandbox_headers
from mcp_apps_plugin.host.sandbox.page import INNER_SANDBOX, OUTER_SANDBOX, proxy_page

__all__ = [
    "INNER_SANDBOX",
    "OUTER_SANDBOX",
    "allow_attribute",
    "proxy_page",
    "sandbox_headers",
]
