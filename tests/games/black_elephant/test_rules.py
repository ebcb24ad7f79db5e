"""The rules of Black Elephant that are no data: loops over the board, statistics, options.

The positions are data: see `tests/games/test_positions.py`.
"""

from __future__ import annotations

import random
import re

import pytest
from games.black_elephant.texts import (
    ELSEWHERE,
    FIELDS,
    FILES,
    GOALS,
    OWN_SIDES,
    RANKS,
    START,
    WATCH,
    content,
    elephants,
    names,
    names_of,
    part,
    play,
    position,
)
from implementations import Rules

# Places of the two watchers of each player, and the danger fields.
DANGERS = {
    ("D4", "D4"): "D4",
    ("D4", "D2"): "D4 D2",
    ("B4", "E4"): "B4 E4",
    ("B3", "E6"): "B3 B6 E3 E6",
    ("A1", "F6"): "A1 A6 F1 F6",
    ("G7", "A1"): "A7 A1 G1",  # nobody stands on G7, the fourth
    ("G7", "G7"): "",
}


@pytest.mark.parametrize("owner", [0, 1])
@pytest.mark.parametrize(("watchers", "danger"), DANGERS.items())
def test_danger_fields(rules: Rules, watchers: tuple[str, str], danger: str, owner: int) -> None:
    """Six elephants at a time stand on every field that they may stand on."""
    candidates = [f for f in FIELDS if f not in GOALS[owner] and f != "G7"]
    found = set()
    for first in range(0, len(candidates), 6):
        tried = candidates[first : first + 6]
        el = " ".join(f"{field}:{owner}s" for field in tried)
        text = position(
            f"log: F3; el: {el}; area: {owner}W=1 {1 - owner}W=1; burn 1/1; "
            f"watch: 0={watchers[0]} 1={watchers[1]}"
        )
        state = rules.parse(text)
        calm = next(
            name
            for name in names_of(state, "burn .*")
            if name[-2:] not in tried and name[-2:] != "F3"
        )
        after = play(state, calm)
        gone = {field for field in tried if content(after, field)[0] not in "01"}
        found |= gone
        expected = ["0", "0"]
        expected[1 - owner] = str(len(gone))
        assert part(after, "capt") == "/".join(expected)
    assert found == set(danger.split()) - GOALS[owner]


def mirrored(text: str) -> str:
    """Return the position reflected at the diagonal from A1 to G7 (section 1.2)."""
    board, seat, areas, held, burn, home, capt, watch, clock = text.split(" ")
    rows = [rank.split(",") for rank in reversed(board.split("/"))]
    turned = {"n": "e", "e": "n", "s": "w", "w": "s", "0": "1", "1": "0"}
    flipped = [
        ["".join(turned.get(letter, letter) for letter in rows[file][rank]) for file in range(7)]
        for rank in range(7)
    ]
    first, second = watch.split("/")
    west_0, south_0, west_1, south_1 = re.split("[./]", areas)
    return " ".join(
        [
            "/".join(",".join(row) for row in reversed(flipped)),
            {"0": "1", "1": "0", "-": "-"}[seat],
            f"{south_1}.{west_1}/{south_0}.{west_0}",
            *("/".join(reversed(pair.split("/"))) for pair in (held, burn, home, capt)),
            # N (file, of player 0) becomes E (rank, of player 1), W becomes S, and back.
            f"{mirrored_place(second)}/{mirrored_place(first)}",
            clock,
        ]
    )


def mirrored_place(place: str) -> str:
    return FILES[RANKS.index(place[1])] + RANKS[FILES.index(place[0])]


def mirrored_name(name: str) -> str:
    turned = {"n": "e", "e": "n", "s": "w", "w": "s"}
    if "^" in name:
        return f"{mirrored_place(name[:2])}^{turned[name[3]]}"
    if name[:2] in ("W>", "S>"):
        return f"{'SW'['WS'.index(name[0])]}>{mirrored_place(name[2:])}"
    return re.sub("[A-G][1-7]", lambda match: mirrored_place(match[0]), name)


@pytest.mark.parametrize("seed", range(4))
def test_reflection_changes_nothing_but_who_starts(rules: Rules, seed: int) -> None:
    choices = random.Random(seed)
    state = rules.initial(seed=seed)
    other = rules.parse(mirrored(START))
    while not state.is_terminal:
        assert str(other) == mirrored(str(state))
        assert names(other) == sorted(mirrored_name(name) for name in names(state))
        name = choices.choice(names(state))
        state, other = play(state, name), play(other, mirrored_name(name))
    assert str(other) == mirrored(str(state))


WATCHES = [
    # Option, position, seat, action, number in plane 31, watchers afterwards, price, survivors of
    # elephants on C3, D3, C5, D5 and E6.
    ("W4,ND/E4,SD", "D4/D4", 0, "watch C5", 4 * 7 + 2, "C5/D4", 2, "C3 D3 E6"),
    ("W4,ND/E4,SD", "D4/D4", 1, "watch E6", 5 * 7 + 4, "D4/E6", 3, "C3 D3 C5 D5"),
    (OWN_SIDES, "44/DD", 0, "watch 35", 4 * 7 + 2, "35/DD", 2, "C3 C5 E6"),
    (OWN_SIDES, "44/DD", 0, "watch 54", 3 * 7 + 4, "54/DD", 1, "C3 D3 C5 E6"),
    (OWN_SIDES, "44/DD", 0, "watch 63", 2 * 7 + 5, "63/DD", 3, "C3 C5 D5 E6"),
    (OWN_SIDES, "35/DD", 1, "watch CE", 4 * 7 + 2, "35/CE", 2, "D3 D5 E6"),
    (OWN_SIDES, "35/DD", 1, "watch DC", 2 * 7 + 3, "35/DC", 1, "E6"),
    (ELSEWHERE, "C2/F6", 0, "watch E3", 2 * 7 + 4, "E3/F6", 3, "C3 D3 C5 D5"),
    (ELSEWHERE, "C2/F6", 1, "watch D5", 4 * 7 + 3, "C2/D5", 3, "C3 D3 E6"),
    ("SA,NC/E3,W6", "CA/63", 0, "watch DC", 2 * 7 + 3, "DC/63", 3, "C5 D5 E6"),
    ("SA,NC/E3,W6", "CA/63", 1, "watch 54", 3 * 7 + 4, "CA/54", 2, "C3 D3 D5 E6"),
    ("SA,E2/W3,NB", "A2/B3", 0, "watch C5", 4 * 7 + 2, "C5/B3", 5, "D3 D5 E6"),
]


@pytest.mark.parametrize(
    ("option", "before", "seat", "name", "cell", "after", "price", "survivors"), WATCHES
)
def test_watch_with_other_watchers(
    rules: Rules,
    option: str,
    before: str,
    seat: int,
    name: str,
    cell: int,
    after: str,
    price: int,
    survivors: str,
) -> None:
    first, second = before.split("/")
    facing = "ew"[seat]
    tried = ("C3", "D3", "C5", "D5", "E6")
    el = " ".join(f"{field}:{seat}{facing}" for field in tried)
    held = f"{price}/9" if seat == 0 else f"9/{price}"
    text = position(
        f"log: F1; el: {el}; held {held}; area: 0W=1 1S=1; watch: 0={first} 1={second}", seat
    )
    state = rules.parse(text, watchers=option)
    assert str(state) == text
    assert state.parse_action(name) == 31 * 49 + cell
    assert state.action_name(31 * 49 + cell) == name
    state = play(state, name)
    assert part(state, "watch") == after
    assert part(state, "held") == ("0/9" if seat == 0 else "9/0")
    assert elephants(state) == {f"{field}:{seat}{facing}" for field in survivors.split()}
    poorer = rules.parse(
        text.replace(held, held.replace(str(price), str(price - 1))), watchers=option
    )
    assert name not in names(poorer)
    assert all(part(play(poorer, each), "clock") for each in names_of(poorer, WATCH))
