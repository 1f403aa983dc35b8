"""Writes the parts of docs/reference that the code says itself: API, hooks, settings, CLI.

    python tests/docs/generate.py

`test_reference.py` fails when what stands there is not what this writes.
"""

from __future__ import annotations

import enum
import inspect
import re
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

import mcp_apps_plugin
from mcp_apps_plugin import checks, host, testing
from mcp_apps_plugin.cli.main import app as command
from mcp_apps_plugin.plugins import hookspecs
from mcp_apps_plugin.settings import Settings
from mcp_apps_plugin.view import PAGE_PROBLEM_CODES

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
NOTE = "<!-- Written by `python tests/docs/generate.py`; edit the docstrings instead. -->\n"
_SECTION = re.compile(r"^(Args|Returns|Yields|Raises|Attributes|Example):$", re.MULTILINE)
_ITEM = re.compile(r"^ {4}(\*{0,2}[\w.]+): ", re.MULTILINE)

_NO_DEFAULT = (None, inspect.Parameter.empty, False, ())


def api() -> str:
    """Every name of `mcp_apps_plugin`."""
    intro = "# API\n\nEverything that `mcp_apps_plugin` exports.\n"
    names = mcp_apps_plugin.__all__
    return NOTE + intro + "".join(_entry(name, getattr(mcp_apps_plugin, name)) for name in names)


def host_api() -> str:
    """Every name of `mcp_apps_plugin.host`."""
    intro = (
        "# Host API\n\nEverything that `mcp_apps_plugin.host` exports: the side that shows pages, "
        "for programs that embed them.\n"
    )
    return NOTE + intro + "".join(_entry(name, getattr(host, name)) for name in host.__all__)


def testing_api() -> str:
    """Every name of `mcp_apps_plugin.testing` and `mcp_apps_plugin.checks`."""
    text = f"{NOTE}# Test and check API\n\n{TESTING_INTRO}"
    for module in (testing, checks):
        text += f"\n# `{module.__name__}`\n"
        text += "".join(_entry(name, getattr(module, name)) for name in module.__all__)
    return text


TESTING_INTRO = """What [tests](../how-to/testing.md) use, and what `mcp-apps check` does, for
programs. The pytest fixtures `mcp_apps_client`, `mcp_apps_matrix`, `mcp_apps_host`,
`mcp_apps_browser` and `mcp_apps_contract` hand out `open_client`, `ClientKind`, `AppsHost`,
`AppsBrowser` and `assert_app_contract`.
"""


def hooks() -> str:
    """Every hook, with its exact arguments."""
    text = f"{NOTE}# Hooks\n\n{inspect.getdoc(hookspecs)}\n\n{HOOKS_INTRO}"
    for name, hook in vars(hookspecs).items():
        if name.startswith("mcp_apps_"):
            arguments = ", ".join(inspect.signature(hook).parameters)
            text += f"\n## `{name}({arguments})`\n\n{_markdown(inspect.getdoc(hook) or '')}"
    return text


HOOKS_INTRO = """A plugin is a module, or an object, with functions of these names, marked with
`mcp_apps_plugin.hookimpl`. [Write a plugin](../how-to/plugins.md) shows a whole one.
"""


def settings() -> str:
    """Every environment variable."""
    doc = inspect.getdoc(Settings) or ""
    text = f"{NOTE}# Settings\n\n{SETTINGS_INTRO}"
    described = dict(_items(doc.partition("Attributes:")[2]))
    for name, field in Settings.model_fields.items():
        variable = f"MCP_APPS_{name.upper()}"
        said = described[name].removeprefix(f"`{variable}`: ")
        said = said if said[0].isupper() else said[0].upper() + said[1:]
        text += f"\n## `{variable}`\n\n{said}\n\nField `{name}`, default `{field.default!r}`.\n"
    return text


SETTINGS_INTRO = """What an operator may set in the environment, without touching the code. An empty
variable counts as unset. A value that is not allowed stops the import with
[`settings-invalid`](errors.md#settings-invalid); a variable `MCP_APPS_…` that is not in this list
is warned of with [`settings-unknown`](errors.md#settings-unknown). The one exception is
`MCP_APPS_CHROMIUM`, the browser for [tests](../how-to/testing.md).

Lists are split at white space and commas. The `MCP_APPS_CSP_*` lists are used, each on its own,
where neither the page nor `AppsExtension(defaults=…)` of its server has one; plugins
([`mcp_apps_customize_page`](hooks.md)) see what came of that, and have the last word.
"""


def cli() -> str:
    """Every sub-command with its options."""
    text = f"{NOTE}# Command line\n\n{CLI_INTRO}"
    for name in sorted(each for each in command if not each.startswith("-")):
        sub = command[name]
        text += f"\n## `mcp-apps {name}`\n\n{inspect.getdoc(sub.default_command)}\n"
        for argument in sub.assemble_argument_collection():
            if not argument.parse or not argument.show:
                continue
            names = [each for each in argument.names if not each.startswith("--no-")]
            if argument.field_info.is_positional:
                names = [argument.name.lstrip("-").upper()]
            default = argument.field_info.default
            shown = "" if default in _NO_DEFAULT else f" Default: `{default}`."
            choices = argument.get_choices()
            if choices:
                shown = f" One of {', '.join(f'`{each}`' for each in choices)}.{shown}"
            listed = ", ".join(f"`{each}`" for each in names)
            text += f"\n### {listed}\n\n{argument.parameter.help}{shown}\n"
    return text


CLI_INTRO = """`mcp-apps` comes with the package. Everywhere, `server.py` names the Python file that
makes the server, and `server.py:name` one server in it, or a function without arguments that
returns one. Without a name it is the only server in the file; of several, the one that all others
are mounted on, or else `mcp`, `server` or `app`. The file is imported, so keep `mcp.run()` under
`if __name__ == "__main__":`.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | something is wrong with the server or a plugin |
| 2 | the command was not understood, or the server could not be loaded |
| 130 | interrupted |
| 141 | nobody reads the output any more, as with `mcp-apps check … \\| head` |
"""


def page_problems() -> str:
    """The table of what the page builder can find."""
    text = ""
    for code, kind in PAGE_PROBLEM_CODES.items():
        text += f"\n### `{code}`\n\n{kind.consequence} {kind.remedy}\n"
    return text


def _entry(name: str, value: Any) -> str:
    text = f"\n## `{name}`\n\n"
    home = getattr(value, "__module__", "")
    if get_origin(value) is Literal:
        return f"{text}One of {', '.join(f'`{each!r}`' for each in get_args(value))}.\n"
    if home.startswith("fastmcp"):
        return f"{text}FastMCP's own, from `{home}`.\n"
    if isinstance(value, type) and issubclass(value, enum.Enum):
        text += f"{_markdown(inspect.getdoc(value) or '')}\n"
        return text + "".join(f"- `{each.name}` = `{each.value!r}`\n" for each in value)
    if isinstance(value, type):
        text += f"{_signature(name, value)}{_markdown(inspect.getdoc(value) or '')}"
        members = [
            f"- `{each}{'' if isinstance(member, property) else '()'}`: {_first(member)}\n"
            for each, member in vars(value).items()
            if not each.startswith("_") and _first(member) and not isinstance(member, type)
        ]
        return text + ("\n**Members**\n\n" + "".join(members) if members else "")
    if callable(value) and inspect.getdoc(type(value)) != inspect.getdoc(value):
        return f"{text}{_signature(name, value)}{_markdown(inspect.getdoc(value) or '')}"
    if name == "hookimpl":
        return f"{text}Marks a plugin's function as an implementation of the hook of its name.\n"
    if isinstance(value, frozenset):  # its own order is another one in each process
        return f"{text}{', '.join(f'`{each}`' for each in sorted(value))}.\n"
    if isinstance(value, dict):
        return f"{text}For {', '.join(f'`{each}`' for each in value)}.\n"
    return f"{text}Value: `{value!r}`.\n"


def _first(member: Any) -> str:
    if not isinstance(member, property | classmethod | staticmethod) and not inspect.isroutine(
        member
    ):
        return ""
    return (inspect.getdoc(member) or "").partition("\n\n")[0].replace("\n", " ")


def _signature(name: str, value: Any) -> str:
    if isinstance(value, type) and issubclass(value, BaseModel):
        value.model_rebuild()  # before its first use a model does not know its own parameters
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    if isinstance(value, type) and "__init__" not in vars(value) and issubclass(value, Exception):
        return ""
    parameters = list(signature.parameters.values())
    lines, star = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            lines.append("*,")
            star = True
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        lines.append(f"{_unquoted(str(parameter))},")
    returned = ""
    if not isinstance(value, type) and signature.return_annotation is not signature.empty:
        returned = f" -> {_unquoted(inspect.formatannotation(signature.return_annotation))}"
    prefix = "async " if inspect.iscoroutinefunction(value) else ""
    one = f"{prefix}{name}({' '.join(lines).rstrip(',')}){returned}"
    if len(one) > 88 and lines:
        one = f"{prefix}{name}(\n" + "".join(f"    {line}\n" for line in lines) + f"){returned}"
    return f"```py\n{one}\n```\n\n"


def _unquoted(text: str) -> str:
    text = re.sub(r": '([^']*)'", r": \1", text)
    text = text.strip("'") if text.startswith("'") else text
    text = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", text)
    return re.sub(r"<[\w.]+ object at 0x\w+>|<object object at 0x\w+>", "…", text)


def _markdown(doc: str) -> str:
    """A docstring in Google's style, as Markdown."""
    parts = _SECTION.split(doc.replace("```python", "```py"))
    text = f"{parts[0].strip()}\n"
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if section == "Example":
            text += f"\n{inspect.cleandoc(body)}\n"
        elif section in ("Returns", "Yields"):
            text += f"\n**{section}:** {' '.join(body.split())}\n"
        else:
            title = {"Args": "Arguments"}.get(section, section)
            items = "".join(f"- `{name}`: {said}\n" for name, said in _items(body))
            text += f"\n**{title}**\n\n{items}"
    return text


def _items(body: str) -> list[tuple[str, str]]:
    parts = _ITEM.split(body)
    return [
        (name, " ".join(said.split())) for name, said in zip(parts[1::2], parts[2::2], strict=True)
    ]


def errors() -> str:
    """The errors page: written by hand, up to the builder's codes."""
    written = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    by_hand, heading, rest = written.partition("## Pages from files\n")
    return by_hand + heading + rest.partition("\n###")[0] + page_problems()


PAGES = {
    "api.md": api,
    "host.md": host_api,
    "testing.md": testing_api,
    "hooks.md": hooks,
    "settings.md": settings,
    "cli.md": cli,
    "errors.md": errors,
}


if __name__ == "__main__":
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for file, write in PAGES.items():
        (REFERENCE / file).write_text(write(), encoding="utf-8")
        sys.stdout.write(f"{REFERENCE / file}\n")
