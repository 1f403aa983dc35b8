"""What the view knows about its surroundings: theme, size, locale, as the wire allows it.

Views built with the official library refuse the whole handshake for one CSS variable outside the
76, or for one unknown mode. So nothing leaves here that such a view would not take; what is left
out is logged once.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, Final, TypedDict

from pydantic.alias_generators import to_camel

from mcp_apps_plugin.protocol.messages import DISPLAY_MODES, DisplayMode
from mcp_apps_plugin.protocol.shapes import JsonObject, as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Literal

logger = logging.getLogger(__name__)


def _css_variables() -> Iterator[str]:
    status = ("info", "danger", "success", "warning")
    tones = ("primary", "secondary", "tertiary", "inverse", "ghost", *status, "disabled")
    for group in ("background", "text", "border"):
        yield from (f"--color-{group}-{tone}" for tone in tones)
    rings = ("primary", "secondary", "inverse", *status)
    yield from (f"--color-ring-{tone}" for tone in rings)
    yield from ("--font-sans", "--font-mono")
    yield from (f"--font-weight-{weight}" for weight in ("normal", "medium", "semibold", "bold"))
    text = ("xs", "sm", "md", "lg")
    for group, names in (("text", text), ("heading", (*text, "xl", "2xl", "3xl"))):
        for name in names:
            yield from (f"--font-{group}-{name}-size", f"--font-{group}-{name}-line-height")
    yield from (f"--border-radius-{size}" for size in ("xs", "sm", "md", "lg", "xl", "full"))
    yield "--border-width-regular"
    yield from (f"--shadow-{size}" for size in ("hairline", "sm", "md", "lg"))


CSS_VARIABLES: Final = frozenset(_css_variables())
"""The names a host may set in `styles.variables` (specification: *Theming*): a closed set."""


class ContextChanges(TypedDict, total=False):
    """The fields of the host context, in Python's spelling; all optional.

    Attributes:
        theme: `"light"` or `"dark"`.
        styles: `{"variables": {name: value}, "css": {"fonts": "@font-face ..."}}`.
        display_mode: How the view is shown now.
        available_display_modes: What it may ask for.
        container_dimensions: `height` or `maxHeight`, and `width` or `maxWidth`, in CSS pixels.
        locale: A BCP 47 language tag.
        time_zone: An IANA time zone.
        user_agent: The host application, for example `"my-host/1.0"`.
        platform: `"web"`, `"desktop"` or `"mobile"`.
        device_capabilities: `{"touch": bool, "hover": bool}`.
        safe_area_insets: `top`, `right`, `bottom` and `left`, in CSS pixels, all four.
    """

    theme: Literal["light", "dark"]
    styles: Mapping[str, Any]
    display_mode: DisplayMode
    available_display_modes: list[DisplayMode]
    container_dimensions: Mapping[str, float]
    locale: str
    time_zone: str
    user_agent: str
    platform: Literal["web", "desktop", "mobile"]
    device_capabilities: Mapping[str, bool]
    safe_area_insets: Mapping[str, float]


class HostContext:
    """The host context of one view.

    Attributes:
        current: What the view knows or will be told, as it stands on the wire.
    """

    def __init__(self) -> None:
        self.current: JsonObject = {}

    def update(self, changes: Mapping[str, Any]) -> JsonObject:
        """Take changes over.

        A view merges what it is told one level deep only, so `styles` and `device_capabilities`
        are merged here and told whole.

        Args:
            changes: Fields as in `ContextChanges`.

        Returns:
            The fields that have another value now, as a view is to be told them.

        Raises:
            TypeError: A field has no such name.
        """
        told: JsonObject = {}
        for name, value in changes.items():
            if name not in _FIELDS:
                message = f"host context has no field {name!r}; it has {', '.join(_FIELDS)}"
                raise TypeError(message)
            key = to_camel(name)
            merged = _merge(self.current.get(key), value) if name in _MERGED else value
            checked = _FIELDS[name](merged)
            if checked is None:
                _warn(name, value)
            elif checked != self.current.get(key):
                self.current[key] = told[key] = checked
        return told

    @property
    def display_mode(self) -> DisplayMode:
        """How the view is shown; `"inline"` when the embedder does not say."""
        mode: DisplayMode = self.current.get("displayMode", "inline")
        return mode

    @property
    def available_display_modes(self) -> list[DisplayMode]:
        """What the view may ask for."""
        return [*self.current.get("availableDisplayModes", [self.display_mode])]

    def clamp(self, width: float | None, height: float | None) -> tuple[float | None, float | None]:
        """Keep a size that the view asked for within `containerDimensions`."""
        dimensions: JsonObject = self.current.get("containerDimensions", {})

        def within(size: float | None, limit: object) -> float | None:
            if size is None or not isinstance(limit, int | float):
                return size
            return min(size, limit)

        return within(width, dimensions.get("maxWidth")), within(
            height, dimensions.get("maxHeight")
        )


def _merge(present: object, update: object) -> object:
    old, new = as_object(present), as_object(update)
    if old is None or new is None:
        return update
    return {**old, **{key: _merge(old.get(key), value) for key, value in new.items()}}


def _warn(name: str, value: object) -> None:
    logger.warning("host context: %s is left out, views would refuse %.200r", name, value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _one_of(*allowed: str) -> Callable[[object], str | None]:
    return lambda value: value if isinstance(value, str) and value in allowed else None


def _modes(value: object) -> list[str] | None:
    given = as_list(value)
    return None if given is None else [mode for mode in DISPLAY_MODES if mode in given]


def _pixels(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )


def _dimensions(value: object) -> JsonObject | None:
    given = as_object(value)
    if given is None:
        return None
    kept: JsonObject = {}
    for fixed, flexible in (("height", "maxHeight"), ("width", "maxWidth")):
        # Both on one axis contradict each other; a view keeps the fixed one.
        key = fixed if _pixels(given.get(fixed)) else flexible
        if _pixels(given.get(key)):
            kept[key] = given[key]
    return kept


def _insets(value: object) -> JsonObject | None:
    given = as_object(value) or {}
    kept = {side: given.get(side) for side in ("top", "right", "bottom", "left")}
    return kept if all(_pixels(inset) for inset in kept.values()) else None


def _device(value: object) -> JsonObject | None:
    given = as_object(value)
    if given is None:
        return None
    return {key: given[key] for key in ("touch", "hover") if isinstance(given.get(key), bool)}


def _styles(value: object) -> JsonObject | None:
    given = as_object(value)
    if given is None:
        return None
    kept: JsonObject = {}
    variables = as_object(given.get("variables")) or {}
    known = {k: v for k, v in variables.items() if k in CSS_VARIABLES and isinstance(v, str)}
    if len(known) < len(variables):
        _warn("styles.variables", sorted(set(variables) - set(known), key=str))
    if known:
        kept["variables"] = known
    fonts = (as_object(given.get("css")) or {}).get("fonts")
    if isinstance(fonts, str):
        kept["css"] = {"fonts": fonts}
    return kept


_FIELDS: Final[dict[str, Callable[[object], Any]]] = {
    "theme": _one_of("light", "dark"),
    "styles": _styles,
    "display_mode": _one_of(*DISPLAY_MODES),
    "available_display_modes": _modes,
    "container_dimensions": _dimensions,
    "locale": _text,
    "time_zone": _text,
    "user_agent": _text,
    "platform": _one_of("web", "desktop", "mobile"),
    "device_capabilities": _device,
    "safe_area_insets": _insets,
}
_MERGED: Final = ("styles", "device_capabilities")
