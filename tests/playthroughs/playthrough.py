"""Playthroughs of all variants: `python tests/playthroughs/playthrough.py` writes them again.

One file for each game and variant of its options, with one random game from a fixed seed.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parent / "helpers"))

from variants import GAMES  # noqa: E402 - it lies in the folder above

from tzaar_envs.core.game import Game  # noqa: E402
from tzaar_envs.testing import playthrough as played  # noqa: E402

SEED = 1  # or the first greater one whose file is not too large
LARGEST = 60_000  # bytes, so that a diff can be read


def file_of(game: Game) -> Path:
    """Return the file of a game's playthrough; options that are texts of data are cut."""
    options = [
        f"{name}={re.sub('[^A-Za-z0-9]+', '_', str(value))[:24]}"
        for name, value in game.options.items()
        if value != _default(game, name)
    ]
    return FOLDER / ("-".join([game.name, *options]) + ".txt")


def _default(game: Game, name: str) -> object:
    return next(option.default for option in game.spec.options if option.name == name)


def playthrough(game: Game) -> str:
    """Return a random game as text."""
    texts = (played(game, seed) for seed in itertools.count(SEED))
    return next(text for text in texts if len(text.encode()) < LARGEST)


def main() -> None:
    """Write all files again, and remove those of variants that are gone."""
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for game in GAMES:
        file_of(game).write_text(playthrough(game), encoding="utf-8")
        print(f"{file_of(game).name}: {file_of(game).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
