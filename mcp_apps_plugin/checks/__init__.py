"""Looking at a server from outside: what hosts would not forgive, found before they see it.

The audit of `server/` knows what authors declared; the rules here know only what a client is told
and what a page's document says, so they hold for servers in any language.
"""

from mcp_apps_plugin.checks.codes import HOSTS, RULES, CheckCode, HostName, Rule
from mcp_apps_plugin.checks.report import CheckReport
from mcp_apps_plugin.checks.run import check_server, check_url

__all__ = [
    "HOSTS",
    "RULES",
    "CheckCode",
    "CheckReport",
    "HostName",
    "Rule",
    "check_server",
    "check_url",
]
