"""SVG: text as strokes, shapes, themes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tzaar_envs.render.glyphs import text_path
from tzaar_envs.render.scene import Circle, Group, Path, Polygon, Rect, Scene, Text, box_of
from tzaar_envs.render.svg import DARK, LIGHT, Theme, style_sheet, to_svg

PRINTABLE = "".join(map(chr, range(33, 127)))


def test_every_letter_has_strokes_of_its_own() -> None:
    known = [character for character in PRINTABLE if character not in "`~$\\{}"]
    paths = {text_path(character, 0, 0, 10) for character in known}
    assert len(paths) == len(known)


@pytest.mark.parametrize(("letter", "base"), [("é", "e"), ("Å", "A"), ("ñ", "n")])
def test_unknown_accents_are_left_out(letter: str, base: str) -> None:
    assert text_path(letter, 0, 0, 10) == text_path(base, 0, 0, 10)


def test_text_that_has_no_room_gets_smaller() -> None:
    text = Text(0, 0, "a long text", 20, room=30)
    assert text.drawn_size < 20
    left, _, right, _ = box_of(text)
    assert right - left == pytest.approx(30, abs=3)


def test_shapes_are_written_as_elements() -> None:
    items = (
        Circle(1, 2, 3, "ink"),
        Rect(1, 2, 3, 4, stroke="ink", r=1),
        Polygon(((0, 0), (1, 0), (1, 1)), "ink"),
        Path("M0 0L1 1", stroke="ink"),
        Group((Circle(0, 0, 1, "ink"),), id="A1", label="a <b>", shift=(3, 4), turn=90),
    )
    root = ET.fromstring(to_svg(Scene(10, 10, 'say "x" & y', pieces=items), background=False))
    names = [element.tag.partition("}")[2] for element in root]
    assert names == ["circle", "rect", "polygon", "path", "g"]
    assert root[-1].attrib["data-place"] == "A1"
    assert root[-1].attrib["aria-label"] == "a <b>"
    assert root[-1].attrib["transform"] == "translate(3 4)rotate(90)"
    assert root.attrib["aria-label"] == 'say "x" & y'


def test_automatic_colours_are_variables_that_the_picture_defines() -> None:
    svg = to_svg(Scene(10, 10, "t", pieces=(Circle(5, 5, 2, "ink"),)), "auto")
    assert 'fill="var(--tz-ink)"' in svg
    assert set(re.findall(r"--tz-(\w+):", svg)) == {"ink", "page"}
    for theme in (LIGHT, DARK):
        assert svg.count(f"--tz-ink:{theme['ink']};") == 2
    assert "<style>" not in to_svg(Scene(10, 10, "t"), "auto", style=False)
    assert set(re.findall(r"--tz-(\w+):", style_sheet())) == LIGHT.colours.keys()


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2, 0 to 1."""
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("ink", "page"), ("faint", "page"), ("ink", "panel"), ("faint", "panel"),
        ("danger", "page"), ("white_ink", "white"), ("black_ink", "black"),
        ("tile_ink", "tile"), ("yellow_ink", "yellow"), ("blue_ink", "blue"),
    ],
)  # fmt: skip
def test_texts_have_the_contrast_that_reading_needs(theme: Theme, text: str, ground: str) -> None:
    assert contrast(theme[text], theme[ground]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("colour", ["red", "green", "purple"])
def test_large_digits_on_colours_have_contrast(theme: Theme, colour: str) -> None:
    assert contrast(theme[f"{colour}_ink"], theme[colour]) >= 3
