"""Themes: the colours of pictures, by role.

The players' colours follow Okabe and Ito (2008), whose eight colours people with any colour vision
can tell apart; what must not be confused also differs in shape or brightness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, eq=False)
class Theme:
    """A set of colours.

    Attributes:
        name: `"light"` or `"dark"`, unless it is your own.
        colours: a colour such as `#d55e00` for every role.
    """

    name: str
    colours: Mapping[str, str]

    def __getitem__(self, role: str) -> str:
        return self.colours[role]


# The same things have the same colours in both themes; ground, lines and text differ.
_THINGS = {
    "red": "#d5482b", "red_deep": "#8f2411", "red_ink": "#ffffff",
    "blue": "#1f6fb8", "blue_deep": "#0d3f70", "blue_ink": "#ffffff",
    "green": "#46bd97", "green_deep": "#0f6a4d", "green_ink": "#06281d",
    "yellow": "#f2c230", "yellow_deep": "#a37a00", "yellow_ink": "#2b2205",
    "white": "#fbf8ef", "white_deep": "#8d8672", "white_ink": "#25231e",
    "black": "#2c2d33", "black_deep": "#0b0b0d", "black_ink": "#f5f3ec",
    "purple": "#7f3f69", "purple_deep": "#4c1e3c", "purple_ink": "#ffffff",
    "gold": "#f0b429", "rust": "#b3471f",
    "log": "#d9b77e", "log_deep": "#96703a", "log_end": "#f0dcb4",
    "burnt": "#3a2f2b", "burnt_deep": "#171211", "burnt_end": "#6d5a52",
    "sand": "#cfa67c", "sand_deep": "#6f4a26", "stone": "#8394a8", "stone_deep": "#37465a",
    "tile": "#fdf6e3", "tile_deep": "#9c8c66", "tile_ink": "#26221a",
    "back": "#75829a", "back_deep": "#48536a",
}  # fmt: skip

LIGHT = Theme(
    "light",
    MappingProxyType(
        {
            **_THINGS,
            "page": "#ffffff",
            "board": "#eadfc8",
            "board_deep": "#b9a67f",
            "field": "#f5eddc",
            "field_alt": "#e9dcc0",
            "line": "#9d8a63",
            "hole": "#ffffff",
            "panel": "#f5f4f0",
            "panel_line": "#d5d2c8",
            "ink": "#1f2328",
            "faint": "#656b73",
            "last": "#e08a00",
            "legal": "#00866b",
            "heat": "#b5308e",
            "danger": "#c4201d",
            "accent": "#0b62b8",
        }
    ),
)

DARK = Theme(
    "dark",
    MappingProxyType(
        {
            **_THINGS,
            "black_deep": "#8a8d99",
            "burnt_deep": "#9a8274",
            "page": "#14171c",
            "board": "#574f3f",
            "board_deep": "#2b271e",
            "field": "#5a5343",
            "field_alt": "#4e4839",
            "line": "#9a8d6c",
            "hole": "#14171c",
            "panel": "#1e232b",
            "panel_line": "#3a414c",
            "ink": "#eceae4",
            "faint": "#a2a8b1",
            "last": "#ffb020",
            "legal": "#3fe0b4",
            "heat": "#ff7ad9",
            "danger": "#ff6a5c",
            "accent": "#6cb6ff",
        }
    ),
)

THEMES: Mapping[str, Theme] = MappingProxyType({"light": LIGHT, "dark": DARK})


def find_theme(theme: str | Theme) -> Theme:
    """Return a theme, or that with a name.

    Raises:
        ValueError: there is no theme with this name.
    """
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise ValueError(f"theme={theme!r} is not allowed: use {', '.join(map(repr, THEMES))}")
    return THEMES[theme]
