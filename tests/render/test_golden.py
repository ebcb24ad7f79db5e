"""Pictures that were looked at, compared with what is drawn now.

If a change of them is meant, draw them again, and look at them:

    python tests/render/test_golden.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.render.svg import to_svg

FOLDER = Path(__file__).parent / "pictures"

# Game, options, actions as indices into the legal ones, viewer.
PICTURES = {
    "tzaar": ("tzaar", {"setup": "fixed"}, 41, None),
    "turm_und_waechter": ("turm_und_waechter", {}, 30, None),
    "black_elephant": ("black_elephant", {}, 60, None),
    "zatre": ("zatre", {}, 24, 0),
    "twenty_one": ("twenty_one", {}, 32, 1),
}


def draw(name: str) -> str:
    """Return a picture of a game in which the k-th action is a fixed one of the legal ones."""
    game, options, plies, viewer = PICTURES[name]
    state: State = tzaar_envs.load_game(game, **options).new_state(seed=5)
    last = None
    for ply in range(plies):
        legal = state.legal_actions()
        last = state.clone(), int(legal[7 * ply % legal.size])
        state.apply(last[1])
    return to_svg(state.scene(viewer, last=last))


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_the_one_that_was_looked_at(name: str) -> None:
    expected = (FOLDER / f"{name}.svg").read_text(encoding="utf-8").splitlines()
    assert draw(name).splitlines() == expected


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        (FOLDER / f"{picture}.svg").write_text(draw(picture), encoding="utf-8")
