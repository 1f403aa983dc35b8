"""What one host needs or ignores, asked for with `--host`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.checks.rules.pages import options_of
from mcp_apps_plugin.protocol.constants import FLAT_LINK_KEY, OPENAI_LINK_KEY
from mcp_apps_plugin.protocol.dialects import claude_domain
from mcp_apps_plugin.protocol.links import link_of, visibility_of
from mcp_apps_plugin.protocol.shapes import as_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.checks.surface import Surface
    from mcp_apps_plugin.protocol.findings import Finding

_CLAUDE_DOMAIN: Final = re.compile(r"[0-9a-f]{32}\.claudemcpcontent\.com")
_ACCESSIBLE: Final = "openai/widgetAccessible"


def _claude(surface: Surface) -> Iterator[Finding]:
    if "claude" not in surface.hosts:
        return
    for page in surface.pages.values():
        domain = page.resolved.domain if page.resolved else None
        wanted = claude_domain(surface.url) if surface.url else None
        if domain is not None and (
            not _CLAUDE_DOMAIN.fullmatch(domain) or (wanted and domain != wanted)
        ):
            yield found(
                CheckCode.HOST_DOMAIN,
                page.subject,
                f"has the domain {domain!r}.",
                "Claude shows a banner in place of the page.",
                f"Leave `domain` out, or write `{wanted}`, which is "
                f'`claude_domain("{surface.url}")`.'
                if wanted
                else "Leave `domain` out, or write `claude_domain(url)` with the connector's exact "
                "address: the first 32 digits of its SHA-256, then `.claudemcpcontent.com`.",
            )


def _chatgpt(surface: Surface) -> Iterator[Finding]:
    if "chatgpt" not in surface.hosts:
        return
    for page in surface.pages.values():
        options = as_object(options_of(page))
        csp = as_object((options or {}).get("csp")) or {}
        open_lists = [k for k in ("connectDomains", "resourceDomains") if k not in csp]
        if page.resolved is not None and open_lists:
            yield found(
                CheckCode.HOST_CSP,
                page.subject,
                f"does not say {' and '.join(f'`{name}`' for name in open_lists)} in its `csp`.",
                "ChatGPT's inspector reports that the widget's policy is not set, and its review "
                "refuses the app.",
                "Write both lists, empty where nothing is needed; `csp=Csp()` does it.",
            )
        domain = page.resolved.domain if page.resolved else None
        if domain is not None and not domain.startswith("https://"):
            yield found(
                CheckCode.HOST_DOMAIN,
                page.subject,
                f"has the domain {domain!r}.",
                "ChatGPT takes an https origin there.",
                "Write an origin of your own, such as `https://app.example.com`, or leave it out.",
            )
    for tool in surface.ui_tools:
        meta = tool.meta or {}
        missing = [OPENAI_LINK_KEY] if link_of(meta) and OPENAI_LINK_KEY not in meta else []
        if meta.get(_ACCESSIBLE) is not True and "model" not in visibility_of(meta):
            missing.append(_ACCESSIBLE)
        if missing:
            yield found(
                CheckCode.HOST_DIALECT,
                f"tool {tool.name!r}",
                f"has no {' and no '.join(f'`{key}`' for key in missing)} in its `_meta`.",
                "ChatGPT's older path does not find the page, or keeps the page from calling it.",
                f"{_dialect('openai')} writes them; by hand they stand beside `_meta.ui`, with the "
                "same address.",
            )


def _vscode(surface: Surface) -> Iterator[Finding]:
    if "vscode" not in surface.hosts:
        return
    for tool in surface.ui_tools:
        if link_of(tool.meta) and tool.annotations is not None:
            yield found(
                CheckCode.HOST_ANNOTATIONS,
                f"tool {tool.name!r}",
                "has annotations.",
                "Some versions of VS Code then do not show its page.",
                "Look at it there; if it does not show, leave the annotations out.",
            )


def _portable(surface: Surface) -> Iterator[Finding]:
    if not surface.hosts & {"portable", "claude"}:
        return
    for page in surface.pages.values():
        if page.resolved is None:
            continue
        csp = page.resolved.csp
        if csp is not None and csp.frame_domains:
            yield found(
                CheckCode.HOST_FRAMES,
                page.subject,
                f"shows frames of {', '.join(csp.frame_domains)}.",
                "Some hosts ignore `frameDomains` and leave the frame empty.",
                "Show it without a frame, or offer a link with `app.openLink`.",
            )
        if "portable" in surface.hosts:
            yield from _needs(surface, page.uri)
    if "portable" in surface.hosts:
        yield from _one_spelling(surface)


def _needs(surface: Surface, uri: str) -> Iterator[Finding]:
    page = surface.pages[uri]
    resolved = page.resolved
    if resolved is None:
        return
    csp = resolved.csp
    origins = (*csp.connect_domains, *csp.resource_domains) if csp else ()
    needs = [f"`{origin}`" for origin in dict.fromkeys(origins)]
    if resolved.domain is not None:
        needs.append(f"the domain `{resolved.domain}`")
    if needs:
        yield found(
            CheckCode.HOST_EXTERNAL,
            page.subject,
            f"needs {', '.join(needs)}.",
            "Some hosts ignore a page's `csp`, and a `domain` is right for one host alone.",
            "Put files into the page, and fetch data through a tool.",
        )


def _dialect(name: str) -> str:
    """How a server with this package is told to write a dialect."""
    return f'`AppsExtension(dialects=["{name}"])` or `MCP_APPS_DIALECTS={name}`'


def _one_spelling(surface: Surface) -> Iterator[Finding]:
    for tool in surface.ui_tools:
        if link_of(tool.meta) and FLAT_LINK_KEY not in (tool.meta or {}):
            yield found(
                CheckCode.HOST_DIALECT,
                f"tool {tool.name!r}",
                f"has no `{FLAT_LINK_KEY}` in its `_meta`.",
                "Older hosts read that key alone and show no page.",
                f"{_dialect('flat')} writes it; by hand it has the same address.",
            )


RULES: Final = (_claude, _chatgpt, _vscode, _portable)
