"""How the dev host looks, in the words that pages know: the specification's 76 CSS variables."""

from __future__ import annotations

from typing import Final


def _both(light: str, dark: str) -> str:
    return f"light-dark({light}, {dark})"


_STATUS: Final = {
    # tone: background, text, border; each light and dark
    "info": (("#e8f1fd", "#12273f"), ("#1a56a8", "#8ab8f5"), ("#a9cbf5", "#28507f")),
    "danger": (("#fdecea", "#3d1a18"), ("#b3261e", "#f2a29b"), ("#f3bcb7", "#7a322c")),
    "success": (("#e6f5ec", "#12301f"), ("#1b6e3f", "#86d3a6"), ("#a6dbbc", "#235e3d")),
    "warning": (("#fdf3dc", "#35280c"), ("#8a5a00", "#e8c26c"), ("#ecd08d", "#6b511b")),
}
_BACKGROUND: Final = {
    "primary": _both("#ffffff", "#16181d"),
    "secondary": _both("#f4f5f7", "#1f2229"),
    "tertiary": _both("#e9ebef", "#292d36"),
    "inverse": _both("#1b1e24", "#f2f3f5"),
    "ghost": _both("#ffffff00", "#16181d00"),
    "disabled": _both("#eef0f3", "#22252c"),
}
_TEXT: Final = {
    "primary": _both("#1b1e24", "#eceef2"),
    "secondary": _both("#4a505c", "#b6bcc8"),
    "tertiary": _both("#6b7280", "#8b93a1"),
    "inverse": _both("#ffffff", "#16181d"),
    "ghost": _both("#6b7280", "#8b93a1"),
    "disabled": _both("#a3a9b4", "#5d6470"),
}
_BORDER: Final = {
    "primary": _both("#cfd4dc", "#3a404c"),
    "secondary": _both("#e1e4ea", "#2d323c"),
    "tertiary": _both("#eef0f3", "#252932"),
    "inverse": _both("#1b1e24", "#f2f3f5"),
    "ghost": _both("#cfd4dc00", "#3a404c00"),
    "disabled": _both("#e9ebef", "#292d36"),
}
_SIZES: Final = {
    "text": {"xs": (12, 16), "sm": (14, 20), "md": (16, 24), "lg": (18, 28)},
    "heading": {
        "xs": (14, 20),
        "sm": (16, 24),
        "md": (18, 28),
        "lg": (20, 28),
        "xl": (24, 32),
        "2xl": (30, 38),
        "3xl": (36, 44),
    },
}


def _variables() -> dict[str, str]:
    groups = (("background", _BACKGROUND), ("text", _TEXT), ("border", _BORDER))
    made: dict[str, str] = {}
    for at, (group, tones) in enumerate(groups):
        made |= {f"--color-{group}-{tone}": value for tone, value in tones.items()}
        made |= {f"--color-{group}-{tone}": _both(*shades[at]) for tone, shades in _STATUS.items()}
    accent = _both("#3b6fd8", "#7aa2f7")
    rings = {"primary": accent, "secondary": _BORDER["primary"], "inverse": _BORDER["inverse"]}
    rings |= {tone: _both(*shades[1]) for tone, shades in _STATUS.items()}
    made |= {f"--color-ring-{tone}": value for tone, value in rings.items()}
    made["--font-sans"] = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
    made["--font-mono"] = 'ui-monospace, "SF Mono", Menlo, Consolas, monospace'
    weights = {"normal": "400", "medium": "500", "semibold": "600", "bold": "700"}
    made |= {f"--font-weight-{name}": value for name, value in weights.items()}
    for group, sizes in _SIZES.items():
        for name, (size, line) in sizes.items():
            made[f"--font-{group}-{name}-size"] = f"{size}px"
            made[f"--font-{group}-{name}-line-height"] = f"{line}px"
    radii = {"xs": 4, "sm": 6, "md": 8, "lg": 12, "xl": 16, "full": 9999}
    made |= {f"--border-radius-{name}": f"{value}px" for name, value in radii.items()}
    made["--border-width-regular"] = "1px"
    shade = _both("#1018281f", "#00000066")
    shadows = {
        "hairline": "0 0 0 1px",
        "sm": "0 1px 2px",
        "md": "0 4px 10px",
        "lg": "0 12px 28px",
    }
    return made | {f"--shadow-{name}": f"{at} {shade}" for name, at in shadows.items()}


VARIABLES: Final = _variables()
"""A value for each of the 76, for light and dark at once."""
