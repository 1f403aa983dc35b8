"""Every rule that needs the wire or the page: its code, its weight, and what it is about.

The codes of the start-up audit are `protocol.findings.Code`; a rule here that finds the same fault
from outside uses the same code. Each has a heading in `docs/reference/checks.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal, get_args

from mcp_apps_plugin.protocol.findings import Code, Finding

if TYPE_CHECKING:
    from mcp_apps_plugin.protocol.findings import Severity

HostName = Literal["claude", "chatgpt", "vscode", "portable"]
HOSTS: Final[tuple[HostName, ...]] = get_args(HostName)
"""The hosts whose own demands can be asked for; `portable` is what works in every one of them."""


class CheckCode(StrEnum):
    """The codes that only a look from outside can give."""

    # The server as a whole.
    SERVER_EMPTY = "server-empty"
    SERVER_UNREACHABLE = "server-unreachable"
    CAPABILITY_MISSING = "capability-missing"
    META_WITHHELD = "meta-withheld"
    ERAS_DIFFER = "eras-differ"
    # A tool as it is listed.
    LINK_CONFLICT = "link-conflict"
    LINK_FLAT = "link-flat"
    TOOL_NAME = "tool-name"
    INPUT_SCHEMA = "input-schema"
    # A page as it is read.
    PAGE_READ = "page-read"
    PAGE_URI = "page-uri"
    PAGE_DOCTYPE = "page-doctype"
    LISTING_DIFFERS = "listing-differs"
    # What is in a page.
    PAGE_LOCAL_FILE = "page-local-file"
    PAGE_NO_HANDSHAKE = "page-no-handshake"
    PAGE_INITIALIZE = "page-initialize"
    PAGE_NOT_INITIALIZED = "page-not-initialized"
    PAGE_REQUEST_KIND = "page-request-kind"
    PAGE_TOOL_UNKNOWN = "page-tool-unknown"
    PAGE_VARIABLE = "page-variable"
    PAGE_VARIABLE_FALLBACK = "page-variable-fallback"
    PAGE_VIEWPORT_HEIGHT = "page-viewport-height"
    PAGE_STORAGE = "page-storage"
    PAGE_EVAL = "page-eval"
    PAGE_SANDBOX = "page-sandbox"
    PAGE_SCRIPT_SYNTAX = "page-script-syntax"
    PAGE_LIBRARY_NAME = "page-library-name"
    # A tool when it is called.
    CALL_ARGUMENTS = "call-arguments"
    CALL_FAILED = "call-failed"
    RESULT_TEXT = "result-text"
    RESULT_STRUCTURE = "result-structure"
    RESULT_SCHEMA = "result-schema"
    RESULT_SIZE = "result-size"
    # What one host needs or ignores.
    HOST_DOMAIN = "host-domain"
    HOST_CSP = "host-csp"
    HOST_FRAMES = "host-frames"
    HOST_DIALECT = "host-dialect"
    HOST_ANNOTATIONS = "host-annotations"
    HOST_EXTERNAL = "host-external"
    # A page in a browser.
    BROWSER_CSP = "browser-csp"
    BROWSER_ERROR = "browser-error"
    BROWSER_HANDSHAKE = "browser-handshake"
    BROWSER_BLANK = "browser-blank"
    BROWSER_TEARDOWN = "browser-teardown"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        code: Its code.
        severity: How much it weighs unless a rule says otherwise for one case.
        title: What is wrong, in a few words, for reports that list their rules.
        host: The host it is for; `None` for all.
    """

    code: CheckCode | Code
    severity: Severity
    title: str
    host: HostName | None = None


_C = CheckCode
_RULES: Final = (
    Rule(_C.SERVER_EMPTY, "error", "The server has no tool with a page"),
    Rule(_C.SERVER_UNREACHABLE, "error", "The server cannot be reached or does not start"),
    Rule(_C.CAPABILITY_MISSING, "warning", "The server does not declare MCP Apps"),
    Rule(_C.META_WITHHELD, "warning", "Links are withheld from clients that did not declare Apps"),
    Rule(_C.ERAS_DIFFER, "error", "The two protocol eras see different links"),
    Rule(Code.URI_INVALID, "error", "A link is no `ui://` address"),
    Rule(Code.LINK_DANGLING, "error", "A link leads nowhere"),
    Rule(_C.LINK_CONFLICT, "error", "The spellings of one link disagree"),
    Rule(_C.LINK_FLAT, "warning", "A link stands under the deprecated key alone"),
    Rule(Code.META_INVALID, "error", "A tool's `_meta.ui` has something that is not allowed"),
    Rule(Code.VISIBILITY_INVALID, "error", "A tool's visibility means nobody"),
    Rule(Code.TOOL_PAGE_OPTIONS, "warning", "A page's options stand on a tool"),
    Rule(_C.TOOL_NAME, "error", "A tool's name is empty or too long"),
    Rule(_C.INPUT_SCHEMA, "error", "A tool's input is no object"),
    Rule(Code.OUTPUT_SCHEMA, "warning", "A tool's output schema has `anyOf`"),
    Rule(_C.PAGE_READ, "error", "A page cannot be read"),
    Rule(_C.PAGE_URI, "error", "A page comes under another address than was asked for"),
    Rule(Code.PAGE_MIME, "error", "A page has another MIME type"),
    Rule(Code.PAGE_CONTENT, "error", "A page is not one HTML document"),
    Rule(_C.PAGE_DOCTYPE, "warning", "A page has no doctype"),
    Rule(_C.LISTING_DIFFERS, "error", "Listing and reading of a page disagree"),
    Rule(Code.CSP_INVALID, "error", "An entry of a page's `csp` is no origin"),
    Rule(Code.PERMISSIONS_INVALID, "error", "A page's `permissions` are not as hosts read them"),
    Rule(Code.PAGE_OPTION_INVALID, "error", "A page's `_meta.ui` has an unknown or wrong option"),
    Rule(Code.PAGE_ORIGIN, "error", "A page loads what its `csp` does not allow"),
    Rule(Code.PAGE_SIZE, "warning", "A page is larger than some hosts take"),
    Rule(_C.PAGE_LOCAL_FILE, "error", "A page names a file that no host can load"),
    Rule(_C.PAGE_NO_HANDSHAKE, "error", "A page never speaks to its host"),
    Rule(_C.PAGE_INITIALIZE, "error", "A page's `ui/initialize` lacks a required parameter"),
    Rule(_C.PAGE_NOT_INITIALIZED, "error", "A page never says that it is initialized"),
    Rule(_C.PAGE_REQUEST_KIND, "error", "A page sends a request without id, or the reverse"),
    Rule(_C.PAGE_TOOL_UNKNOWN, "error", "A page calls a tool that it cannot call"),
    Rule(_C.PAGE_VARIABLE, "warning", "A page uses a CSS variable that no host sends"),
    Rule(_C.PAGE_VARIABLE_FALLBACK, "warning", "A page uses a host's CSS variable unguarded"),
    Rule(_C.PAGE_VIEWPORT_HEIGHT, "warning", "A page is as high as its window and resizes it"),
    Rule(_C.PAGE_STORAGE, "warning", "A page uses storage without a guard"),
    Rule(_C.PAGE_EVAL, "warning", "A page makes code from text"),
    Rule(_C.PAGE_SANDBOX, "warning", "A page does what its sandbox forbids"),
    Rule(_C.PAGE_SCRIPT_SYNTAX, "error", "A script of a page is no JavaScript"),
    Rule(_C.PAGE_LIBRARY_NAME, "warning", "A page uses what the page library does not have"),
    Rule(_C.CALL_ARGUMENTS, "error", "No arguments are known to call a tool with"),
    Rule(_C.CALL_FAILED, "error", "A tool that is listed cannot be called"),
    Rule(_C.RESULT_TEXT, "error", "A result has nothing to read"),
    Rule(_C.RESULT_STRUCTURE, "error", "A result has no data object for its page"),
    Rule(_C.RESULT_SCHEMA, "error", "A result does not fit the tool's output schema"),
    Rule(_C.RESULT_SIZE, "warning", "A result is larger than some hosts take"),
    Rule(_C.HOST_DOMAIN, "error", "A page's `domain` is not in the host's format", "claude"),
    Rule(_C.HOST_CSP, "warning", "A page does not say which origins it uses", "chatgpt"),
    Rule(_C.HOST_FRAMES, "warning", "A page relies on nested frames", "claude"),
    Rule(_C.HOST_DIALECT, "warning", "A tool lacks a key that the host wants", "chatgpt"),
    Rule(_C.HOST_ANNOTATIONS, "warning", "A tool with a page has annotations", "vscode"),
    Rule(_C.HOST_EXTERNAL, "warning", "A page needs the network or one host's origin", "portable"),
    Rule(_C.BROWSER_CSP, "error", "A browser blocked what a page loads"),
    Rule(_C.BROWSER_ERROR, "error", "A page failed in a browser"),
    Rule(_C.BROWSER_HANDSHAKE, "error", "A page did not finish its handshake"),
    Rule(_C.BROWSER_BLANK, "error", "A page shows nothing"),
    Rule(_C.BROWSER_TEARDOWN, "warning", "A page does not answer when it is to end"),
)

RULES: Final[dict[str, Rule]] = {rule.code.value: rule for rule in _RULES}
"""Every rule by its code."""


def found(
    code: CheckCode | Code,
    subject: str,
    problem: str,
    consequence: str,
    remedy: str,
    *,
    severity: Severity | None = None,
) -> Finding:
    """Make a finding, as heavy as its rule unless told otherwise."""
    return Finding(
        code=code,
        subject=subject,
        problem=problem,
        consequence=consequence,
        remedy=remedy,
        severity=severity or RULES[code.value].severity,
    )
