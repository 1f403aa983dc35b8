"""A page's options: which kinds of value each of them takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mcp_apps_plugin.protocol.findings import AppsTypeError, Code, Finding, did_you_mean
from mcp_apps_plugin.protocol.metadata import ResourceUi
from mcp_apps_plugin.protocol.shapes import as_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastmcp.apps.config import ResourceCSP, ResourcePermissions
    from fastmcp.utilities.authorization import AuthCheck

    from mcp_apps_plugin.protocol.metadata import Csp, Permissions

    CspLike = Csp | ResourceCSP | Mapping[str, Any]
    PermissionsLike = Permissions | ResourcePermissions | Mapping[str, Any]
    Auth = AuthCheck | list[AuthCheck] | Literal["inherit"]


def page_options(
    csp: CspLike | None,
    permissions: PermissionsLike | None,
    domain: str | None,
    prefers_border: bool | None,  # noqa: FBT001  four options that always travel together
) -> ResourceUi:
    """Check what a page asks of the host, each option under its own name."""
    given = {
        "csp": csp,
        "permissions": permissions,
        "domain": domain,
        "prefers_border": prefers_border,
    }
    return ResourceUi(**{name: value for name, value in given.items() if value is not None})


def check_kinds(
    labels: tuple[object, object, object], auth: object, versioned: object, subject: str
) -> None:
    """Refuse values that FastMCP would refuse later, in its own words and without the place.

    Args:
        labels: `name=`, `title=` and `description=`.
        auth: What may keep callers from the page.
        versioned: Whether the address has a version.
        subject: The declaration's name, for errors.

    Raises:
        AppsTypeError: A value is of another kind (`page-option-invalid`).
    """
    for option, value in zip(("name", "title", "description"), labels, strict=True):
        if not isinstance(value, str | None):
            raise _wrong(subject, f"`{option}=` is {type(value).__name__}", "Write a string.")
    if not isinstance(versioned, bool):
        problem = f"`versioned=` is {versioned!r}"
        raise _wrong(subject, problem, "Write `True`, or leave it out.")
    checks = as_list(auth)
    for each in [auth] if checks is None else checks:
        if callable(each) or (each is auth and auth in (None, "inherit")):
            continue
        hint = did_you_mean(each, ["inherit"]) if isinstance(each, str) else ""
        remedy = f'Pass FastMCP\'s checks, or `"inherit"`.{hint}'
        raise _wrong(subject, f"`auth=` has {each!r}, which is no check", remedy)


def _wrong(subject: str, problem: str, remedy: str) -> AppsTypeError:
    return AppsTypeError(
        Finding(
            code=Code.PAGE_OPTION_INVALID,
            subject=subject,
            problem=f"{problem}.",
            consequence="The page could not be listed.",
            remedy=remedy,
        )
    )
