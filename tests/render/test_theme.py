"""Colours as people with other colour vision see them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from tzaar_envs.games.twenty_one.render import DICE_COLOURS
from tzaar_envs.render.svg import DARK, LIGHT, Theme

# Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color
# vision deficiency", severity 1.0: what becomes of linear red, green and blue.
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
LEAST_DIFFERENCE = 20  # in units of CIELAB; about 2 is the least that an eye notices

# Linear red, green and blue to the tristimulus values of CIE 1931, relative to white.
TO_XYZ = np.array(
    [
        [0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505],
        [0.2126, 0.7152, 0.0722],
        [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089],
    ]
)


def lab(colour: str, vision: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a colour in CIELAB as a vision sees it."""
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.maximum(TO_XYZ @ np.clip(vision @ linear, 0, 1), 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(
    "colours",
    [
        DICE_COLOURS,  # of Twenty One
        ("red", "blue", "green", "purple"),  # the players of Zatre
        ("yellow", "blue"),  # Black Elephant
        ("red", "blue"),  # Turm & Waechter
        ("white", "black"),  # Tzaar
        ("log", "burnt"),
        ("tile", "stone"),
    ],
    ids=" ".join,
)
def test_colours_that_mean_something_differ_for_all(
    theme: Theme, colours: tuple[str, ...], vision: str
) -> None:
    for one, other in combinations(colours, 2):
        difference = lab(theme[one], VISIONS[vision]) - lab(theme[other], VISIONS[vision])
        assert np.linalg.norm(difference) >= LEAST_DIFFERENCE, (one, other)
