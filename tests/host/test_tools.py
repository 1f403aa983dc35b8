import mcp_types
import pytest

from mcp_apps_plugin.host import app_tools, link_of, model_tools


def tool(meta):
    return mcp_types.Tool(name="t", input_schema={"type": "object"}, _meta=meta)


@pytest.mark.parametrize(
    ("meta", "model", "app"),
    [
        (None, True, True),
        ({}, True, True),
        ({"ui": {}}, True, True),
        ({"ui": {"visibility": ["model", "app"]}}, True, True),
        ({"ui": {"visibility": ["model"]}}, True, False),
        ({"ui": {"visibility": ["app"]}}, False, True),
        ({"ui": {"visibility": ["app", "x"]}}, False, True),
        ({"ui": {"visibility": []}}, False, False),
        ({"ui": {"visibility": "app"}}, False, False),
        ({"ui": {"visibility": None}}, False, False),
    ],
)
def test_visibility_is_membership_and_nonsense_is_hidden(meta, model, app):
    """Absent means both; what is malformed is offered to nobody."""
    assert bool(model_tools([tool(meta)])) is model
    assert bool(app_tools([tool(meta)])) is app


@pytest.mark.parametrize(
    ("meta", "link"),
    [
        (None, None),
        ({"ui": {"resourceUri": "ui://a/b"}}, "ui://a/b"),
        ({"ui/resourceUri": "ui://a/flat"}, "ui://a/flat"),
        ({"openai/outputTemplate": "ui://a/openai"}, "ui://a/openai"),
        ({"ui": {"resourceUri": "ui://a/b"}, "ui/resourceUri": "ui://c/d"}, "ui://a/b"),
        ({"ui": {"resourceUri": "https://a"}}, None),
    ],
)
def test_links_are_read_in_every_spelling(meta, link):
    """Nested first, then flat, then ChatGPT's."""
    assert link_of(tool(meta)) == link


async def test_a_clients_own_list_is_split(client):
    """The lists of a real server come apart by visibility, in both eras."""
    tools = await client.list_tools()
    assert "delete_everything" not in {t.name for t in app_tools(tools)}
    assert "refresh" not in {t.name for t in model_tools(tools)}
    assert "nonsense" not in {t.name for t in [*app_tools(tools), *model_tools(tools)]}


async def test_the_extension_reaches_the_server_in_both_eras(served, mode):
    """The server sees the MIME type, and elicitation only when it was asked for."""
    from fastmcp import Client, Context

    from mcp_apps_plugin.host import apps_client_extension

    @served.mcp.tool
    def seen(ctx: Context) -> dict:
        return ctx.session.client_capabilities.extensions

    for elicitation, extra in ((False, {}), (True, {"elicitation": {}})):
        extension = apps_client_extension(elicitation=elicitation)
        async with Client(served.mcp, mode=mode, extensions=[extension]) as client:
            declared = (await client.call_tool("seen", {})).structured_content
        expected = {"mimeTypes": ["text/html;profile=mcp-app"], **extra}
        assert declared == {"io.modelcontextprotocol/ui": expected}
