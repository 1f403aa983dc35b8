"""What keeps a page from having a version: bytes that are known only when it is read."""

from __future__ import annotations

from mcp_apps_plugin.protocol.findings import Code, Finding

_declared = False


def any_versioned() -> bool:
    """Tell whether any page of this process is versioned; most processes pay nothing for it."""
    return _declared


def declare_versioned() -> None:
    """Take note that a page is versioned."""
    global _declared  # noqa: PLW0603  a fact about the process, for those who need not look
    _declared = True


def version_finding(subject: str, problem: str) -> Finding:
    """Say that a page cannot have a version."""
    return Finding(
        code=Code.PAGE_VERSION,
        subject=subject,
        problem=problem,
        consequence="There is no hash for its address, and hosts would keep a stale page.",
        remedy="Serve a file, or a function without parameters that returns the same on every "
        "call; or leave `versioned=` out.",
    )
