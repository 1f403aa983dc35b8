"""The `MCP_APPS_*` environment: what an operator may set without touching the code."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import PositiveInt, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from mcp_apps_plugin.protocol.authored import warn_author
from mcp_apps_plugin.protocol.csp import origin_problem
from mcp_apps_plugin.protocol.dialects import DIALECTS
from mcp_apps_plugin.protocol.findings import (
    AppsValueError,
    Code,
    Finding,
    MCPAppsWarning,
    did_you_mean,
    sentence,
)

AuditMode = Literal["error", "warn", "off"]
Names = Annotated[tuple[str, ...], NoDecode]
"""A list in one variable, split at white space and commas."""


_CSP_FIELDS = (
    "csp_connect_domains",
    "csp_resource_domains",
    "csp_frame_domains",
    "csp_base_uri_domains",
)


class Settings(BaseSettings):
    """One reading of the environment. An empty variable counts as unset.

    Attributes:
        disable: `MCP_APPS_DISABLE`: importing the package changes nothing. Default `False`.
        strict: `MCP_APPS_STRICT`: failing plugins raise, and findings on what was declared
            without this package stop a server too. Default `False`.
        plugins: `MCP_APPS_PLUGINS`: the third-party plugins to load. Default: all; `none`.
        audit: `MCP_APPS_AUDIT`: what a finding does at start-up. Default `"error"`.
        dialects: `MCP_APPS_DIALECTS`: the extra spellings that tools are listed with, `flat` and
            `openai`. Default: none.
        page_budget: `MCP_APPS_PAGE_BUDGET`: page size above which the audit warns, in bytes.
            Default 1,000,000: a known host refuses larger ones.
        csp_connect_domains: `MCP_APPS_CSP_CONNECT_DOMAINS`: default origins for pages that
            declare none of this kind.
        csp_resource_domains: `MCP_APPS_CSP_RESOURCE_DOMAINS`: likewise.
        csp_frame_domains: `MCP_APPS_CSP_FRAME_DOMAINS`: likewise.
        csp_base_uri_domains: `MCP_APPS_CSP_BASE_URI_DOMAINS`: likewise.
    """

    model_config = SettingsConfigDict(env_prefix="MCP_APPS_", env_ignore_empty=True, frozen=True)

    disable: bool = False
    strict: bool = False
    plugins: Names | None = None
    audit: AuditMode = "error"
    dialects: Names = ()
    page_budget: PositiveInt = 1_000_000
    csp_connect_domains: Names = ()
    csp_resource_domains: Names = ()
    csp_frame_domains: Names = ()
    csp_base_uri_domains: Names = ()

    @field_validator("plugins", "dialects", *_CSP_FIELDS, mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("dialects")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in value if name not in DIALECTS]
        if unknown:
            names = ", ".join(f"`{name}`" for name in unknown)
            hint = did_you_mean(unknown[0], DIALECTS)
            message = f"{names} is none of {', '.join(DIALECTS)}.{hint}"
            raise ValueError(message)
        return value

    @field_validator(*_CSP_FIELDS)
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        problems = [f"`{origin}` {said}" for origin in value if (said := origin_problem(origin))]
        if problems:
            raise ValueError(" ".join(problems))
        return value


def warn_of_unknown() -> None:
    """Warn of variables that are named like a setting and are none: a misspelt one does nothing."""
    known = [*map(str.upper, Settings.model_fields), *_OTHERS]
    for variable in os.environ:
        name = variable.upper().removeprefix(_PREFIX)
        if variable.upper().startswith(_PREFIX) and name not in known:
            hint = did_you_mean(name, known).replace("`", f"`{_PREFIX}", 1)
            finding = Finding(
                code=Code.SETTINGS_UNKNOWN,
                subject=f"environment variable {variable}",
                problem=f"is no setting.{hint}",
                consequence="It does nothing.",
                remedy="Correct the name, or unset the variable.",
                severity="warning",
            )
            warn_author(finding, MCPAppsWarning)


_PREFIX = "MCP_APPS_"
_OTHERS = ("CHROMIUM",)  # read where a browser is looked for


def read_settings() -> Settings:
    """Read the environment.

    Raises:
        AppsValueError: A variable has a value that is not allowed (`settings-invalid`).
    """
    return _settings(tuple(map(os.environ.get, _VARIABLES)))


# In capitals and in small letters, as pydantic-settings takes both.
_VARIABLES = tuple(
    each
    for name in Settings.model_fields
    for each in (f"MCP_APPS_{name.upper()}", f"mcp_apps_{name}")
)


@lru_cache(maxsize=4)
def _settings(_environment: tuple[str | None, ...]) -> Settings:
    """Read the settings, once for each environment: hooks ask for every tool."""
    try:
        return Settings()
    except ValidationError as error:
        raise AppsValueError(
            *(
                Finding(
                    code=Code.SETTINGS_INVALID,
                    subject=f"environment variable MCP_APPS_{str(item['loc'][0]).upper()}",
                    problem=f"is {item['input']!r}. "
                    f"{sentence(item['msg'].removeprefix('Value error, '))}",
                    consequence="The package was not imported, and nothing was changed.",
                    remedy="Correct the value, or unset the variable.",
                )
                for item in error.errors(include_url=False)
            )
        ) from None
