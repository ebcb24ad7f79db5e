"""Draw the positions of `docs/rules/<game>.md`: `python docs/tools/make_rules_pictures.py`.

`docs/rules/<game>.toml` has the positions, and what the page says about them. The script writes
each as `docs/rules/pictures/<game>_<name>.svg`, and as text, for terminals, between the two
comments that name it in the page. A test compares pages and pictures with what the script would
write, and plays what the data claims.

The data of a picture:

| entry | content |
|---|---|
| `name` | as in the comment of the page |
| `options` | of the game |
| `position` | in the notation of the game; without it the start position |
| `moves` | moves that are legal |
| `illegal` | moves that are illegal |
| `count` | the number of legal moves |
| `counts` | the number of legal moves that begin with a text |
| `scores` | the points in this position |

A `[[picture.line]]` is a line of moves, `play`, from there, or from its own `start`. It claims the
same about the position that it leads to, and also: `position`, what that is; `contains`, parts of
its notation; `player`, who is to move; `end`, the code of how the game ended; `returns`, the
result.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wrap import wrapped

from tzaar_envs import list_games, load_game
from tzaar_envs.core.state import State

FOLDER = Path(__file__).parents[1] / "rules"
PICTURES = FOLDER / "pictures"
WIDTH = 420  # pixels, in the page
_FEW = 16  # legal moves whose marks hide nothing
SEED = 1  # what chance brings after a position; no claim depends on it
_PLACE = re.compile(r"<!-- picture: (\w+) -->\n.*?<!-- end of picture -->", re.DOTALL)


def pictures(name: str) -> dict[str, dict[str, Any]]:
    """Return the pictures of a game by their names, in the order of the page."""
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return {entry["name"]: entry for entry in data["picture"]}


def position(name: str, picture: Mapping[str, Any], text: str | None = None) -> State:
    """Return the position of a picture, or another one of the same game."""
    game = load_game(name, **picture.get("options", {}))
    text = text or picture.get("position")
    return game.new_state(SEED) if text is None else game.parse(text, SEED)


def illustrated(name: str, page: str) -> str:
    """Return the page of a game with the boards of its pictures."""
    known = pictures(name)

    def drawn(place: re.Match[str]) -> str:
        picture = place[1]
        board = position(name, known[picture]).draw(colour=False)
        source = f"{PICTURES.name}/{name}_{picture}.svg"
        return (
            f"<!-- picture: {picture} -->\n\n"
            f'<img src="{source}" width="{WIDTH}" alt="The position below, as a picture">\n\n'
            f"<details><summary>As text</summary>\n\n```text\n{board}\n```\n\n</details>\n\n"
            "<!-- end of picture -->"
        )

    return wrapped(_PLACE.sub(drawn, page))


def drawings(name: str) -> dict[Path, str]:
    """Return the pictures of a game as SVG, by their files; the legal moves are marked if few."""
    drawn = {}
    for picture, data in pictures(name).items():
        state = position(name, data)
        svg = state.svg(width=2 * WIDTH, legal=state.legal_actions().size <= _FEW)
        drawn[PICTURES / f"{name}_{picture}.svg"] = svg + "\n"
    return drawn


def names_in(page: str) -> list[str]:
    """Return the names of the pictures that a page has places for."""
    return _PLACE.findall(page)


if __name__ == "__main__":
    for game_name in list_games():
        file = FOLDER / f"{game_name}.md"
        file.write_text(illustrated(game_name, file.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {file}")
        for path, svg in drawings(game_name).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(svg, encoding="utf-8")
