"""The observation of Tzaar, made from the text of the position."""

from __future__ import annotations

import numpy as np
from reference.tzaar_board import GRID, POINTS

from tzaar_envs.core.game import Game

Planes = dict[str, np.ndarray]


def naive(game: Game, text: str, seat: int) -> Planes:
    board, side, phase, reserve = text.split()
    planes: Planes = {plane.name: np.zeros((9, 9), int) for plane in game.observation_planes}
    names = {"Z": "tzaar", "R": "tzarra", "T": "tott"}
    texts = [stack for file in board.split("/") for stack in file.split(",")]
    for point, stack in zip(POINTS, texts, strict=True):
        i, j = GRID[point]
        planes["points"][j, i] = 1
        if stack == ".":
            continue
        owner = "own" if stack[0].isupper() == (seat == 0) else "enemy"
        height = int(stack[1:] or 1)
        planes[f"{owner}_{names[stack[0].upper()]}"][j, i] = 1
        planes[f"{owner}_height"][j, i] = height
        for least in (2, 3, 4, 5):
            planes[f"{owner}_height_{least}"][j, i] = height >= least
    planes["to_act"][:] = side == "wb"[seat]
    planes["opening"][:] = phase == "open"
    planes["action_1"][:] = phase == "1"
    planes["action_2"][:] = phase == "2"
    if game.options["setup"] == "tournament":
        reserves = reserve.split("/") if phase == "place" else ["0.0.0", "0.0.0"]
        for owner, colour in (("own", seat), ("enemy", 1 - seat)):
            for kind, number in zip(names.values(), reserves[colour].split("."), strict=True):
                planes[f"{owner}_reserve_{kind}"][:] = int(number)
    return planes
