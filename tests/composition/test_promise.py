"""The one promise, on random trees: what a client or a page sees works where it was seen.

Every page carries the mark of the tool that means it; every tool says whose it is. A tree is put
together from mounts, namespaces, providers, proxies, renamed tools, shared pages and addresses
that several servers use, and is looked at over the wire in both eras.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections import Counter
from dataclasses import dataclass, field

import pytest
from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.providers import FastMCPProvider, LocalProvider
from fastmcp.server.providers.proxy import ProxyProvider
from fastmcp.server.transforms import Namespace, ToolTransform
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from fastmcp.tools.tool_transform import ToolTransformConfig
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp_types import ResourceLink

from mcp_apps_plugin import AppsExtension, ui

EXAMPLES = int(os.environ.get("COMPOSITION_EXAMPLES", "20"))
COUNTS: Counter[str] = Counter()

names = st.sampled_from(["show", "list", "edit"])
addresses = st.sampled_from(["ui://one/view", "ui://two/view", "ui://a/one/view"])
namespaces = st.sampled_from([None, "a", "b", "one"])


@dataclass
class Plan:
    """One server of a tree, before it is built."""

    tools: list[tuple[str, str]] = field(default_factory=list)
    below: list[tuple[Plan, str | None, str]] = field(default_factory=list)
    provider: tuple[list[tuple[str, str]], str | None] | None = None
    inherited: list[tuple[str, str]] = field(default_factory=list)
    namespace: str | None = None
    renames: bool = False
    twice: str | None = None


tools = st.lists(
    st.tuples(names, addresses), max_size=3, unique_by=(lambda t: t[0], lambda t: t[1])
)
leaves = st.builds(Plan, tools=tools, renames=st.booleans())
plans = st.recursive(
    leaves,
    lambda deeper: st.builds(
        Plan,
        tools=tools,
        below=st.lists(
            st.tuples(deeper, namespaces, st.sampled_from(["mount", "mount", "proxy", "provider"])),
            min_size=1,
            max_size=3,
        ),
        provider=st.none() | st.tuples(tools, namespaces),
        inherited=st.lists(st.tuples(st.just("parent"), addresses), max_size=1),
        namespace=st.none() | st.just("srv"),
        renames=st.booleans(),
        twice=st.none() | st.just("copy"),
    ),
    max_leaves=5,
)


class Builder:
    """Builds a tree, and remembers whose page each tool may show."""

    def __init__(self, kit) -> None:
        self.kit = kit
        self.marks = itertools.count()
        self.pages: dict[str, str | None] = {}
        self.homes: dict[str, tuple[str, str]] = {}

    def build(self, plan: Plan) -> FastMCP:
        """Make one server with everything below it."""
        server = FastMCP(f"server {next(self.marks)}")
        server.add_extension(AppsExtension(audit="off"))
        self.fill(server, server.name, plan.tools)
        if plan.provider is not None:
            provider = LocalProvider()
            # Of one server's own pages each has its own address; the audit sees to that.
            held = [(name, uri.replace("ui://", "ui://held/")) for name, uri in plan.provider[0]]
            # Its pages know its own tools, as those of a mounted server do.
            self.fill(provider, f"a provider of {server.name}", held)
            server.add_provider(provider, namespace=plan.provider[1] or "")
        for name, uri in plan.inherited:
            # A tool without page of its own: whatever stands at that address further out.
            self.add(server, server.name, f"{name}_{uri[5:8]}", uri, None)
        for deeper, namespace, how in plan.below:
            self.put(server, self.build(deeper), namespace, how)
        if plan.twice is not None and plan.below:
            self.put(server, self.build(plan.below[0][0]), plan.twice, "mount")
        if plan.renames and plan.tools:
            name = plan.tools[0][0]
            server.add_transform(ToolTransform({name: ToolTransformConfig(name=f"{name}_renamed")}))
        if plan.namespace is not None:
            server.add_transform(Namespace(plan.namespace))
        return server

    def put(self, server: FastMCP, child: FastMCP, namespace: str | None, how: str) -> None:
        """Put one server on another."""
        if how == "proxy":
            server.mount(create_proxy(child), namespace=namespace)
        elif how == "provider":
            server.add_provider(ProxyProvider(lambda: Client(child)), namespace=namespace or "")
        elif how == "wrapped":
            server.add_provider(FastMCPProvider(child), namespace=namespace or "")
        else:
            server.mount(child, namespace=namespace)

    def fill(self, server, home: str, tools) -> None:
        """Add tools, each with a page of its own."""
        for name, uri in tools:
            self.add(server, home, name, uri, f"m{next(self.marks)}")

    def add(self, server, home: str, name: str, uri: str, mark: str | None) -> None:
        """Add a tool that links a page, names it in its result, and says whose it is."""
        whose = mark or f"m{next(self.marks)}"
        self.pages[whose] = mark
        self.homes[whose] = home, name

        def handler() -> ToolResult:
            return ToolResult(
                content=[ResourceLink(type="resource_link", name="page", uri=uri)],
                structured_content={"mark": whose},
                meta={"ui": {"resourceUri": uri}},
            )

        page = self.kit.page(mark, uri) if mark else uri
        server.add_tool(Tool.from_function(ui(page)(handler), name=name))


async def hold(client: Client, builder: Builder) -> None:
    """Check everything that this client sees."""
    seen = await builder.kit.look(client)
    marks: dict[str, str] = {}
    for name, link in seen.links.items():
        answer = await client.call_tool(name, {})
        COUNTS["tools called"] += 1
        marks[name] = (answer.structured_content or {})["mark"]
        if link is None:
            COUNTS["links left out"] += 1
            continue
        COUNTS["links followed"] += 1
        own = builder.pages[marks[name]]
        assert own is None or seen.shows[name] == own, f"{name} shows a stranger's page"
        assert str(answer.content[0].uri) == answer.meta["ui"]["resourceUri"] == link
        COUNTS["addresses in results"] += 2
    reached = {builder.homes[mark] for mark in marks.values()}
    for name, told in seen.names.items():
        home = builder.homes[seen.shows[name]][0]
        for written, listed in told.items():
            assert listed in marks, f"the page of {name} is told of {listed}"
            # A page is also told the names that its back end lists; and where two tools are
            # listed alike, FastMCP reaches the first: nothing reaches the other one.
            if (home, written) in reached:
                assert builder.homes[marks[listed]] == (home, written), (name, told)
            COUNTS["names told to pages"] += 1


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_everything_seen_works_where_it_was_seen(kit, capsys):
    """Random trees, both eras."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(plan=plans)
    def check(plan: Plan) -> None:
        COUNTS["trees"] += 1

        async def both() -> None:
            builder = Builder(kit)
            server = builder.build(plan)
            for mode in ("auto", "legacy"):
                async with Client(server, mode=mode) as client:
                    await hold(client, builder)

        asyncio.run(both())

    COUNTS.clear()
    check()
    with capsys.disabled():
        print(f"\n{dict(COUNTS)}")
    assert COUNTS["links followed"] > EXAMPLES
