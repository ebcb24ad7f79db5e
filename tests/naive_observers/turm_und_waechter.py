"""The observation of Turm & Wächter, made from the text of the position."""

from __future__ import annotations

import re

import numpy as np

from tzaar_envs.core.game import Game

Planes = dict[str, np.ndarray]


def naive(game: Game, text: str, seat: int) -> Planes:
    board, side, occurrences, plies = text.split()
    planes: Planes = {}

    def plane(name: str) -> np.ndarray:
        return planes.setdefault(name, np.zeros((7, 7), int))

    own = "rb"[seat]
    for owner in ("own", "enemy"):
        for name in ("guard", "castle", *(f"tower_{height}" for height in range(1, 8))):
            plane(f"{owner}_{name}")
    for row, rank in zip(range(6, -1, -1), board.split("/"), strict=True):
        column = 0
        for figure in re.findall("RG|BG|[rb][1-7]|[1-7]", rank):
            if figure.isdigit():
                column += int(figure)
                continue
            owner = "own" if figure[0].lower() == own else "enemy"
            kind = "guard" if figure[1] == "G" else f"tower_{figure[1]}"
            plane(f"{owner}_{kind}")[row, column] = 1
            column += 1
    plane("own_castle" if own == "r" else "enemy_castle")[6, 3] = 1  # D7
    plane("own_castle" if own == "b" else "enemy_castle")[0, 3] = 1  # D1
    plane("to_move")[:] = side == own
    plane("occurrences")[:] = int(occurrences) - 1
    plane("plies_div_4")[:] = int(plies) // 4
    plane("plies_mod_4")[:] = int(plies) % 4
    return planes
