"""What a page's options and its function may be, said where they are written."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.dependencies import Depends

from mcp_apps_plugin import AppResource, AppsTypeError, AppsValueError, app_resource, ui

URI = "ui://weather/page"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": 3}, "`name=` is int. The page could not be listed. Write a string."),
        ({"title": b"x"}, "`title=` is bytes"),
        ({"description": ["x"]}, "`description=` is list"),
        ({"versioned": "no"}, "`versioned=` is 'no'. The page could not be listed. Write `True`"),
        ({"auth": "inherrit"}, "`auth=` has 'inherrit', which is no check"),
        ({"auth": "inherrit"}, "Did you mean `inherit`?"),
        ({"auth": ["inherit"]}, "`auth=` has 'inherit', which is no check"),
        ({"auth": 3}, "`auth=` has 3, which is no check"),
    ],
)
def test_a_value_of_another_kind(options: dict[str, Any], said: str) -> None:
    """Each way to declare a page says which option, and where."""
    ways = [
        lambda: AppResource(URI, html="page.html", **options),
        lambda: app_resource(URI, **options)(lambda: "<p>"),
    ]
    if "versioned" in options:
        ways.append(lambda: ui(URI, html="page.html", **options)(tool_of()))
    for way in ways:
        with pytest.raises(AppsTypeError) as caught:
            way()
        assert caught.value.code == "page-option-invalid"
        assert said in str(caught.value)
        assert "test_page_options.py:" in str(caught.value)


def wants_city(city: str) -> str:
    return city


class Pages:
    """Pages as methods."""

    def own(self, city: str) -> str:
        """Want what nothing brings."""
        return f"{self}{city}"

    def fine(self) -> str:
        """Want nothing."""
        return f"{self}"

    def fine_too(self) -> str:
        """Want nothing."""
        return f"{self}"


async def with_context(ctx: Context) -> str:
    return ctx.fastmcp.name


def with_dependency(where: str = Depends(lambda: "x")) -> str:
    return where


def with_default(city: str = "Oslo") -> str:
    return city


@pytest.mark.parametrize(
    "function",
    [wants_city, Pages.own, Pages().own, functools.partial(wants_city), staticmethod(wants_city)],
)
def test_a_function_that_wants_what_no_read_brings(function: Any) -> None:
    """FastMCP's own decorator refuses it as well, where it is written."""
    with pytest.raises(AppsValueError, match="takes `city`, and its address has no") as caught:
        app_resource(URI)(function)
    assert caught.value.code == "page-usage"


@pytest.mark.parametrize(
    "function", [with_context, with_dependency, with_default, Pages.fine, Pages().fine_too]
)
async def test_what_a_function_may_take(function: Any) -> None:
    """What FastMCP fills in, what has a default, and an object's own `self`."""
    page = app_resource(URI)(function)
    if "fine" not in str(function):
        server = FastMCP("s")
        server.tool(ui(page)(tool_of()))
        assert (await server.read_resource(URI)).contents


def tool_of() -> Any:
    def show() -> dict[str, str]:
        return {}

    return show


async def test_a_template_names_its_parameters() -> None:
    """Its address has a place for each."""
    server = FastMCP("s")

    @server.resource("ui://weather/{city}")
    @app_resource
    def page(city: str) -> str:
        return f"<p>{city}"

    assert "Oslo" in str((await server.read_resource("ui://weather/Oslo")).contents[0].content)


@pytest.mark.parametrize("text", [lambda: "x", lambda one, two: f"{one}{two}"])
def test_a_text_that_cannot_be_called_with_a_result(text: Any) -> None:
    """Said where it is written, not at the first call."""
    for option in ("text", "fallback"):
        with pytest.raises(AppsTypeError, match="Give it one parameter") as caught:
            ui(URI, **{option: text})(tool_of())
        assert caught.value.code == "text-invalid"


@pytest.mark.parametrize(
    "text", [str, lambda *every: str(every), lambda one, two="y": f"{one}{two}", max]
)
def test_a_text_that_can(text: Any) -> None:
    """With more to choose from, or hiding what it takes."""
    assert ui(URI, text=text)(tool_of())
