"""Scenes as SVG, and the themes: the colours of pictures, by role.

The players' colours follow Okabe and Ito (2008), whose eight colours people with any colour vision
can tell apart; what must not be confused also differs in shape or brightness.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tzaar_envs.render.glyphs import BOLD, CAP_HEIGHT, THIN, text_path
from tzaar_envs.render.scene import Circle, Group, Item, Path, Polygon, Rect, Scene, Text, number

_MOST_WRITTEN = 4096
_NO_FILL = ' fill="none"'
_VARIABLE = re.compile(r"var\(--tz-(\w+)\)")
_ROUND = ' stroke-linecap="round" stroke-linejoin="round"'

AUTO = "auto"
"""In place of a theme: light or dark, as the reader's system or the page around it says."""


@dataclass(frozen=True, eq=False)
class Theme:
    """A set of colours.

    Attributes:
        name: `"light"` or `"dark"`, unless it is your own.
        colours: A colour such as `#d55e00` for every role.
    """

    name: str
    colours: Mapping[str, str]

    def __getitem__(self, role: str) -> str:
        return self.colours[role]


# Most things have the same colours in both themes; ground, lines and text differ.
_THINGS = {
    "red": "#d5482b", "red_deep": "#8f2411", "red_ink": "#ffffff",
    "blue": "#1f6fb8", "blue_deep": "#0d3f70", "blue_ink": "#ffffff",
    "green": "#46bd97", "green_deep": "#0f6a4d", "green_ink": "#06281d",
    "yellow": "#f2c230", "yellow_deep": "#a37a00", "yellow_ink": "#2b2205",
    "white": "#fbf8ef", "white_deep": "#8d8672", "white_ink": "#25231e",
    "black": "#2c2d33", "black_ink": "#f5f3ec",
    "purple": "#7f3f69", "purple_deep": "#4c1e3c", "purple_ink": "#ffffff",
    "gold": "#f0b429", "rust": "#b3471f",
    "log": "#d9b77e", "log_deep": "#96703a", "log_end": "#f0dcb4",
    "burnt": "#3a2f2b", "burnt_end": "#6d5a52",
    "sand": "#cfa67c", "sand_deep": "#6f4a26", "stone": "#8394a8", "stone_deep": "#37465a",
    "tile": "#fdf6e3", "tile_deep": "#9c8c66", "tile_ink": "#26221a",
    "back": "#75829a", "back_deep": "#48536a",
}  # fmt: skip
# What differs, light and dark.
_SURROUNDINGS = {
    "black_deep": ("#0b0b0d", "#8a8d99"), "burnt_deep": ("#171211", "#9a8274"),
    "page": ("#ffffff", "#14171c"), "board": ("#eadfc8", "#574f3f"),
    "board_deep": ("#b9a67f", "#2b271e"), "field": ("#f5eddc", "#5a5343"),
    "field_alt": ("#e9dcc0", "#4e4839"), "line": ("#9d8a63", "#9a8d6c"),
    "hole": ("#ffffff", "#14171c"), "panel": ("#f5f4f0", "#1e232b"),
    "panel_line": ("#d5d2c8", "#3a414c"), "ink": ("#1f2328", "#eceae4"),
    "faint": ("#656b73", "#a2a8b1"), "last": ("#e08a00", "#ffb020"),
    "legal": ("#00866b", "#3fe0b4"), "heat": ("#b5308e", "#ff7ad9"),
    "danger": ("#c4201d", "#ff6a5c"), "accent": ("#0b62b8", "#6cb6ff"),
}  # fmt: skip

LIGHT, DARK = (
    Theme(name, _THINGS | {role: pair[index] for role, pair in _SURROUNDINGS.items()})
    for index, name in enumerate(("light", "dark"))
)

THEMES = {"light": LIGHT, "dark": DARK}


def find_theme(theme: str | Theme) -> Theme:
    """Return a theme, or that with a name.

    Raises:
        ValueError: There is no theme with this name.
    """
    if isinstance(theme, Theme):
        return theme
    if theme not in THEMES:
        raise ValueError(f"theme={theme!r} is not allowed: use {', '.join(map(repr, THEMES))}")
    return THEMES[theme]


class SvgWriter:
    """Shapes as elements of SVG, in the colours of a theme.

    Args:
        theme: The theme; None writes colours as CSS variables, `var(--tz-ink)`.
    """

    def __init__(self, theme: Theme | None) -> None:
        self._colours = (
            {role: f"var(--tz-{role})" for role in LIGHT.colours}
            if theme is None
            else dict(theme.colours)
        )
        # Games keep the shapes of their pieces; each tuple of shapes is written once. The key is
        # the identity of the tuple, which the value keeps alive.
        self._written: dict[int, tuple[tuple[Item, ...], str]] = {}

    def write(self, item: Item) -> str:
        """Return a shape as an element."""
        match item:
            case Group():
                return self._group(item)
            case Text():
                size = item.drawn_size
                d = text_path(
                    item.text, round(item.left, 1), round(item.y + size / 2, 1), round(size, 2)
                )
                width = (BOLD if item.bold else THIN) * size / CAP_HEIGHT
                return (
                    f'<path d="{d}"{_NO_FILL} stroke="{self._colours[item.fill]}" '
                    f'stroke-width="{width:.2f}"{_ROUND}{_opacity(item.opacity)}/>'
                )
            case Circle():
                element = f'circle cx="{number(item.x)}" cy="{number(item.y)}" r="{number(item.r)}"'
            case Rect():
                where = f'x="{number(item.x)}" y="{number(item.y)}"'
                size_of_it = f'width="{number(item.w)}" height="{number(item.h)}"'
                corners = f' rx="{number(item.r)}"' if item.r else ""
                element = f"rect {where} {size_of_it}{corners}"
            case Polygon():
                points = " ".join(f"{number(x)},{number(y)}" for x, y in item.points)
                element = f'{"polygon" if item.closed else "polyline"} points="{points}"'
            case Path():
                element = f'path d="{item.d}"'
        paint = f' fill="{self._colours[item.fill]}"' if item.fill else _NO_FILL
        if item.stroke:
            paint += f' stroke="{self._colours[item.stroke]}" stroke-width="{number(item.width)}"'
        ends = _ROUND if item.stroke and isinstance(item, Polygon | Path) else ""
        return f"<{element}{paint}{_opacity(item.opacity)}{ends}/>"

    def _group(self, item: Group) -> str:
        place = f' data-place="{html.escape(item.id)}"' if item.id else ""
        label = f' role="img" aria-label="{html.escape(item.label)}"' if item.label else ""
        moves = ""
        if item.shift != (0.0, 0.0):
            moves += f"translate({number(item.shift[0])} {number(item.shift[1])})"
        if item.turn:
            moves += f"rotate({number(item.turn)})"
        transform = f' transform="{moves}"' if moves else ""
        inner = self._inner(item.items)
        return f"<g{place}{label}{transform}{_opacity(item.opacity)}>{inner}</g>"

    def _inner(self, items: tuple[Item, ...]) -> str:
        known = self._written.get(id(items))
        if known is not None:
            return known[1]
        text = "".join(self.write(item) for item in items)
        if len(self._written) >= _MOST_WRITTEN:
            self._written.clear()
        self._written[id(items)] = items, text
        return text


def _opacity(value: float) -> str:
    return "" if value == 1.0 else f' opacity="{number(value)}"'


def style_sheet(body: str | None = None) -> str:
    """Return the CSS that gives pictures with `AUTO` colours the reader's theme.

    An element with `data-theme="light"` or `"dark"` sets that of all pictures in it.

    Args:
        body: Elements whose colours are enough; None: all colours.
    """
    used = LIGHT.colours if body is None else set(_VARIABLE.findall(body))
    light, dark = (
        "".join(f"--tz-{role}:{colour};" for role, colour in theme.colours.items() if role in used)
        for theme in (LIGHT, DARK)
    )
    return (
        f".tz-scene{{{light}}}"
        f"@media(prefers-color-scheme:dark){{.tz-scene{{{dark}}}}}"
        f"[data-theme=light] .tz-scene{{{light}}}"
        f"[data-theme=dark] .tz-scene{{{dark}}}"
    )


def to_svg(
    scene: Scene,
    theme: str | Theme = "light",
    width: int | None = None,
    background: bool = True,
    style: bool = True,
) -> str:
    """Return a scene as a whole SVG document.

    Args:
        scene: The scene.
        theme: A theme, its name, or `AUTO`.
        width: Width in pixels; None: as wide as the space around it allows.
        background: Whether the ground is filled.
        style: Whether a picture with `AUTO` holds the style sheet of its colours; a page can have
            `style_sheet()` once instead.

    Raises:
        ValueError: There is no theme with this name.
    """
    chosen = None if theme == AUTO else find_theme(theme)
    writer = SvgWriter(chosen)
    size = f' width="{width}" height="{round(width * scene.height / scene.width)}"' if width else ""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tz-scene" '
        f'viewBox="0 0 {number(scene.width)} {number(scene.height)}"{size}{_NO_FILL}{_ROUND} '
        f'role="group" aria-label="{html.escape(scene.title)}">'
    )
    items = scene.items
    if background:
        items = (Rect(-2, -2, scene.width + 4, scene.height + 4, fill="page"), *items)
    # Without the attributes that the whole picture has.
    body = "\n".join(map(writer.write, items)).replace(_NO_FILL, "").replace(_ROUND, "")
    css = f"<style>{style_sheet(body)}</style>" if chosen is None and style else ""
    return f"{head}{css}\n{body}\n</svg>\n"


def to_html(scenes: Sequence[Scene], caption: str, width: int = 220) -> str:
    """Return pictures in a grid as HTML, in the reader's theme.

    Args:
        scenes: The pictures.
        caption: The text above them.
        width: Width of each picture, in pixels.
    """
    cells = "".join(
        f'<div style="width:{width}px;max-width:100%">{to_svg(scene, AUTO, style=False)}</div>'
        for scene in scenes
    )
    return (
        f"<style>{style_sheet()}</style><div><code>{html.escape(caption)}</code></div>"
        f'<div style="display:flex;flex-wrap:wrap;gap:8px">{cells}</div>'
    )
