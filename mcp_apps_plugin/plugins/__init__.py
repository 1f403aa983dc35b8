"""The plugin system: pluggy hooks, found through the entry-point group `mcp_apps_plugin`.

A plugin is a module or object with functions marked by `mcp_apps_plugin.hookimpl`, named in its
distribution's `pyproject.toml`:

```toml
[project.entry-points.mcp_apps_plugin]
acme = "acme_mcp_apps"
```
"""

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.plugins.manager import PluginInfo, plugins

__all__ = ["PluginInfo", "hookimpl", "plugins"]
