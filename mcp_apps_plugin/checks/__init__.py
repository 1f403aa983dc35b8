"""Looking at a server from outside: what hosts would not forgive, found before they see it.

The audit of `server/` knows what authors declared; the rules here know only what a client is told
and what a page's document says, so they hold for servers in any language.
"""

from mcp_apps_plugin.checks.calls import CallPlan
from mcp_apps_plugin.checks.codes import HOSTS, RULES, CheckCode, HostName, Rule
from mcp_apps_plugin.checks.report import CheckReport
from mcp_apps_plugin.checks.run import Options, check_server, check_url

__all__ = [
    "HOSTS",
    "RULES",
    "CallPlan",
    "CheckCode",
    "CheckReport",
    "HostName",
    "Options",
    "Rule",
    "check_server",
    "check_url",
]
