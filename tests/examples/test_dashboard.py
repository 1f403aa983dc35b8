"""A page that asks again while somebody looks at it, and only then."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from mcp_apps_plugin.protocol.constants import MIME_TYPE

URI = "ui://machine/dashboard"
STAT = """\
cpu  60 0 40 {idle} 100 0 0 0 9 9
cpu0 30 0 20 {idle} 50 0 0 0 9 9
cpu1 {busy} 0 20 7 5 0 0 0 0 0
intr 5 0
ctxt 7
"""
COUNT_CALLS = """() => {
  const call = app.callServerTool;
  globalThis.asked = 0;
  globalThis.last = Promise.resolve();
  app.callServerTool = (...given) => { asked += 1; return last = call(...given); };
}"""
# A browser without a window has no tab to put away; the page learns of it all the same.
HIDE_TAB = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
linux = pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs Linux's /proc")


@pytest.fixture
def server_file(examples):
    return examples / "dashboard" / "server.py"


@pytest.fixture
def machine(server_file, monkeypatch):
    """The example's module."""
    monkeypatch.syspath_prepend(str(server_file.parent))
    yield importlib.import_module("machine")
    del sys.modules["machine"]


def counted(proc, *, seconds, idle, busy, received):
    """Write the counters of one moment, as the kernel writes them."""
    (proc / "net").mkdir(parents=True, exist_ok=True)
    (proc / "uptime").write_text(f"{seconds} 99.00\n")
    (proc / "stat").write_text(STAT.format(idle=idle, busy=busy))
    rest = "1 0 0 0 0 0 0 7000 1 0 0 0 0 0 0\n"
    heads = "Inter-| Receive | Transmit\n face |bytes packets\n"
    (proc / "net" / "dev").write_text(f"{heads}    lo: 999 {rest}  eth0:{received} {rest}")
    (proc / "meminfo").write_text("MemTotal: 4194304 kB\nMemFree: 9 kB\nMemAvailable: 3145728 kB\n")
    (proc / "loadavg").write_text("1.25 1.00 0.75 2/345 6789\n")


def gigabytes_here():
    """Read how much memory there is."""
    name, kilobytes, _ = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()[0].split()
    assert name == "MemTotal:"
    return round(int(kilobytes) / 1024 / 1024, 1)


def test_the_figures_are_what_happened_in_between(machine, tmp_path):
    """Shares of each core and of all, and rates of the network, out of two looks."""
    counted(tmp_path, seconds=100.0, idle=1000, busy=10, received=5000)
    before = machine.read_counters(tmp_path)
    assert (before.busy, before.total) == ([50, 30], [1100, 42])
    counted(tmp_path, seconds=102.0, idle=1060, busy=50, received=9000)
    reading = machine.reading_since(before, tmp_path)
    assert reading.cores == [0.0, 100.0]
    assert reading.cpu == 40.0
    assert (reading.memory, reading.memory_total, reading.load) == (1.0, 4.0, 1.25)
    assert (reading.received, reading.sent) == (2.0, 0.0)


def test_it_says_so_where_there_is_no_proc(machine, tmp_path):
    """On another system the tool fails with a sentence."""
    with pytest.raises(OSError, match="only Linux"):
        machine.read_counters(tmp_path)


@linux
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_reads_this_machine(server_file, mode, tmp_path):
    """Figures for the page, a sentence for clients that show text, in both eras."""
    transport = StdioTransport(sys.executable, [str(server_file)], log_file=tmp_path / "log.txt")
    async with Client(transport, mode=mode) as client:
        tools = {tool.name: tool.meta["ui"] for tool in await client.list_tools()}
        assert tools == {
            "show_machine": {"resourceUri": URI, "visibility": ["model", "app"]},
            "measure": {"visibility": ["app"]},
        }
        (page,) = await client.read_resource(URI)
        assert page.mime_type == MIME_TYPE
        called = await client.call_tool("show_machine")
        first = called.structured_content
        (block,) = called.content
        assert block.text == (
            "{host}: CPU {cpu} %, memory {memory} of {memory_total} GB, load {load}"
        ).format_map(first)
        assert first["memory_total"] == gigabytes_here()
        assert 0 <= first["cpu"] <= 100
        counters = first["counters"]
        again = (await client.call_tool("measure", {"since": counters})).structured_content
        assert len(again["cores"]) == len(counters["busy"])
        assert again["counters"]["seconds"] >= counters["seconds"]
        assert sum(again["counters"]["total"]) >= sum(counters["total"])


@linux
@pytest.mark.browser
async def test_it_polls_only_while_somebody_looks(server_file, mcp_apps_browser):
    """Out of sight, in a hidden tab and after its end, the page asks for nothing."""
    async with (
        mcp_apps_browser(server_file) as browser,
        browser.open("show_machine") as session,
    ):
        await session.wait_for_text("kB/s")
        frame, tab = session.frame, session.stage.tab

        async def asked(within: int) -> int:
            await tab.clock.run_for(within)
            return await frame.evaluate("last.then(() => asked)")

        await tab.clock.install()  # from here on time passes when this test says so
        await frame.evaluate(COUNT_CALLS)
        await frame.get_by_label("Time between").select_option("5")
        assert await asked(0) == 1
        for polls in (1, 2, 3):
            assert await asked(4_900) == polls
            assert await asked(200) == polls + 1
        assert await frame.evaluate("readings.length") == 5

        await tab.evaluate("frame.style.marginTop = '5000px'")
        await session.wait_for_text("Paused")
        assert await asked(60_000) == 4
        await tab.evaluate("frame.style.marginTop = 0")
        await session.wait_for_text("Live")
        assert await asked(0) == 5

        await frame.evaluate(HIDE_TAB, arg=True)
        await session.wait_for_text("Paused")
        assert await asked(60_000) == 5
        await frame.evaluate(HIDE_TAB, arg=False)
        await session.wait_for_text("Live")
        assert await asked(0) == 6

        assert await session.teardown()
        await session.wait_for_text("Ended")
        assert await asked(60_000) == 6
        assert (session.errors, session.violations, session.refusals) == ([], [], [])


@linux
@pytest.mark.browser
async def test_it_shows_more_in_full_screen(server_file, mcp_apps_browser):
    """The cores come with the room for them, where the host has full screen; themes follow."""
    context = {"theme": "light", "available_display_modes": ["inline", "fullscreen"]}
    async with (
        mcp_apps_browser(server_file, context=context) as browser,
        browser.open("show_machine") as session,
    ):
        await session.wait_for_text("kB/s")
        frame = session.frame
        assert "Core 0" not in await session.text()
        await frame.get_by_role("button", name="Full screen").click()
        await session.wait_for_text("Core 0")
        await frame.get_by_role("button", name="Back").click()
        await frame.get_by_role("button", name="Full screen").wait_for()
        assert "Core 0" not in await session.text()
        assert session.record.display_modes == ["fullscreen", "inline"]
        await session.change_context(theme="dark")
        await frame.locator("html[data-theme=dark]").wait_for()


@linux
@pytest.mark.browser
async def test_it_offers_no_full_screen_where_there_is_none(server_file, mcp_apps_browser):
    """A host with one mode gets no button that does nothing."""
    async with (
        mcp_apps_browser(server_file) as browser,
        browser.open("show_machine") as session,
    ):
        await session.wait_for_text("kB/s")
        assert not await session.frame.locator("#mode").is_visible()
