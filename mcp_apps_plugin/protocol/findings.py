"""What can be wrong, said the same way everywhere: object, fault, consequence, remedy, code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Severity = Literal["error", "warning"]


class Code(StrEnum):
    """Every stable code of this package. Each has a heading in `docs/reference/errors.md`."""

    # What a decorator can see.
    URI_INVALID = "uri-invalid"
    UI_USAGE = "ui-usage"
    UI_TWICE = "ui-twice"
    UI_PAGE_OPTIONS = "ui-page-options"
    VISIBILITY_INVALID = "visibility-invalid"
    TEXT_INVALID = "text-invalid"
    PAGE_USAGE = "page-usage"
    CSP_INVALID = "csp-invalid"
    PERMISSIONS_INVALID = "permissions-invalid"
    PAGE_OPTION_INVALID = "page-option-invalid"
    PAGE_VERSION = "page-version"
    # What only the server can see.
    LINK_DANGLING = "link-dangling"
    PAGE_CONFLICT = "page-conflict"
    PAGE_MIME = "page-mime"
    PAGE_CONTENT = "page-content"
    PAGE_ORIGIN = "page-origin"
    PAGE_SIZE = "page-size"
    PAGE_HIDDEN = "page-hidden"
    TOOL_PAGE_OPTIONS = "tool-page-options"
    WRITERS_DISAGREE = "writers-disagree"
    META_INVALID = "meta-invalid"
    OUTPUT_SCHEMA = "output-schema"
    ATTACH_UNMATCHED = "attach-unmatched"
    UI_UNREGISTERED = "ui-unregistered"
    NAME_AMBIGUOUS = "name-ambiguous"
    # Asking the user.
    ELICIT_USAGE = "elicit-usage"
    ELICIT_UNSUPPORTED = "elicit-unsupported"
    ELICIT_ANSWER = "elicit-answer"
    ELICIT_STATE = "elicit-state"
    # Around the server.
    EXTENSION_SETTINGS = "extension-settings"
    SETTINGS_INVALID = "settings-invalid"
    SETTINGS_UNKNOWN = "settings-unknown"
    PLUGIN_FAILED = "plugin-failed"
    FASTMCP_CHANGED = "fastmcp-changed"
    # A new project.
    NEW_NAME = "new-name"
    NEW_FOLDER = "new-folder"
    # On the host's side.
    BRIDGE_ORDER = "bridge-order"
    BRIDGE_CLOSED = "bridge-closed"
    VIEW_TIMEOUT = "view-timeout"
    VIEW_ANSWER = "view-answer"
    APP_TOOL_REFUSED = "app-tool-refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        code: The stable code, a heading in `docs/reference/errors.md`: a `Code`, or one of the
            page builder's.
        subject: The object at fault, named so that it can be found in the source.
        problem: What is wrong with it.
        consequence: What a user of the server would see.
        remedy: What to do.
        severity: `"error"` stops a server from starting, `"warning"` is logged.
        place: Where it is written, as `file:line`; empty where that is not known.
    """

    code: Code | str
    subject: str
    problem: str
    consequence: str
    remedy: str
    severity: Severity = "error"
    place: str = ""

    def __str__(self) -> str:
        return f"{self._fault()} {self.consequence} {self.remedy} [{self.code}]"

    def _fault(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"{self.subject}{place}: {self.problem}"

    def _in_lines(self, indent: str) -> str:
        return f"{self._fault()}\n{indent}{self.consequence} {self.remedy} [{self.code}]"


_NAMED = 3


def grouped(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Say a fault that many objects share once, for people.

    Args:
        findings: What was found.

    Yields:
        The first finding of each fault, and a sentence that names the first few of the other
        objects and counts the rest; an empty one where there is none.
    """
    alike: dict[Finding, list[Finding]] = {}
    for finding in findings:
        alike.setdefault(replace(finding, subject="", place=""), []).append(finding)
    for first, *others in alike.values():
        names = [finding.subject for finding in others]
        # Where one would be left over, its name is as short as the count.
        shown = names if len(names) <= _NAMED else names[: _NAMED - 1]
        if len(names) > len(shown):
            yield first, f"The same of {', '.join(shown)} and {len(names) - len(shown)} more."
        else:
            yield first, f"The same of {' and '.join(shown)}." if shown else ""


def did_you_mean(wrong: object, known: Iterable[str]) -> str:
    """Name the nearest of the known names.

    Args:
        wrong: What was written.
        known: What could have been written.

    Returns:
        A sentence with a space before it, or nothing when none is near.
    """
    import difflib  # noqa: PLC0415  for faults only

    near = difflib.get_close_matches(str(wrong), list(known), n=1)
    return f" Did you mean `{near[0]}`?" if near else ""


def sentence(said: str) -> str:
    """End what somebody else said, as a sentence."""
    said = said.rstrip(" .:")
    return said if said.endswith(("?", "!")) else f"{said}."


class MCPAppsError(Exception):
    """The root of every error this package raises.

    Attributes:
        findings: What is wrong, at least one.
    """

    __module__ = "mcp_apps_plugin"  # where users import it from, so where tracebacks name it

    def __init__(self, *findings: Finding) -> None:
        self.findings: tuple[Finding, ...] = findings
        super().__init__("\n".join(str(finding) for finding in findings))

    @property
    def code(self) -> Code | str:
        """The code of the first finding."""
        return self.findings[0].code


class AppsTypeError(MCPAppsError, TypeError):
    """A decorator or function was used in a way that has no meaning."""

    __module__ = "mcp_apps_plugin"


class AppsValueError(MCPAppsError, ValueError):
    """A value in a declaration is not allowed."""

    __module__ = "mcp_apps_plugin"


class AppsConfigurationError(MCPAppsError):
    """A server cannot start: its declarations do not fit together. Lists every finding."""

    __module__ = "mcp_apps_plugin"

    def __init__(self, server: str, findings: Sequence[Finding]) -> None:
        super().__init__(*findings)
        lines = "".join(
            f"\n  {number}. {finding._in_lines('     ')}"  # noqa: SLF001  its own class's layout
            for number, finding in enumerate(findings, 1)
        )
        errors = "1 error" if len(findings) == 1 else f"{len(findings)} errors"
        self.args = (f"MCP Apps: server {server!r} cannot start, {errors}:{lines}",)


class MCPAppsWarning(UserWarning):
    """The root of every warning this package issues."""

    __module__ = "mcp_apps_plugin"


class MCPAppsCompatibilityWarning(MCPAppsWarning):
    """The installed FastMCP has another shape than expected; the named feature is off."""

    __module__ = "mcp_apps_plugin"


class MCPAppsPluginWarning(MCPAppsWarning):
    """A third-party plugin failed and was left out."""

    __module__ = "mcp_apps_plugin"
