"""The `_meta.ui` models: strict, frozen, complete on the wire, in either spelling."""

from __future__ import annotations

from typing import Any

import pytest
from fastmcp.apps import AppConfig, ResourceCSP, ResourcePermissions
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin import (
    AppsTypeError,
    AppsValueError,
    Code,
    Csp,
    MCPAppsError,
    Permissions,
    ResourceUi,
)

EMPTY = {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []}
ORIGINS = st.lists(st.sampled_from(["https://a.example", "wss://b.example:1", "http://c"]))
CSPS = st.builds(
    Csp,
    connect_domains=ORIGINS,
    resource_domains=ORIGINS,
    frame_domains=ORIGINS,
    base_uri_domains=ORIGINS,
)
PERMISSIONS = st.builds(
    Permissions,
    camera=st.booleans(),
    microphone=st.booleans(),
    geolocation=st.booleans(),
    clipboard_write=st.booleans(),
)
PAGES = st.builds(
    ResourceUi,
    csp=CSPS,
    permissions=PERMISSIONS,
    domain=st.sampled_from([None, "a.example"]),
    prefers_border=st.sampled_from([None, True, False]),
)


def test_the_wire_is_complete_and_without_nulls() -> None:
    """`csp` always stands with its four lists; what is not asked for does not stand at all."""
    assert ResourceUi().to_wire() == {"csp": EMPTY}
    assert ResourceUi(
        csp={"base_uri_domains": ["https://a.example"]},
        permissions={"clipboard_write": True, "camera": False},
        domain="d.example",
        prefers_border=False,
    ).to_wire() == {
        "csp": {**EMPTY, "baseUriDomains": ["https://a.example"]},
        "permissions": {"clipboardWrite": {}},
        "domain": "d.example",
        "prefersBorder": False,
    }


@given(PAGES)
def test_the_wire_reads_back(page: ResourceUi) -> None:
    """What goes out comes back as the same options."""
    assert ResourceUi(**page.to_wire()) == page


@given(PAGES, PAGES, PAGES)
def test_defaults_fill_gaps(first: ResourceUi, second: ResourceUi, third: ResourceUi) -> None:
    """Filling keeps what is said, is associative, and filling with nothing changes nothing."""
    filled = first.filled(second)
    for name in Csp.model_fields:
        ours = getattr(first.csp, name)
        assert getattr(filled.csp, name) == (ours or getattr(second.csp, name))
    assert first.filled(second).filled(third) == first.filled(second.filled(third))
    assert first.filled(ResourceUi()) == first
    assert ResourceUi().filled(first) == first


def test_repeated_origins_stand_once() -> None:
    """An origin that is listed twice is sent once, in the order of the author."""
    csp = Csp(connect_domains=["https://b", "https://a", "https://b"])
    assert csp.connect_domains == ("https://b", "https://a")


@pytest.mark.parametrize("flag", [True, {}])
def test_permissions_as_flag_or_object(flag: Any) -> None:
    """`True` and FastMCP's `{}` ask for a permission."""
    assert Permissions(camera=flag).to_wire() == {"camera": {}}


@pytest.mark.parametrize("value", [1, "yes", None, [], {"a": 1}])
def test_other_values_ask_for_nothing(value: Any) -> None:
    """Anything else is refused: a host would ignore the whole object."""
    with pytest.raises(AppsValueError, match="camera") as caught:
        Permissions(camera=value)
    assert caught.value.code == Code.PERMISSIONS_INVALID


@pytest.mark.parametrize(
    ("kind", "name", "hint"),
    [
        (Csp, "connect_domain", "Did you mean `connect_domains`?"),
        (Csp, "scripts", "The fields are `connect_domains`, `resource_domains`"),
        (Permissions, "clipboard", "Did you mean `clipboard_write`?"),
        (ResourceUi, "prefersborder", "Did you mean `prefers_border`?"),
        (ResourceUi, "resource_uri", "The fields are `csp`"),
    ],
)
def test_unknown_fields(kind: Any, name: str, hint: str) -> None:
    """An unknown field is refused, with the nearest one as a hint."""
    with pytest.raises(AppsValueError) as caught:
        kind(**{name: []})
    assert hint in str(caught.value)
    assert name in caught.value.findings[0].subject


def test_fields_cannot_be_changed() -> None:
    """A checked object stays as it was checked."""
    with pytest.raises(Exception, match="frozen"):
        Csp().connect_domains = ("x",)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Csp, None, Csp()),
        (Csp, {}, Csp()),
        (Csp, ResourceCSP(frame_domains=["https://a"]), Csp(frame_domains=["https://a"])),
        (Permissions, ResourcePermissions(camera={}), Permissions(camera=True)),
        (
            ResourceUi,
            AppConfig(domain="a", csp=ResourceCSP(), permissions=ResourcePermissions()),
            ResourceUi(domain="a"),
        ),
    ],
)
def test_fastmcps_models_are_taken(kind: Any, value: Any, expected: Any) -> None:
    """FastMCP's own models and plain mappings become ours."""
    assert kind.coerce(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        ResourceCSP(connectDomain=["https://a"]),
        ResourceCSP(connect_domains=["'self'; script-src *"]),
    ],
)
def test_fastmcps_models_are_checked(value: Any) -> None:
    """What FastMCP's models let pass is refused here."""
    with pytest.raises(AppsValueError) as caught:
        Csp.coerce(value)
    assert caught.value.code == Code.CSP_INVALID


@pytest.mark.parametrize("value", ["https://a", ["https://a"], 3, Csp, AppConfig])
@pytest.mark.parametrize("kind", [Csp, Permissions, ResourceUi])
def test_no_object(kind: Any, value: Any) -> None:
    """A value that is no object of fields says which fields to write."""
    with pytest.raises(AppsTypeError, match="which is no object of named fields"):
        kind.coerce(value)


@given(st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=5), max_size=3))
def test_errors_are_always_ours(data: dict[str, Any]) -> None:
    """Whatever is passed, the error is this package's, with findings; never pydantic's."""
    for kind in (Csp, Permissions, ResourceUi):
        try:
            kind(**data)
        except MCPAppsError as error:
            assert error.findings  # noqa: PT017 - a property over values that may be fine
