"""Tools as they are listed: their link in every spelling, their visibility, their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.protocol.constants import FLAT_LINK_KEY, OPENAI_LINK_KEY, UI_KEY
from mcp_apps_plugin.protocol.findings import Code
from mcp_apps_plugin.protocol.links import BOTH, link_of, lost_link
from mcp_apps_plugin.protocol.shapes import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    import mcp_types

    from mcp_apps_plugin.checks.surface import Surface
    from mcp_apps_plugin.protocol.findings import Finding

_TOOL_KEYS: Final = frozenset({"resourceUri", "visibility"})
_PAGE_KEYS: Final = frozenset({"csp", "permissions", "domain", "prefersBorder"})
_MAX_NAME: Final = 128


def _links(surface: Surface) -> Iterator[Finding]:
    for tool in surface.ui_tools:
        spelled = {key: uri for key, uri in _spellings(tool).items() if uri is not None}
        wrong = [f"`{key}` {uri!r}" for key, uri in spelled.items() if not _is_link(uri)]
        if wrong:
            yield found(
                Code.URI_INVALID,
                f"tool {tool.name!r}",
                f"links with {' and '.join(wrong)}, which is no `ui://` address.",
                "Hosts show no page, and the official library raises an error.",
                "Write the address of a resource of this server, such as `ui://name/page`.",
            )
        elif len(set(spelled.values())) > 1:
            yield found(
                CheckCode.LINK_CONFLICT,
                f"tool {tool.name!r}",
                f"has {' and '.join(f'`{key}` {uri!r}' for key, uri in spelled.items())}.",
                "Which page is shown depends on the host; one of them may not exist.",
                "Give every key the same address, or keep the nested one alone.",
            )
        elif list(spelled) == [FLAT_LINK_KEY]:
            yield found(
                CheckCode.LINK_FLAT,
                f"tool {tool.name!r}",
                f"has its link under `{FLAT_LINK_KEY}` alone, a key that is going away.",
                "Hosts that read only `_meta.ui.resourceUri` show no page.",
                "Write `_meta.ui.resourceUri` as well.",
            )


def _spellings(tool: mcp_types.Tool) -> dict[str, object]:
    meta = tool.meta or {}
    ui = as_object(meta.get(UI_KEY)) or {}
    spelled: dict[str, object] = {}
    if "resourceUri" in ui:
        spelled["ui.resourceUri"] = ui["resourceUri"]
    spelled.update({key: meta[key] for key in (FLAT_LINK_KEY, OPENAI_LINK_KEY) if key in meta})
    return spelled


def _is_link(uri: object) -> bool:
    # Hosts read the address as it stands: a template would be asked for with its braces.
    return isinstance(uri, str) and uri.startswith("ui://") and not set("{} ") & set(uri)


def _keys(surface: Surface) -> Iterator[Finding]:
    for tool in surface.ui_tools:
        meta = tool.meta or {}
        if UI_KEY not in meta:
            continue
        written = as_object(meta[UI_KEY])
        subject = f"tool {tool.name!r}"
        if written is None:
            yield found(
                Code.META_INVALID,
                subject,
                f"has `_meta.ui` {meta[UI_KEY]!r}, which is no object.",
                "Strict hosts refuse the whole tool list.",
                "Write an object with `resourceUri` and `visibility`.",
            )
            continue
        if misplaced := sorted(_PAGE_KEYS & written.keys()):
            yield found(
                Code.TOOL_PAGE_OPTIONS,
                subject,
                f"has {', '.join(f'`{key}`' for key in misplaced)} in its `_meta.ui`.",
                "They describe a page; hosts ignore them on a tool.",
                "Move them to `_meta.ui` of the page's resource.",
            )
        if lost := lost_link(written):
            yield found(
                Code.META_INVALID,
                subject,
                f"has `{lost}` in its `_meta.ui`, and no `resourceUri`.",
                "Hosts see no link, and show no page.",
                f"Write `resourceUri` in the place of `{lost}`.",
            )
        elif unknown := sorted(written.keys() - _PAGE_KEYS - _TOOL_KEYS):
            yield found(
                Code.META_INVALID,
                subject,
                f"has {', '.join(f'`{key}`' for key in unknown)} in its `_meta.ui`.",
                "Hosts do not know them; strict ones refuse the tool.",
                "The keys are `resourceUri` and `visibility`.",
                severity="warning",
            )
        if "visibility" in written:
            yield from _visibility(subject, written["visibility"])


def _visibility(subject: str, written: object) -> Iterator[Finding]:
    listed = as_list(written)
    if not listed or any(audience not in BOTH for audience in listed):
        yield found(
            Code.VISIBILITY_INVALID,
            subject,
            f"has the visibility {written!r}.",
            "Hosts hide the tool from the model and from its page.",
            'Write a list of "model", "app", or both, or leave it out for both.',
        )


def _shapes(surface: Surface) -> Iterator[Finding]:
    for tool in surface.ui_tools:
        subject = f"tool {tool.name[:40]!r}"
        if not 1 <= len(tool.name) <= _MAX_NAME:
            yield found(
                CheckCode.TOOL_NAME,
                subject,
                f"has a name of {len(tool.name)} characters.",
                "Strict clients refuse the whole tool list.",
                f"Give it a name of 1 to {_MAX_NAME} characters.",
            )
        if tool.input_schema.get("type") != "object":
            yield found(
                CheckCode.INPUT_SCHEMA,
                subject,
                f"has an `inputSchema` of type {tool.input_schema.get('type')!r}.",
                "Pages that use the official library refuse the whole handshake.",
                'Give it `"type": "object"`.',
            )
        if link_of(tool.meta) is not None and (places := list(_any_of(tool.output_schema, "$"))):
            yield found(
                Code.OUTPUT_SCHEMA,
                subject,
                f"has `anyOf` in its `outputSchema` at {', '.join(places[:3])}.",
                "A major host drops the whole connector for one such tool.",
                "Make the fields required or give them one type, or leave the schema out.",
                severity="error" if "claude" in surface.hosts else None,
            )


def _any_of(schema: object, path: str) -> Iterator[str]:
    fields, items = as_object(schema), as_list(schema)
    if fields is not None:
        if "anyOf" in fields:
            yield path
        for key, value in fields.items():
            yield from _any_of(value, f"{path}.{key}")
    for position, value in enumerate(items or ()):
        yield from _any_of(value, f"{path}[{position}]")


RULES: Final = (_links, _keys, _shapes)
