"""Finding, isolating, ordering and calling plugins. Nothing else touches pluggy's manager.

pluggy itself stops at the first plugin that fails, at load and at call. Here each stands alone:
a failing one is named in one warning and left out; `MCP_APPS_STRICT=1` raises instead.
"""

from __future__ import annotations

import logging
import threading
import weakref
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pluggy

from mcp_apps_plugin.plugins import hookspecs
from mcp_apps_plugin.protocol.authored import warn_author
from mcp_apps_plugin.protocol.capabilities import merge_settings
from mcp_apps_plugin.protocol.findings import (
    Code,
    Finding,
    MCPAppsError,
    MCPAppsPluginWarning,
    MCPAppsWarning,
    did_you_mean,
    sentence,
)
from mcp_apps_plugin.protocol.metadata import ResourceUi
from mcp_apps_plugin.protocol.shapes import as_object
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import EntryPoint

    from fastmcp import FastMCP
    from fastmcp.tools import Tool

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.plugins.registry import Registry
    from mcp_apps_plugin.protocol.shapes import JsonObject

    Server = FastMCP[Any]

_logger = logging.getLogger("mcp_apps_plugin")
_T = TypeVar("_T")
_HOOK_PREFIX = "mcp_apps_"
_OWN = "mcp-apps-plugin"


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One plugin, for `mcp-apps plugins`.

    Attributes:
        name: Its entry point's name.
        distribution: The distribution that brings it.
        version: That distribution's version.
        status: `"active"`, `"failed"`, or `"off"` by `MCP_APPS_PLUGINS`.
        hooks: The hooks it implements.
        failures: What went wrong with it, at load or later.
    """

    name: str
    distribution: str
    version: str
    status: Literal["active", "failed", "off"]
    hooks: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


class PluginError(MCPAppsError):
    """A plugin failed, and `MCP_APPS_STRICT` asks to raise."""


class PluginManager:
    """The plugins of this process: ours first, then those found through entry points."""

    def __init__(self) -> None:
        from mcp_apps_plugin.plugins.builtin import BUILTIN  # noqa: PLC0415  for servers only

        settings = read_settings()
        self._strict = settings.strict
        self._wanted = settings.plugins
        self._pluggy = pluggy.PluginManager(hookspecs.PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        self._infos: dict[str, PluginInfo] = {}
        self._failures: dict[str, dict[str, str]] = {}
        # By identity: a subclass may be no key.
        self._attached: weakref.WeakValueDictionary[int, Server] = weakref.WeakValueDictionary()
        for name, plugin in BUILTIN.items():
            self.register(plugin, name, distribution=_OWN)

    def load(self) -> None:
        """Load the plugins of the installed distributions."""
        for entry in sorted(entry_points(group=hookspecs.PROJECT), key=lambda each: each.name):
            if entry.value != BUILTIN_MODULE:
                self._load(entry)
        self._warn_of_unknown()

    def _warn_of_unknown(self) -> None:
        """Warn of names in `MCP_APPS_PLUGINS` that no plugin has."""
        installed = [info.name for info in self._infos.values() if info.distribution != _OWN]
        for name in self._wanted or ():
            if name not in {*installed, "none"}:
                finding = Finding(
                    code=Code.SETTINGS_UNKNOWN,
                    subject="environment variable MCP_APPS_PLUGINS",
                    problem=f"names `{name}`, which is no plugin.{did_you_mean(name, installed)}",
                    consequence="No such plugin is loaded.",
                    remedy="`mcp-apps plugins` lists the installed ones.",
                    severity="warning",
                )
                warn_author(finding, MCPAppsWarning)

    def register(
        self, plugin: object, name: str, *, distribution: str = "", version: str = ""
    ) -> None:
        """Take in one plugin; it is told of the servers there are.

        Args:
            plugin: A module or object with functions marked by `hookimpl`.
            name: A unique name.
            distribution: The distribution that brings it.
            version: That distribution's version.
        """
        key = self._key(name, distribution)
        with self._isolated(key, PluginInfo(name, distribution, version, "failed"), "register"):
            unknown = _unknown_hooks(plugin, self._pluggy)
            if unknown:
                message = f"implements no hook of this version: {', '.join(unknown)}"
                raise LookupError(message)
            # Before pluggy 1.7 a plugin that fails its validation stays half registered.
            try:
                self._pluggy.register(plugin, key)
            except Exception:
                if self._pluggy.has_plugin(key):
                    self._pluggy.unregister(name=key)
                raise
            hooks = tuple(caller.name for caller in self._pluggy.get_hookcallers(plugin) or ())
            self._infos[key] = PluginInfo(name, distribution, version, "active", hooks)
            for server in self.servers():
                hook = "mcp_apps_server_attached"
                for _ in self._results(hook, _nothing, {"server": server}, only=key):
                    pass

    def unregister(self, name: str) -> None:
        """Let go of one plugin."""
        if self._pluggy.has_plugin(name):
            self._pluggy.unregister(name=name)
        self._infos.pop(name, None)
        self._failures.pop(name, None)

    def infos(self) -> list[PluginInfo]:
        """List every plugin, in the order they were loaded."""
        return [
            PluginInfo(
                info.name,
                info.distribution,
                _own_version() if info.distribution == _OWN else info.version,
                info.status,
                info.hooks,
                tuple(self._failures.get(key, {}).values()),
            )
            for key, info in self._infos.items()
        ]

    def customize_capabilities(
        self, server: Server, capabilities: JsonObject
    ) -> dict[str, JsonObject]:
        """Merge what plugins declare under `capabilities.extensions`."""
        merged: JsonObject = {}
        arguments = {"server": server, "capabilities": capabilities}
        for result in self._results("mcp_apps_customize_capabilities", _extensions, arguments):
            merged = merge_settings(merged, result or {})
        return merged

    def customize_tool(self, server: Server, tool: Tool, meta: JsonObject) -> JsonObject:
        """Pass a tool's `_meta` through the plugins."""
        arguments = {"server": server, "tool": tool, "meta": dict(meta)}
        for result in self._results("mcp_apps_customize_tool", _json_object, arguments):
            if result is not None:
                meta = result
                arguments["meta"] = dict(result)
        return meta

    def customize_page(self, server: Server, uri: str, ui: JsonObject) -> JsonObject:
        """Pass a page's `_meta.ui` through the plugins; each result has to be valid."""
        arguments = {"server": server, "uri": uri, "ui": dict(ui)}
        for result in self._results("mcp_apps_customize_page", _page_ui, arguments):
            if result is not None:
                ui = result
                arguments["ui"] = dict(result)
        return ui

    def contribute_pages(self, server: Server) -> list[AppResource]:
        """Collect the pages that plugins bring."""
        results = self._results("mcp_apps_contribute_pages", _pages, {"server": server})
        return [page for pages in results for page in pages or ()]

    def audit(self, server: Server, registry: Registry) -> list[Finding]:
        """Collect the findings of every rule."""
        arguments = {"server": server, "registry": registry}
        results = self._results("mcp_apps_audit", _findings, arguments)
        return [finding for findings in results for finding in findings or ()]

    def servers(self) -> list[Server]:
        """List the servers that plugins were told of."""
        return list(self._attached.values())

    def server_attached(self, server: Server) -> None:
        """Tell every plugin of a server; later plugins are told when they are loaded."""
        self._attached[id(server)] = server
        for _ in self._results("mcp_apps_server_attached", _nothing, {"server": server}):
            pass

    def _results(
        self,
        hook: str,
        check: Callable[[Any], _T],
        arguments: dict[str, Any],
        only: str | None = None,
    ) -> Iterator[_T | None]:
        """Call a hook's implementations in this package's order, each on its own.

        `arguments` is read anew before each call, so that a chain can change it on the way.
        """
        order = {name: position for position, name in enumerate(self._infos)}
        implementations: list[Any] = getattr(self._pluggy.hook, hook).get_hookimpls()
        for each in sorted(
            implementations,
            key=lambda i: (i.trylast - i.tryfirst, order.get(i.plugin_name, len(order))),
        ):
            if only is not None and each.plugin_name != only:
                continue
            result: _T | None = None
            try:
                result = check(each.function(**{name: arguments[name] for name in each.argnames}))
            except Exception as error:  # noqa: BLE001  whatever a third party raises
                self._fail(each.plugin_name, self._infos[each.plugin_name], hook, error)
            yield result

    def _load(self, entry: EntryPoint) -> None:
        distribution = entry.dist.name if entry.dist else "?"
        version = entry.dist.version if entry.dist else "?"
        key = self._key(entry.name, distribution)
        if self._wanted is not None and entry.name not in self._wanted:
            self._infos[key] = PluginInfo(entry.name, distribution, version, "off")
            return
        with self._isolated(key, PluginInfo(entry.name, distribution, version, "failed"), "load"):
            plugin = entry.load()
            self.register(plugin, entry.name, distribution=distribution, version=version)

    def _key(self, name: str, distribution: str) -> str:
        """Return what tells a plugin from others: two distributions may name theirs alike."""
        return name if name not in self._infos else f"{name} of {distribution}"

    def _isolated(self, key: str, info: PluginInfo, step: str) -> _Isolated:
        def failed(error: Exception) -> None:
            self._infos[key] = info
            self._fail(key, info, step, error)

        return _Isolated(failed)

    def _fail(self, key: str, info: PluginInfo, step: str, error: Exception) -> None:
        cause = f"{type(error).__name__}: {error}"
        finding = Finding(
            code=Code.PLUGIN_FAILED,
            subject=f"plugin {info.name!r} of {info.distribution or 'this process'} in {step}",
            problem=sentence(cause),
            consequence="It was left out; everything else goes on.",
            remedy="Update or remove it, or switch it off with `MCP_APPS_PLUGINS`.",
            severity="warning",
        )
        if self._strict:
            raise PluginError(finding) from error
        known = self._failures.setdefault(key, {})
        if step not in known:
            known[step] = cause
            if step in {"load", "register"}:
                warn_author(finding, MCPAppsPluginWarning)
            else:  # inside a request, where a warning turned into an error would do harm
                _logger.warning("%s", finding)


class _Isolated:
    """A `with` block whose exceptions go to a function instead of up."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, PluginError):
            return False
        self._failed(error)
        return True


BUILTIN_MODULE = "mcp_apps_plugin.plugins.builtin"


def _unknown_hooks(plugin: object, manager: pluggy.PluginManager) -> list[str]:
    return [
        name
        for name in dir(plugin)
        if name.startswith(_HOOK_PREFIX)
        and manager.parse_hookimpl_opts(plugin, name) is not None
        and not hasattr(hookspecs, name)
    ]


def _own_version() -> str:
    try:
        return version(_OWN)
    except PackageNotFoundError:
        return "?"  # run from a source tree


def _json_object(value: Any) -> JsonObject | None:
    given = as_object(value)
    if given is None and value is not None:
        message = f"returned {type(value).__name__}, not an object"
        raise TypeError(message)
    return given


def _extensions(value: Any) -> dict[str, JsonObject] | None:
    extensions = _json_object(value)
    for settings in (extensions or {}).values():
        _json_object(settings)
    return extensions


def _page_ui(value: Any) -> JsonObject | None:
    given = _json_object(value)
    return None if given is None else ResourceUi(**given).to_wire()


def _pages(value: Any) -> list[AppResource]:
    from mcp_apps_plugin.declarations.page import AppResource  # noqa: PLC0415  heavy, and rare

    return _listed(value, AppResource)


def _findings(value: Any) -> list[Finding]:
    return _listed(value, Finding)


def _nothing(_: Any) -> None:
    return None


def _listed(value: Any, kind: type[_T]) -> list[_T]:
    listed: list[Any] = list(value or ())
    for item in listed:
        if not isinstance(item, kind):
            message = f"returned {type(item).__name__} among its {kind.__name__} objects"
            raise TypeError(message)
    return listed


_lock = threading.RLock()
_loading: PluginManager | None = None
_manager: PluginManager | None = None


def plugins() -> PluginManager:
    """Return this process's plugins, loading them on first use."""
    global _loading, _manager  # noqa: PLW0603  one set of plugins per process
    if _manager is not None:
        return _manager
    with _lock:
        if _manager is None and _loading is None:
            _loading = PluginManager()
            try:
                _loading.load()
                _manager = _loading
            finally:
                _loading = None
        # A plugin may make a server while it is loaded: it gets the plugins there are so far.
        found = _manager or _loading
        assert found is not None  # noqa: S101  one of the two was just set
        return found


def forget_plugins() -> None:
    """Drop the loaded plugins, so that the next use reads the environment again."""
    global _manager  # noqa: PLW0603  one set of plugins per process
    with _lock:
        _manager = None
