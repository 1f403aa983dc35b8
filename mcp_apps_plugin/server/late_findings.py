"""What is wrong with tools that came after the start: each finding is said once, as at the start.

A tool that is added to a running server was not there when the server was looked over. Its link may
lead nowhere, or to a page that cannot be built.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mcp_apps_plugin.plugins.builtin.link_rules import lost_links
from mcp_apps_plugin.server.pages import PageProvider
from mcp_apps_plugin.server.tree import mounted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from fastmcp import FastMCP

    from mcp_apps_plugin.protocol.findings import Finding

_logger = logging.getLogger("mcp_apps_plugin")
_LIMIT = 8192  # tools that are remembered


class LateFindings:
    """What was said of one server's tools, at its start and since."""

    def __init__(self) -> None:
        self._audited = False
        self._said: set[str] = set()
        self._met: set[tuple[str, str]] = set()

    def started(self, findings: Iterable[Finding]) -> None:
        """Note what the start said. A server that was not looked over then is not looked over now.

        Args:
            findings: Everything that was logged.
        """
        self._audited = True
        self._said.update(map(str, findings))

    def are_news(self, lost: set[tuple[str, str]]) -> bool:
        """Tell whether any of these tools, each with its link, was not lost at earlier lists."""
        if not self._audited or lost <= self._met:
            return False
        if len(self._met) > _LIMIT:
            self._met.clear()
        self._met |= lost
        return True

    async def say_lost(self, server: FastMCP[Any]) -> None:
        """Log what the start would say of links now, and has not said.

        Args:
            server: The server that lists the tools.
        """
        from mcp_apps_plugin.server.survey import survey  # noqa: PLC0415  rarely needed

        self._log(lost_links(await survey(server)))

    def say_broken(self, server: FastMCP[Any]) -> None:
        """Log what is wrong with the files of pages, where the start has not said it.

        Args:
            server: The server that lists the tools; those mounted on it are looked at too.
        """
        if not self._audited:
            return
        for provider in server.providers:
            if isinstance(provider, PageProvider):
                self._log(provider.problems())
        for _, below in mounted(server):
            self.say_broken(below)

    def _log(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            if str(finding) not in self._said:
                self._said.add(str(finding))
                _logger.warning("%s", finding)
