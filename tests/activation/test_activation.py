"""Switching on and off, in processes of their own, with the installed distribution."""

# Programs stand in strings here, one statement a line.
# ruff: noqa: E501, ISC004

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

PRELUDE = """
import asyncio, json, sys, warnings
from fastmcp import FastMCP, Client

def listed(server, mode="auto"):
    async def main():
        async with Client(server, mode=mode) as client:
            return [(t.meta or {}).get("ui", {}).get("resourceUri") for t in await client.list_tools()]
    return asyncio.run(main())

def extensions(server):
    async def main():
        async with Client(server, mode="legacy") as client:
            return client.initialize_result.capabilities.extensions
    return asyncio.run(main())

def snapshot():
    import fastmcp.resources, fastmcp.tools
    from fastmcp.server.low_level import LowLevelServer
    from fastmcp.server.transforms import Namespace
    from fastmcp.tools.tool_transform import TransformedTool
    owners = [FastMCP, fastmcp.tools.Tool, TransformedTool, Namespace, fastmcp.resources.Resource,
              fastmcp.resources.ResourceTemplate, fastmcp.tools.FunctionTool, LowLevelServer, Client]
    return {f"{o.__name__}.{k}": v for o in owners for k, v in vars(o).items()
            if k not in ("__dict__", "__abstractmethods__", "_abc_impl")}

def state(server):
    return {
        "providers": list(map(repr, server.providers)),
        "middleware": list(map(repr, server.middleware)),
        "low": list(map(repr, server._mcp_server.middleware)),
        "vars": sorted(vars(server)),
        "metas": [repr((c.meta, type(c.meta).__name__, getattr(c, "mime_type", None), sorted(vars(c))))
                  for c in server._local_provider._components.values()],
    }
"""
UI = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}


def test_the_installed_distribution() -> None:
    """The tests run against an installed distribution, which names our plugin and no other."""
    found = [e for e in entry_points(group="mcp_apps_plugin") if e.dist is not None]
    if not found:
        pytest.skip("the package is on the path, not installed")
    assert [(e.name, e.value) for e in found] == [("builtin", "mcp_apps_plugin.plugins.builtin")]


def test_installed_but_not_imported(run_python: Any) -> None:
    """Without an import nothing of this package is loaded, and FastMCP is as it is."""
    code = """
        before = snapshot()
        server = FastMCP("s")
        print(json.dumps([extensions(server), any(m.startswith("mcp_apps") for m in sys.modules),
                          snapshot() == before]))
    """
    assert run_python(PRELUDE + _flat(code)) == [None, False, True]


def test_the_import_is_the_switch(run_python: Any) -> None:
    """Servers made before the import and after it have the capability, with no warning."""
    code = """
        early = FastMCP("early")
        class Own(FastMCP):
            def __init__(self, **options): super().__init__("own", **options)
        class Later:
            pass
        subclass = Own()
        import mcp_apps_plugin
        print(json.dumps([extensions(early), extensions(FastMCP("late")), extensions(subclass),
                          extensions(Own()), mcp_apps_plugin.is_active()]))
    """
    assert run_python(PRELUDE + _flat(code)) == [UI, UI, UI, UI, True]


def test_a_server_made_while_serving(run_python: Any) -> None:
    """A server that runs while the package is imported has pages from then on."""
    code = """
        server = FastMCP("s")
        @server.tool(meta={"ui": {"resourceUri": "ui://a/b"}})
        def f() -> dict: return {}
        async def main():
            async with Client(server) as client:
                import mcp_apps_plugin
                @server.resource("ui://a/b")
                def page() -> bytes: return b"<p>"
                (tool,) = await client.list_tools()
                (item,) = await client.read_resource("ui://a/b")
                return [tool.meta["ui"], item.mime_type]
        print(json.dumps(asyncio.run(main())))
    """
    ui, mime = run_python(PRELUDE + _flat(code))
    assert ui == {"resourceUri": "ui://a/b", "visibility": ["model", "app"]}
    assert mime == "text/html;profile=mcp-app"


def test_twice_and_in_threads(run_python: Any) -> None:
    """Activating again, or at once in many threads, attaches once to every server."""
    code = """
        import threading
        from mcp_apps_plugin import activate, deactivate
        init = FastMCP.__init__
        assert activate() and activate() and FastMCP.__init__ is init
        deactivate()
        servers = [FastMCP(str(n)) for n in range(8)]
        barrier = threading.Barrier(16)
        def work(number):
            barrier.wait()
            if number % 2: activate()
            else: servers.append(FastMCP(f"t{number}"))
        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for t in threads: t.start()
        for t in threads: t.join()
        activate()
        counts = [sum("PageProvider" in repr(type(p)) for p in s.providers) for s in servers]
        low = [sum("mcp_apps" in type(m).__module__ for m in s._mcp_server.middleware) for s in servers]
        print(json.dumps([len(servers), sorted(set(counts)), len(set(low)), extensions(servers[0])]))
    """
    assert run_python(PRELUDE + _flat(code)) == [16, [1], 1, UI]


def test_disabled(run_python: Any) -> None:
    """With `MCP_APPS_DISABLE=1` the import changes nothing, and decorators still work."""
    code = """
        before = snapshot()
        from mcp_apps_plugin import activate, attach_ui, is_active, ui, AppsTypeError
        server = FastMCP("s")
        @server.tool
        @ui("ui://a/b")
        def f() -> dict: return {}
        try: attach_ui(server, {"f": "ui://a/b"})
        except AppsTypeError as error: said = str(error)
        print(json.dumps([is_active(), activate(), snapshot() == before, extensions(server),
                          listed(server), said]))
    """
    active, activated, same, extensions, tools, said = run_python(
        PRELUDE + _flat(code), env={"MCP_APPS_DISABLE": "1"}
    )
    assert (active, activated, same, extensions, tools) == (False, False, True, None, [None])
    assert "MCP_APPS_DISABLE" in said


def test_a_wrong_switch(run_python: Any) -> None:
    """A variable with a wrong value stops the import, named, with FastMCP untouched."""
    stderr = run_python(
        "import mcp_apps_plugin", env={"MCP_APPS_DISABLE": "maybe"}, fails="MCP_APPS"
    )
    assert "MCP_APPS_DISABLE" in stderr


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("MCP_APPS_AUDITT", "MCP_APPS_AUDITT: is no setting. Did you mean `MCP_APPS_AUDIT`?"),
        ("MCP_APPS_DIALECT", "Did you mean `MCP_APPS_DIALECTS`?"),
        ("mcp_apps_strct", "Did you mean `MCP_APPS_STRICT`?"),
        ("MCP_APPS_SOMETHING_ELSE", "MCP_APPS_SOMETHING_ELSE: is no setting. It does nothing."),
        ("MCP_APPS_CHROMIUM", ""),
        ("mcp_apps_strict", ""),
        ("MCP_APPSTRICT", ""),
    ],
)
def test_a_misspelt_variable(run_python: Any, variable: str, said: str) -> None:
    """A variable that is named like a setting and is none is said once, with the nearest one."""
    code = """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import mcp_apps_plugin
            mcp_apps_plugin.activate()
            FastMCP("s")
        print(json.dumps([[type(w.message).__name__, str(w.message), w.filename] for w in caught]))
    """
    caught = run_python(PRELUDE + _flat(code), env={variable: "1"})
    assert [kind for kind, _, _ in caught] == (["MCPAppsWarning"] if said else [])
    assert said in "".join(message for _, message, _ in caught)
    assert all("[settings-unknown]" in message for _, message, _ in caught)
    # Who imports is named, and not a line of this package.
    assert {Path(file).name for _, _, file in caught} <= {"program.py"}


def test_a_misspelt_variable_where_warnings_are_errors(run_python: Any) -> None:
    """A warning that was made an error stops the import before FastMCP is touched."""
    code = """
        before = snapshot()
        try: import mcp_apps_plugin
        except Warning as warning: print(json.dumps([str(warning)[:36], snapshot() == before]))
    """
    assert run_python(PRELUDE + _flat(code), env={"MCP_APPS_AUDITT": "off"}) == [
        "environment variable MCP_APPS_AUDITT",
        True,
    ]


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("DISABLE", "maybe", "boolean"),
        ("STRICT", "2", "boolean"),
        ("AUDIT", "of", "'error', 'warn' or 'off'"),
        ("DIALECTS", "flat openay", "`openay` is none of flat, openai. Did you mean `openai`?"),
        ("PAGE_BUDGET", "1MB", "integer"),
        ("PAGE_BUDGET", "0", "greater than 0"),
        ("CSP_CONNECT_DOMAINS", "a.example", "`a.example`"),
        ("CSP_RESOURCE_DOMAINS", "https://a/b", "`https://a/b` has a path"),
        ("CSP_FRAME_DOMAINS", "*", "`*`"),
        ("CSP_BASE_URI_DOMAINS", "'self'", "`'self'`"),
    ],
)
def test_a_wrong_value(run_python: Any, variable: str, value: str, said: str) -> None:
    """A value that is not allowed stops the import: variable, value, what is allowed, code."""
    name = f"MCP_APPS_{variable}"
    stderr = run_python("import mcp_apps_plugin", env={name: value}, fails="AppsValueError")
    last = stderr.splitlines()[-1]
    assert f"environment variable {name}: is {value!r}. " in last
    assert said in last
    assert not {"?.", ".."} & {last[place : place + 2] for place in range(len(last))}
    assert last.endswith("[settings-invalid]")


def test_two_wrong_values(run_python: Any) -> None:
    """All wrong values are said at once."""
    env = {"MCP_APPS_AUDIT": "of", "MCP_APPS_STRICT": "no way"}
    stderr = run_python("import mcp_apps_plugin", env=env, fails="AppsValueError")
    assert stderr.count("[settings-invalid]") == 2


SERVER = """
from pathlib import Path
from fastmcp.resources import FileResource, TextResource
from fastmcp.apps import AppConfig
Path("page.html").write_text("<p>file")

def build(name):
    server = FastMCP(name)
    server.add_resource(FileResource(uri="ui://a/file", path=Path("page.html").absolute()))
    server.add_resource(TextResource(uri="ui://a/text", text="<p>"))
    server.resource("ui://a/page", app=AppConfig(domain="x"))(page)
    server.resource("ui://a/t/{item}")(template)
    server.tool(app=AppConfig(resource_uri="ui://a/page"))(f)
    server.tool(plain, meta={"k": 1})
    return server

def page() -> str: return "<p>"
def template(item: str) -> str: return item
def f() -> dict: return {}
def plain() -> dict: return {}

async def use(server):
    async with Client(server) as client:
        tools = await client.list_tools()
        resources = await client.list_resources()
        templates = await client.list_resource_templates()
        reads = [await client.read_resource(u) for u in
                 ("ui://a/file", "ui://a/text", "ui://a/page", "ui://a/t/1")]
        call = await client.call_tool("f")
        return repr([tools, resources, templates, reads, call.content, call.structured_content])
"""


def test_deactivate(run_python: Any) -> None:
    """`deactivate()` leaves FastMCP, every server and every component as they were found."""
    code = """
        server = build("early")
        plain_answers = asyncio.run(use(server))
        before, was = snapshot(), state(server)
        import mcp_apps_plugin
        from mcp_apps_plugin import activate, attach_ui, deactivate
        late = build("early")
        attach_ui(server, {"plain": "ui://a/page"})
        active_answers = asyncio.run(use(server))
        asyncio.run(use(late))
        deactivate()
        deactivate()
        reports = [snapshot() == before, state(server) == was, plain_answers != active_answers,
                   asyncio.run(use(server)) == plain_answers, asyncio.run(use(late)) == plain_answers,
                   asyncio.run(use(build("early"))) == plain_answers, mcp_apps_plugin.is_active()]
        assert state(server) == was, [(k, v, was[k]) for k, v in state(server).items() if v != was[k]]
        activate()
        reports.append(extensions(server))
        print(json.dumps(reports))
    """
    assert run_python(PRELUDE + SERVER + _flat(code)) == [
        *[True] * 6,
        False,
        UI,
    ]


def test_deactivate_gives_proxies_their_connections_back(run_python: Any) -> None:
    """Neither a proxy nor what it made, nor a tool made from that by hand, keeps our factory."""
    code = """
        from fastmcp.server import create_proxy
        from fastmcp.tools import Tool
        from mcp.client.extension import advertise
        from mcp_apps_plugin import activate, deactivate, supports_apps

        shows = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
        back = FastMCP("back")
        back.tool(lambda: supports_apps().value, name="told")
        back.resource("data://x", name="x")(lambda: "x")
        back.resource("data://x/{y}", name="y")(lambda y: y)
        back.prompt(lambda: "p", name="p")
        proxy, front = create_proxy(back), FastMCP("front")
        front.mount(proxy)
        (provider,) = (each for each in proxy.providers if hasattr(each, "client_factory"))
        plain = provider.client_factory

        def factories():
            kinds = ("tools", "resources", "templates", "prompts")
            caches = [getattr(provider, f"_{kind}_cache") for kind in kinds]
            made = [item for cache in caches for item in cache.items]
            assert len(made) == 4
            by_hand = [c.parent_tool for c in front.local_provider._components.values()]
            return [provider.client_factory, *(c._client_factory for c in (*made, *by_hand))]

        async def use(server=front, names=("told", "mine")):
            async with Client(server, extensions=[shows]) as client:
                await client.list_tools()
                await client.list_resources()
                await client.list_resource_templates()
                await client.list_prompts()
                return [(await client.call_tool(name)).content[0].text for name in names]

        async def main():
            async with Client(proxy) as client:
                await client.list_tools()
            held = await proxy.get_tool("told")
            front.add_tool(Tool.from_tool(held, name="mine"))
            reports = [await use(), plain in factories()]
            kept = await proxy.get_tool("told")
            reports += [await use(), plain in factories()]
            deactivate()
            other = FastMCP("other")
            other.add_tool(kept)
            reports += [await use(), all(each is plain for each in factories())]
            reports += await use(other, ["told"])
            activate()
            reports += [await use(), plain in factories()]
            return reports

        print(json.dumps(asyncio.run(main())))
    """
    told = [["yes", "yes"], False]
    assert run_python(PRELUDE + _flat(code)) == [*told, *told, ["no", "no"], True, "no", *told]


def test_deactivate_under_another_wrapper(run_python: Any) -> None:
    """A wrapper that somebody else put around ours stays, and ours does nothing any more."""
    code = """
        import functools
        import mcp_apps_plugin
        ours = FastMCP.__init__
        @functools.wraps(ours)
        def theirs(self, *args, **kwargs):
            ours(self, *args, **kwargs)
            self.theirs = True
        FastMCP.__init__ = theirs
        mcp_apps_plugin.deactivate()
        server = FastMCP("s")
        kept = [FastMCP.__init__ is theirs, server.theirs, extensions(server)]
        mcp_apps_plugin.activate()
        counts = [sum("PageProvider" in repr(type(p)) for p in s.providers)
                  for s in (server, FastMCP("t"))]
        print(json.dumps([*kept, counts]))
    """
    assert run_python(PRELUDE + _flat(code)) == [True, True, None, [1, 1]]


def test_odd_objects_in_memory(run_python: Any) -> None:
    """Half-made servers, dead proxies and objects that lie about their class disturb nothing."""
    code = """
        import weakref
        class Thing: pass
        thing = Thing()
        dead = weakref.proxy(thing)
        del thing
        class Local:
            @property
            def __class__(self): raise RuntimeError("outside of a request")
        local = Local()
        class Liar:
            __class__ = FastMCP
        liar = Liar()
        half = FastMCP.__new__(FastMCP)
        server = FastMCP("s")
        import mcp_apps_plugin
        try: half.providers
        except AttributeError as error: said = str(error)
        print(json.dumps([extensions(server), vars(liar), vars(half), said]))
    """
    assert run_python(PRELUDE + _flat(code)) == [
        UI,
        {},
        {},
        "'FastMCP' object has no attribute 'providers'",
    ]


@pytest.mark.parametrize(
    "use",
    [
        "listed(server)",
        "[t.name for t in asyncio.run(server.list_tools(run_middleware=False))]",
        "[t.meta for t in asyncio.run(server.list_tools())]",
        "asyncio.run(server.get_tool('f')).meta",
        "str(asyncio.run(server.read_resource('ui://a/b')))",
        "(lambda parent: (parent.mount(server), listed(parent))[1])(FastMCP('parent'))",
        "(attach_ui(server, {'g*': 'ui://a/b'}), listed(server))[1]",
        "[str(found) for found in asyncio.run(audit(server)).findings]",
        "(server.add_middleware(Middleware()), [type(m).__name__ for m in server.middleware])[1]",
    ],
)
def test_each_first_use_of_an_older_server(run_python: Any, use: str) -> None:
    """However a server from before the import is used first, it is as if it was made after."""
    code = f"""
        from fastmcp.server.middleware import Middleware
        def page(): return "<p>"
        def f() -> dict: return {{}}
        def g() -> dict: return {{}}
        def make():
            server = FastMCP("server", tools=[f, g])
            server.resource("ui://a/b")(page)
            return server
        old = make()
        from mcp_apps_plugin import attach_ui, audit
        from mcp_apps_plugin.server.older_servers import KEY
        def used(server): return {use}
        before = KEY in vars(old)
        print(json.dumps([before, used(old), used(make()), KEY in vars(old)]))
    """
    before, found, expected, after = run_python(PRELUDE + _flat(code))
    assert (before, after) == (False, True)
    assert found == expected


def test_a_tool_of_an_older_server_is_not_forgotten(run_python: Any) -> None:
    """A server that starts does not call a tool unregistered that stands on an older one."""
    code = """
        old = FastMCP("old")
        from mcp_apps_plugin import audit, ui
        @old.tool
        @ui("ui://a/b")
        def f() -> dict: return {}
        print(json.dumps([str(found) for found in asyncio.run(audit(FastMCP("new"))).findings]))
    """
    assert run_python(PRELUDE + _flat(code)) == []


def test_a_server_that_serves_already(run_python: Any) -> None:
    """Over HTTP the very first request after the import sees the capability, in both eras."""
    code = """
        import socket, threading, time, uvicorn
        server = FastMCP("s")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        served = uvicorn.Server(uvicorn.Config(server.http_app(), port=port, log_level="error", ws="none"))
        threading.Thread(target=served.run, daemon=True).start()
        while not served.started: time.sleep(0.01)
        async def said(mode):
            async with Client(f"http://127.0.0.1:{port}/mcp", mode=mode) as client:
                capabilities = client.server_capabilities if mode == "auto" else client.initialize_result.capabilities
                return capabilities.extensions
        before = [asyncio.run(said("MODE"))]
        import mcp_apps_plugin
        print(json.dumps([*before, asyncio.run(said("MODE"))]))
        served.should_exit = True
    """
    for mode in ("legacy", "auto"):
        before, after = run_python(PRELUDE + _flat(code).replace("MODE", mode))
        assert before != after == UI


def test_a_server_that_is_no_key(run_python: Any) -> None:
    """A subclass with an `__eq__` and no hash has pages like any other server."""
    code = """
        class Own(FastMCP):
            def __eq__(self, other): return type(self) is type(other)
        old = Own("old")
        import mcp_apps_plugin
        new = Own("new")
        both = [extensions(old), extensions(new)]
        mcp_apps_plugin.deactivate()
        print(json.dumps([*both, extensions(old), extensions(new)]))
    """
    assert run_python(PRELUDE + _flat(code)) == [UI, UI, None, None]


def test_servers_are_not_kept_alive(run_python: Any) -> None:
    """A server that nobody holds is collected with what this package added to it."""
    code = """
        import gc, weakref
        import mcp_apps_plugin
        def use():
            server = FastMCP("s")
            listed(server)
            return weakref.ref(server)
        ref = use()
        gc.collect()
        print(json.dumps(ref() is None))
    """
    assert run_python(PRELUDE + _flat(code)) is True


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "from fastmcp.tools import Tool\n"
            "o = Tool.convert_result\n"
            "Tool.convert_result = lambda self, value: o(self, value)",
            ["Tool: has no `convert_result(self, raw_value)`", "`text=` and `fallback=`"],
        ),
        (
            "from fastmcp.tools import Tool\ndel Tool._run",
            ["TransformedTool: has no `_run(self, arguments)`"],
        ),
        (
            "from fastmcp.resources import Resource\n"
            "Resource.convert_result = lambda self, other: None",
            ["Resource: has no `convert_result(self, raw_value)`"],
        ),
        (
            "i = FastMCP.__init__\n"
            "class Odd:\n"
            "    def __get__(self, obj, owner): return i.__get__(obj, owner) if obj else i\n"
            "FastMCP.__init__ = Odd()",
            ["FastMCP: has no `__init__(self)`", "no pages"],
        ),
        (
            "from fastmcp.tools import Tool\nfrom fastmcp.resources import Resource\n"
            "o = Tool.convert_result\n"
            "Tool.convert_result = lambda self, value: o(self, value)\n"
            "Resource.convert_result = lambda self, other: None",
            ["Tool: has no `convert_result", "Resource: has no `convert_result"],
        ),
    ],
)
def test_another_fastmcp(run_python: Any, change: str, said: list[str]) -> None:
    """Where FastMCP has another shape, one warning names what is off, and the rest works."""
    code = f"""
{change}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import mcp_apps_plugin
    server = FastMCP("s")
mcp_apps_plugin.deactivate()
print(json.dumps([[type(w.message).__name__ for w in caught], "".join(str(w.message) for w in caught),
                  mcp_apps_plugin.__all__[0]]))
"""
    kinds, message, _ = run_python(PRELUDE + code)
    assert kinds == ["MCPAppsCompatibilityWarning"]
    for each in [*said, "FastMCP", "fastmcp-changed"]:
        assert each in message


@pytest.mark.parametrize(
    "change",
    [
        "gone('fastmcp.server.context')",
        "import fastmcp.server.providers.wrapped_provider as w\ndel w._WrappedProvider",
        "gone('fastmcp.server.mixins.lifespan')",
        "del FastMCP.local_provider",
        "o = FastMCP.__init__\n"
        "import functools\n@functools.wraps(o)\n"
        "def init(self, *args, **options):\n"
        "    o(self, *args, **options)\n"
        "    self._mcp_server.middleware = ()\n"
        "FastMCP.__init__ = init",
    ],
)
def test_a_private_part_is_gone(run_python: Any, change: str) -> None:
    """Where a private part of FastMCP is gone, one warning says so, and servers go on."""
    code = f"""
def gone(module):
    import importlib, types
    real = importlib.import_module
    importlib.import_module = lambda n, *a: types.SimpleNamespace() if n == module else real(n, *a)
{change}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import mcp_apps_plugin
    FastMCP("s")
    server = FastMCP("t")
    async def main():
        async with server._lifespan_manager(): pass
        return [type(p).__name__ for p in server.providers]
    parts = asyncio.run(main())
print(json.dumps([[type(w.message).__name__ for w in caught], parts]))
"""
    kinds, (provider,) = run_python(PRELUDE + code)
    assert kinds == ["MCPAppsCompatibilityWarning"]
    whole = "gone(" in change  # without the others nothing is added to a server
    assert provider.endswith("PageProvider" if whole else "LocalProvider")


def _flat(code: str) -> str:
    import textwrap

    return textwrap.dedent(code)
