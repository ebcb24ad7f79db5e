"""The observation of Black Elephant once more, made from the text of the position alone."""

from __future__ import annotations

from itertools import product

import numpy as np

from tzaar_envs.core.game import Game

Planes = dict[str, np.ndarray]

FILES, RANKS = "ABCDEFG", "1234567"
FACINGS = {"n": "north", "e": "east", "s": "south", "w": "west"}
GOALS = ({"G" + rank for rank in "123456"}, {file + "7" for file in "ABCDEF"})


def naive(game: Game, text: str, seat: int) -> Planes:
    """Return the planes by name; a row is a rank and a column is a file."""
    board, to_move, areas, held, burnt, home, captives, watchers, clock = text.split(" ")
    planes: Planes = {}

    def plane(name: str) -> np.ndarray:
        return planes.setdefault(name, np.zeros((7, 7), int))

    for owner, facing in product(("own", "enemy"), FACINGS.values()):
        plane(f"{owner}_{facing}")
    for rank, row in zip(range(6, -1, -1), board.split("/"), strict=True):
        for file, piece in enumerate(row.split(",")):
            plane("logs")[rank, file] = piece == "l" or piece.endswith("*")
            plane("burnt")[rank, file] = piece == "x"
            plane("free")[rank, file] = piece == "."
            if piece[0] in "01":
                owner = "own" if int(piece[0]) == seat else "enemy"
                plane(f"{owner}_{FACINGS[piece[1]]}")[rank, file] = 1
    logs_held = [int(number) for number in held.split("/")]
    prey = [int(number) for number in captives.split("/")]
    at_home = [int(number) for number in home.split("/")]
    places = watchers.split("/")
    for owner, player in (("own", seat), ("enemy", 1 - seat)):
        plane(f"{owner}_goal")[:] = field_plane(GOALS[player])
        # Player 0 goes east towards file G, player 1 north towards rank 7.
        for rank, file in product(range(7), range(7)):
            plane(f"{owner}_distance")[rank, file] = 6 - (rank if player else file)
        for number, place in enumerate(places[player], start=1):
            watched = {f + r for f in FILES for r in RANKS if place in f + r}
            plane(f"{owner}_watch_{number}")[:] = field_plane(watched)
        plane(f"{owner}_threat")[:] = field_plane(threat(places, player, logs_held[player]))
        west, south = areas.split("/")[player].split(".")
        plane(f"{owner}_area_west")[:] = int(west)
        plane(f"{owner}_area_south")[:] = int(south)
        plane(f"{owner}_held")[:] = logs_held[player]
        plane(f"{owner}_burnt")[:] = int(burnt.split("/")[player])
        plane(f"{owner}_home")[:] = at_home[player]
        plane(f"{owner}_captives")[:] = prey[player]
        points = logs_held[player] + 2 * prey[player] + 3 * at_home[player]
        plane(f"{owner}_points")[:] = points
    plane("danger")[:] = field_plane(danger("".join(places)))
    plane("logs_left")[:] = board.count("l") + board.count("*")
    plane("to_move")[:] = to_move == str(seat)
    plane("starter")[:] = seat == 0
    idle, passes, played = (int(number) for number in clock.split(":"))
    plane("passes")[:] = passes
    plane("idle")[:] = idle
    plane("plies_div_4")[:] = played // 4
    plane("plies_mod_4")[:] = played % 4
    return planes


def field_plane(fields: set[str]) -> np.ndarray:
    return np.array([[int(file + rank in fields) for file in FILES] for rank in RANKS])


def danger(places: str) -> set[str]:
    """Return the fields whose file and rank are among these places of all four watchers."""
    return {file + rank for file in FILES for rank in RANKS if file in places and rank in places}


def threat(places: list[str], player: int, logs: int) -> set[str]:
    """Return what is or becomes a danger field when a player spends at most so many logs."""
    old, other = places[player], places[1 - player]
    paths = [RANKS if place in RANKS else FILES for place in old]
    return {
        field
        for new in product(*paths)
        if sum(abs(ord(a) - ord(b)) for a, b in zip(old, new, strict=True)) <= logs
        for field in danger(other + "".join(new))
    }
