"""Pages in a real Chromium, in the double frame, on two loopback origins, through our bridge."""

import asyncio
import json
import re
import socket
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvicorn
from fastmcp import Client, FastMCP
from fastmcp.resources import ResourceContent, ResourceResult
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from mcp_apps_plugin.host import (
    OUTER_SANDBOX,
    AppBridge,
    Callbacks,
    Reason,
    allow_attribute,
    apps_client_extension,
    proxy_page,
    resolve_page,
    sandbox_headers,
)
from mcp_apps_plugin.protocol.constants import MIME_TYPE

pytestmark = pytest.mark.browser

TESTS = Path(__file__).parent.parent
OFFICIAL = TESTS / "view/js/node_modules/@modelcontextprotocol/ext-apps/dist/src/app-with-deps.js"
OURS = TESTS.parent / "mcp_apps_plugin/view/mcp-app.js"
CHROMIUM = next(
    (path for path in ("/usr/lib/chromium/chromium", "/usr/bin/chromium") if Path(path).exists()),
    None,
)
SECONDS = 20
HOST = """<!doctype html><title>Host</title><iframe id="frame" width="400" height="300"></iframe>
<script>
  const frame = document.getElementById("frame");
  window.strangers = [];
  window.open_proxy = (url, origin, sandbox, allow) => {
    addEventListener("message", (event) => {
      if (event.source === frame.contentWindow && event.origin === origin) fromView(event.data);
      else strangers.push(event.data);
    });
    window.toView = (message) => frame.contentWindow.postMessage(message, origin);
    frame.setAttribute("sandbox", sandbox);
    frame.setAttribute("allow", allow);
    frame.src = url;
  };
</script>"""
SCRIPT = """
  const say = (name, value = null) => app.sendLog({ level: "info", data: [name, value] });
  const refused = [];
  addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  const app = new App({ name: "page", version: "1.0" },
    { availableDisplayModes: ["inline", "fullscreen"] });
  app.ontoolinput = (params) => say("input", params.arguments);
  app.ontoolresult = (params) => say("result", params.structuredContent);
  app.ontoolcancelled = (params) => say("cancelled", params.reason ?? null);
  app.onhostcontextchanged = (changed) => say("changed", changed);
  app.onteardown = async () => { await say("teardown"); return {}; };
  const reach = (url) => fetch(url).then((r) => r.json(), () => "blocked");
  const caught = (promise) => promise.then((r) => r, (error) => ({ error: error.message }));
  const orders = {
    call: (name) => caught(app.callServerTool({ name, arguments: { city: "Rome" } })),
    read: (uri) => caught(app.readServerResource({ uri })),
    link: (url) => caught(app.openLink({ url })),
    mode: (mode) => caught(app.requestDisplayMode({ mode })),
    message: (text) => caught(app.sendMessage({ role: "user", content: [{ type: "text", text }] })),
    context: (data) => caught(app.updateModelContext({ structuredContent: data })),
    reach,
    refused: async () => refused,
    where: async () => {
      let storage = "there";
      try { localStorage.length } catch { storage = "none" }
      let above = "open";
      try { parent.document.title } catch { above = "closed" }
      return { origin: self.origin, storage, above };
    },
    fake: async (method) => parent.postMessage({ jsonrpc: "2.0", method, params: {} }, "*"),
    allowed: async (feature) => document.featurePolicy.allowsFeature(feature),
  };
  addEventListener("message", async (event) => {
    const order = event.data?.params?.order;
    if (order) say(`did ${order}`, (await orders[order](event.data.params.with)) ?? null);
  });
  app.connect().then(() =>
    say("connected", [app.getHostVersion().name, app.getHostContext().theme]));
"""


def official_page() -> str:
    """Write a page with the official library in it, as one document."""
    if not OFFICIAL.exists():
        pytest.skip("needs the official library: npm ci in tests/view/js")
    library = OFFICIAL.read_text(encoding="utf-8")
    (name,) = re.findall(r"([\w$]+) as App\b", library)
    script = f"{library}\n{{ const App = {name};\n{SCRIPT} }}"
    return f'<!doctype html><title>Official</title><script type="module">{script}</script><p>page'


def our_page() -> str:
    """Write a page with this package's library in it, as one document."""
    library = OURS.read_text(encoding="utf-8")
    script = f"{{ const App = McpApp.App;\n{SCRIPT} }}"
    return f"<!doctype html><title>Ours</title><script>{library}</script><script>{script}</script>"


class Stage:
    """A server, our bridge, and a page in a browser between them."""

    def __init__(self, bridge, tab):
        self.bridge = bridge
        self.tab = tab
        self.said = []
        self.opened = []
        self.messages = []
        self.sizes = []
        self._changed = asyncio.Condition()

    async def on_log(self, entry):
        """Take what the page says."""
        async with self._changed:
            self.said.append(tuple(entry.data))
            self._changed.notify_all()

    async def hears(self, name):
        """Wait until the page has said something, and return it."""
        async with asyncio.timeout(SECONDS), self._changed:
            await self._changed.wait_for(lambda: name in dict(self.said))
            return dict(self.said)[name]

    async def order(self, name, argument=None):
        """Have the page do something, and return what came of it."""
        self.said = [said for said in self.said if said[0] != f"did {name}"]
        params = {"order": name, "with": argument}
        message = {"jsonrpc": "2.0", "method": "notifications/x", "params": params}
        await self.tab.evaluate("message => toView(message)", message)
        return await self.hears(f"did {name}")


@asynccontextmanager
async def serving(*routes):
    """Serve on a loopback port of its own; yield the origin."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(Starlette(routes=list(routes)), log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@pytest.fixture
async def chromium():
    """A real Chromium; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.async_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    async with api.async_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-features=IsolateSandboxedIframes"]
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        await browser.close()


def make_server(html, api):
    mcp = FastMCP("weather")
    ui = {
        "csp": {"connectDomains": [api]},
        "permissions": {"geolocation": {}, "clipboardWrite": {}},
    }

    @mcp.tool(meta={"ui": {"resourceUri": "ui://weather/page"}})
    def weather(city: str) -> dict:
        return {"city": city, "celsius": 4}

    @mcp.tool(meta={"ui": {"visibility": ["model"]}})
    def delete_everything(city: str) -> str:
        return city

    @mcp.resource("ui://weather/page", mime_type=MIME_TYPE)
    def page() -> ResourceResult:
        return ResourceResult([ResourceContent(html, mime_type=MIME_TYPE, meta={"ui": ui})])

    return mcp


@pytest.fixture
def perform(chromium):
    """Show a page in the browser, our bridge behind it."""

    async def api(_):
        return JSONResponse({"from": "api"}, headers={"Access-Control-Allow-Origin": "*"})

    async def host_page(_):
        return HTMLResponse(HOST)

    @asynccontextmanager
    async def performing(html):
        served = {}

        async def proxy(_):
            return Response(served["page"], headers=served["headers"])

        async with (
            serving(Route("/api", api)) as declared,
            serving(Route("/api", api)) as undeclared,
            serving(Route("/proxy", proxy)) as sandbox,
            serving(Route("/", host_page)) as host,
            Client(make_server(html, declared), extensions=[apps_client_extension()]) as client,
        ):
            tool = (await client.list_tools())[0]
            page = await resolve_page(client, tool)
            served["page"] = proxy_page(host)
            served["headers"] = sandbox_headers(host, page.policy)
            tab = await chromium.new_page()

            async def send(message):
                await tab.evaluate("message => toView(message)", message)

            async def change(mode):
                return mode

            async def open_link(url):
                stage.opened.append(url)
                return True

            async def on_message(params):
                stage.messages.append(params.content[0].text)
                return True

            async def on_context(_):
                return True

            async def on_size(width, height):
                stage.sizes.append((width, height))

            stage = Stage(None, tab)
            stage.declared, stage.undeclared = declared, undeclared
            callbacks = Callbacks(
                on_log=stage.on_log,
                on_open_link=open_link,
                on_message=on_message,
                on_model_context=on_context,
                on_display_mode=change,
                on_size=on_size,
            )
            context = {
                "theme": "dark",
                "display_mode": "inline",
                "available_display_modes": ["inline", "fullscreen"],
                "container_dimensions": {"width": 400, "maxHeight": 300},
                "styles": {"variables": {"--font-sans": "Inter", "--unknown": "x"}},
                "platform": "web",
                "locale": "en-GB",
            }
            bridge = AppBridge(
                client, tool, page=page, callbacks=callbacks, context=context, send=send
            )
            async with bridge:
                stage.bridge = bridge
                await tab.expose_function("fromView", bridge.receive)
                await tab.goto(host)
                arguments = [f"{sandbox}/proxy", sandbox, OUTER_SANDBOX]
                arguments.append(allow_attribute(page.permissions))
                await tab.evaluate("arguments => open_proxy(...arguments)", arguments)
                yield stage
            await tab.close()

    return performing


@pytest.mark.parametrize("write_page", [official_page, our_page])
async def test_a_page_lives_its_whole_life(perform, write_page):
    """From handshake to teardown, with the official library and with ours."""
    html = write_page()
    async with perform(html) as stage:
        bridge = stage.bridge
        running = asyncio.create_task(bridge.run_tool({"city": "Oslo"}))
        await bridge.wait_ready(SECONDS)
        await running
        assert await stage.hears("connected") == ["mcp-apps-plugin", "dark"]
        assert await stage.hears("input") == {"city": "Oslo"}
        assert await stage.hears("result") == {"city": "Oslo", "celsius": 4}
        names = [name for name, _ in stage.said if name in ("input", "result")]
        assert names == ["input", "result"]

        called = await stage.order("call", "weather")
        assert called["structuredContent"] == {"city": "Rome", "celsius": 4}
        assert "not available" in (await stage.order("call", "delete_everything"))["error"]
        assert bridge.refusals.counts[Reason.TOOL_NOT_VISIBLE] == 1
        read = await stage.order("read", "ui://weather/page")
        assert read["contents"][0]["text"] == html

        assert (await stage.order("link", "javascript:alert(1)")).get("isError") is True
        assert not (await stage.order("link", "https://a.example/")).get("isError")
        assert stage.opened == ["https://a.example/"]
        assert not (await stage.order("message", "hello")).get("isError")
        assert stage.messages == ["hello"]
        assert "error" not in (await stage.order("context", {"chosen": 1}) or {})
        assert bridge.model_context.structured_content == {"chosen": 1}

        assert (await stage.order("mode", "fullscreen"))["mode"] == "fullscreen"
        assert await stage.hears("changed") == {"displayMode": "fullscreen"}
        await bridge.update_context(theme="light")
        await asyncio.sleep(0.2)
        assert ("changed", {"theme": "light"}) in stage.said
        assert stage.sizes

        assert await bridge.teardown(SECONDS, reason="done") is True
        assert ("teardown", None) in stage.said


async def test_the_sandbox_holds(perform):
    """Opaque origin, no storage, no way up; the declared origin answers, the other is blocked."""
    async with perform(our_page()) as stage:
        await stage.bridge.wait_ready(SECONDS)
        assert await stage.order("where") == {
            "origin": "null",
            "storage": "none",
            "above": "closed",
        }
        assert await stage.order("reach", f"{stage.declared}/api") == {"from": "api"}
        assert await stage.order("reach", f"{stage.undeclared}/api") == "blocked"
        assert "connect-src" in await stage.order("refused")
        assert await stage.order("allowed", "geolocation") is True
        assert await stage.order("allowed", "camera") is False


async def test_a_page_cannot_speak_for_the_proxy(perform):
    """What belongs to host and proxy alone is not relayed from the page."""
    async with perform(our_page()) as stage:
        await stage.bridge.wait_ready(SECONDS)
        for name in ("proxy-ready", "resource-ready", "anything"):
            await stage.order("fake", f"ui/notifications/sandbox-{name}")
        assert stage.bridge.stage == "ready"
        assert await stage.tab.evaluate("strangers") == []
        await stage.order("fake", "notifications/unknown")
        assert stage.bridge.refusals.counts == {Reason.UNKNOWN_METHOD: 1}


async def test_a_page_loaded_anew_starts_again(perform):
    """The proxy reloaded: page, handshake and data come once more."""
    async with perform(our_page()) as stage:
        await stage.bridge.run_tool({"city": "Oslo"})
        await stage.hears("result")
        stage.said.clear()
        await stage.tab.evaluate("frame.src = frame.src")
        assert await stage.hears("result") == {"city": "Oslo", "celsius": 4}
        assert [name for name, _ in stage.said].count("input") == 1


async def test_nobody_else_may_embed_the_proxy(perform, chromium):
    """Another origin's frame stays empty: the header names the host."""
    async with perform(our_page()) as stage:
        await stage.bridge.wait_ready(SECONDS)
        proxy = await stage.tab.evaluate("frame.src")

        async def stranger(_):
            return HTMLResponse(f"<iframe src={json.dumps(proxy)}></iframe>")

        async with serving(Route("/", stranger)) as origin:
            tab = await chromium.new_page()
            errors = []
            tab.on("console", lambda entry: errors.append(entry.text))
            await tab.goto(origin)
            await asyncio.sleep(0.3)
            assert any("frame-ancestors" in error for error in errors)
            await tab.close()
