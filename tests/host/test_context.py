import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.host import CSS_VARIABLES
from mcp_apps_plugin.host.context import HostContext


def test_the_set_of_css_variables_is_the_specifications():
    """76 names, and not the one that a sample of the specification invents."""
    assert len(CSS_VARIABLES) == 76
    assert {"--color-ring-warning", "--font-heading-3xl-line-height"} <= CSS_VARIABLES
    assert "--border-radius-small" not in CSS_VARIABLES


def test_what_a_strict_view_would_refuse_is_left_out(caplog):
    """One unknown variable or mode would end the handshake of a real view."""
    context = HostContext()
    context.update(
        {
            "theme": "sepia",
            "platform": "watch",
            "display_mode": "theatre",
            "available_display_modes": ["inline", "theatre"],
            "locale": None,
            "styles": {
                "variables": {"--font-sans": "Inter", "--mine": "red", "--font-mono": None},
                "css": {"fonts": "@font-face {}"},
            },
            "safe_area_insets": {"top": 1, "right": 2, "bottom": 3},
            "device_capabilities": {"touch": True, "hover": "yes", "pen": True},
            "container_dimensions": {"height": 5, "maxHeight": 9, "maxWidth": 7, "depth": 1},
        }
    )
    assert context.current == {
        "availableDisplayModes": ["inline"],
        "styles": {"variables": {"--font-sans": "Inter"}, "css": {"fonts": "@font-face {}"}},
        "deviceCapabilities": {"touch": True},
        "containerDimensions": {"height": 5, "maxWidth": 7},
    }
    assert "--mine" in caplog.text


def test_updates_are_told_whole_where_views_merge_one_level_deep():
    """What the view would lose by a shallow merge is sent along."""
    context = HostContext()
    context.update(
        {
            "device_capabilities": {"touch": True, "hover": True},
            "styles": {"variables": {"--font-sans": "A", "--font-mono": "B"}},
            "container_dimensions": {"height": 1},
        }
    )
    told = context.update(
        {
            "device_capabilities": {"touch": False},
            "styles": {"variables": {"--font-sans": "C"}},
            "container_dimensions": {"maxHeight": 2},
        }
    )
    assert told == {
        "deviceCapabilities": {"touch": False, "hover": True},
        "styles": {"variables": {"--font-sans": "C", "--font-mono": "B"}},
        "containerDimensions": {"maxHeight": 2},
    }
    assert context.update({"container_dimensions": {"maxHeight": 2}}) == {}


def test_a_field_that_does_not_exist_is_the_embedders_mistake():
    """Misspelt, it would silently do nothing."""
    with pytest.raises(TypeError, match="no field 'displayMode'"):
        HostContext().update({"displayMode": "inline"})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = [
    "theme",
    "styles",
    "display_mode",
    "available_display_modes",
    "container_dimensions",
    "locale",
    "time_zone",
    "user_agent",
    "platform",
    "device_capabilities",
    "safe_area_insets",
]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_whatever_it_is_given_it_stays_valid(changes):
    """No value makes it raise, or leaves nulls, booleans for numbers, or numbers JSON has not."""
    context = HostContext()
    context.update(changes)
    text = json.dumps(context.current, allow_nan=False)
    assert "null" not in text or any(isinstance(v, str) for v in context.current.values())
    assert context.display_mode in ("inline", "fullscreen", "pip")
    for inset in context.current.get("safeAreaInsets", {}).values():
        assert not isinstance(inset, bool)
