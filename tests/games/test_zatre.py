"""The rules of Zatre, position by position, on the reference and on the compiled game."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
import pytest
from protocols import Position, Rules
from reference.zatre import Reference

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.games.zatre import board as layout
from tzaar_envs.games.zatre.rules import end_of, sum_of


class ReferenceRules:
    def initial(
        self, players: int = 2, seed: int | None = None, outcome: Sequence[int] | None = None
    ) -> Position:
        return Reference.initial(players=players, seed=seed, outcome=outcome)

    def parse(self, text: str, players: int = 2, seed: int | None = None) -> Position:
        return Reference.parse(text, players=players, seed=seed)


class CompiledRules:
    def initial(
        self, players: int = 2, seed: int | None = None, outcome: Sequence[int] | None = None
    ) -> Position:
        import tzaar_envs

        return tzaar_envs.load_game("zatre", players=players).new_state(seed, outcome=outcome)

    def parse(self, text: str, players: int = 2, seed: int | None = None) -> Position:
        import tzaar_envs

        return tzaar_envs.load_game("zatre", players=players).parse(text, seed=seed)


@pytest.fixture(params=["reference", "compiled"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return ReferenceRules() if request.param == "reference" else CompiledRules()


# --- Positions and placements as text ------------------------------------------------------------

DIAGRAM = """
. . . . d d L . L d d . . . .
. L d d d d d d d d d d d L .
. d L d d d d d d d d d L d .
. d d L d d d d d d d L d d .
d d d d L d d d d d L d d d d
d d d d d L d d d L d d d d d
L d d d d d L d L d d d d d L
. d d d d d d S d d d d d d .
L d d d d d L d L d d d d d L
d d d d d L d d d L d d d d d
d d d d L d d d d d L d d d d
. d d L d d d d d d d L d d .
. d L d d d d d d d d d L d .
. L d d d d d d d d d d d L .
. . . . d d L . L d d . . . .
"""
Cell = tuple[int, int]
COLOURS: dict[Cell, str] = {
    (row, col): colour
    for row, line in enumerate(DIAGRAM.split("\n")[1:-1])
    for col, colour in enumerate(line.split())
    if colour != "."
}
LIGHT = {cell for cell, colour in COLOURS.items() if colour == "L"}
ABSENT = [(row, col) for row in range(15) for col in range(15) if (row, col) not in COLOURS]
TILES = {"1": 21, "2": 20, "3": 20, "4": 20, "5": 20, "6": 20}
EMPTY_SHEET = "0:-:-:-"


def cell_name(row: int, col: int) -> str:
    return f"{'ABCDEFGHIJKLMNO'[col]}{row + 1}"


def neighbours(row: int, col: int) -> list[Cell]:
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [cell for cell in around if cell in COLOURS]


def action_number(value: int, row: int, col: int) -> int:
    return (value - 1) * 225 + 15 * row + col


def tile(text: str) -> tuple[int, Cell]:
    """Return value and cell of a tile as the document has it without brackets, ``6@7,7``."""
    value, cell = text.split("@")
    row, col = cell.split(",")
    return int(value), (int(row), int(col))


def name(text: str) -> str:
    """Return the notation of ``6@7,7``: ``6@H8``."""
    value, cell = tile(text)
    return f"{value}@{cell_name(*cell)}"


def cells(text: str) -> str:
    """Return the notation of cells like ``7,7 7,8``: ``H8,I8``, and ``-`` for none."""
    return ",".join(cell_name(*map(int, cell.split(","))) for cell in text.split()) or "-"


def board_text(tiles: dict[Cell, int]) -> str:
    return "/".join(
        "".join(
            str(tiles.get((row, col), ".")) if (row, col) in COLOURS else "#" for col in range(15)
        )
        for row in range(15)
    )


def position(
    board: str,
    hands: str = "",
    seat: int | str = 0,
    placed: str = "",
    pending: str = "",
    sheets: str | None = None,
    players: int = 2,
) -> str:
    """Return the notation of tiles like ``6@7,7 1@6,7`` and hands like ``25/-``.

    Hands that are left out are empty.
    """
    tiles = {cell: value for value, cell in map(tile, board.split())}
    texts = hands.split("/") if hands else []
    texts += ["-"] * (players - len(texts))
    if sheets is None:
        sheets = "/".join([EMPTY_SHEET] * players)
    return " ".join(
        [board_text(tiles), str(seat), "/".join(texts), cells(placed), cells(pending), sheets]
    )


def rest_of(board: str, hands: str, bag: str = "") -> str:
    """Return the tiles that are neither on the board nor in these hands nor in the bag."""
    used = Counter(text[0] for text in board.split()) + Counter(hands) + Counter(bag)
    return "".join(value * (number - used[value]) for value, number in TILES.items())


def field(state: Position, index: int) -> str:
    return str(state).split(" ")[index]


def hands(state: Position) -> list[str]:
    return field(state, 2).split("/")


def sheet(state: Position, seat: int = 0) -> str:
    return field(state, 5).split("/")[seat]


def tiles_of(state: Position) -> dict[Cell, int]:
    return {
        (row, col): int(character)
        for row, line in enumerate(field(state, 0).split("/"))
        for col, character in enumerate(line)
        if character in "123456"
    }


def actions(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def names(state: Position) -> list[str]:
    return sorted(state.action_name(action) for action in actions(state))


def listed(text: str) -> list[str]:
    """Return the names of placements like ``3@6,5``; ``35@6,5`` is both 3 and 5 on that cell."""
    return sorted(
        name(f"{value}@{cell}")
        for values, cell in (part.split("@") for part in text.split())
        for value in values
    )


def lay(state: Position, texts: str, outcome: Sequence[int] | None = None) -> Position:
    """Lay tiles like ``6@6,6 6@5,6`` on a copy; the outcome belongs to the last of them."""
    state = state.clone()
    *first, last = texts.split()
    for text in first:
        state.apply(state.parse_action(name(text)), outcome=None if outcome is None else ())
    state.apply(state.parse_action(name(last)), outcome=outcome)
    return state


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert not any(state.returns())
    assert actions(state)


def assert_over(state: Position) -> None:
    assert state.is_terminal
    assert not state.is_truncated
    assert state.current_player == -1
    assert actions(state) == []
    assert str(state).split(" ")[1] == "-"
    assert str(state).split(" ")[3:5] == ["-", "-"]
    before = str(state)
    for action in (0, 1237, action_number(1, 6, 7)):
        with pytest.raises(ValueError, match=r"(?i)illegal|legal|over"):
            state.apply(action)
    assert str(state) == before


# --- Section 2: components -----------------------------------------------------------------------


def test_tiles_of_the_game(rules: Rules) -> None:
    everything = rest_of("", "")
    assert len(everything) == 121
    assert sum(map(int, everything)) == 421
    state = rules.parse(position("", everything, "-"))
    assert list(state.scores()) == [-421, 0]


@pytest.mark.parametrize("value", "123456")
def test_no_more_tiles_of_a_value_than_exist(rules: Rules, value: str) -> None:
    most = TILES[value]
    for board, there in (("", 0), (f"{value}@7,7", 1)):
        for seat in (0, "-"):
            own = value * (most - there - 1)
            text = position(board, f"{own}/{value}", seat)
            assert str(rules.parse(text)) == text
            with pytest.raises(ValueError, match=r"(?i)tile|board|hand"):
                rules.parse(position(board, f"{own}{value}/{value}", seat))
            with pytest.raises(ValueError, match=r"(?i)tile|board|hand"):
                rules.parse(position(board, f"{own}/{value}{value}", seat))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_numbers_of_players(rules: Rules, players: int) -> None:
    state = rules.initial(players=players, seed=1)
    assert len(hands(state)) == len(list(state.scores())) == players
    assert len(list(state.returns())) == players


@pytest.mark.parametrize("players", [-1, 0, 1, 5])
def test_other_numbers_of_players_are_refused(rules: Rules, players: int) -> None:
    with pytest.raises(ValueError, match="players"):
        rules.initial(players=players)


# --- Section 3: the board ------------------------------------------------------------------------


def test_diagram_and_formulas_agree() -> None:
    assert Counter(COLOURS.values()) == {"d": 160, "L": 32, "S": 1}
    assert len(ABSENT) == 32
    ends = (4, 5, 6, 8, 9, 10)
    for row, col in itertools.product(range(15), repeat=2):
        inside = 1 <= row <= 13 and 1 <= col <= 13
        outside = (row in (0, 14) and col in ends) or (col in (0, 14) and row in ends)
        assert ((row, col) in COLOURS) == (inside or outside)
        light = (inside and (row == col or row + col == 14) and (row, col) != (7, 7)) or (
            outside and bool({row, col} <= {0, 14, 6, 8})
        )
        assert ((row, col) in LIGHT) == light
    assert not any(cell in LIGHT for light in LIGHT for cell in neighbours(*light))


@pytest.mark.parametrize("row", range(15))
def test_neighbours_of_each_cell(rules: Rules, row: int) -> None:
    """Beside a 5 another 5 scores on dark and light cells alike."""
    for col in (col for col in range(15) if (row, col) in COLOURS):
        state = rules.parse(position(f"5@{row},{col}", "5"))
        expected = sorted(action_number(5, *cell) for cell in neighbours(row, col))
        assert actions(state) == expected


@pytest.mark.parametrize("row", range(15))
def test_light_cells_give_a_cross(rules: Rules, row: int) -> None:
    for col in (col for col in range(15) if (row, col) in COLOURS):
        beside = neighbours(row, col)[0]
        state = rules.parse(position(f"5@{beside[0]},{beside[1]}", "5"), seed=0)
        state.apply(action_number(5, row, col))
        assert sheet(state) == ("1:1:-:-" if (row, col) in LIGHT else "0:1:-:-")


@pytest.mark.parametrize("row", range(15))
def test_light_cells_are_closed_to_tiles_that_do_not_score(rules: Rules, row: int) -> None:
    """A tile on a dark cell far away has dark neighbours, so that nothing is forced."""
    far = "1@2,7" if row > 6 else "1@12,7"
    always = {action_number(2, *cell) for cell in neighbours(*tile(far)[1])}
    for col in (col for col in range(15) if (row, col) in COLOURS):
        state = rules.parse(position(f"{far} 1@{row},{col}", "2"))
        beside = {action_number(2, *cell) for cell in neighbours(row, col) if cell not in LIGHT}
        assert actions(state) == sorted(always | beside)


@pytest.mark.parametrize(("row", "col"), ABSENT)
def test_nothing_can_lie_on_an_absent_cell(rules: Rules, row: int, col: int) -> None:
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    board = " ".join(f"1@{r},{c}" for r, c in around if (r, c) in COLOURS) or "1@7,7"
    state = rules.parse(position(board, "123456"))
    before = str(state)
    for value in range(1, 7):
        assert action_number(value, row, col) not in actions(state)
        with pytest.raises(ValueError, match=r"."):
            state.apply(action_number(value, row, col))
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action(f"{value}@{cell_name(row, col)}"))
    assert str(state) == before


SYMMETRIES = [
    lambda row, col: (row, col),
    lambda row, col: (col, 14 - row),
    lambda row, col: (14 - row, 14 - col),
    lambda row, col: (14 - col, row),
    lambda row, col: (row, 14 - col),
    lambda row, col: (14 - row, col),
    lambda row, col: (col, row),
    lambda row, col: (14 - col, 14 - row),
]


@pytest.mark.parametrize("symmetry", range(1, 8))
def test_board_is_symmetric(rules: Rules, symmetry: int) -> None:
    """The picture of a position has the pictures of its placements, with the same points."""
    turned = SYMMETRIES[symmetry]

    def picture(names: str) -> str:
        if names == "-":
            return names
        at = {cell_name(*cell): cell_name(*turned(*cell)) for cell in COLOURS}
        return ",".join(at[each] for each in names.split(","))

    choices = random.Random(symmetry)
    state = rules.initial(seed=symmetry)
    for _ in range(60):
        _, seat, hand, placed, pending, sheets = str(state).split(" ")
        board = board_text({turned(*cell): value for cell, value in tiles_of(state).items()})
        text = " ".join([board, seat, hand, picture(placed), picture(pending), sheets])
        other = rules.parse(text)
        images = {}
        for action in actions(state):
            value, place = divmod(action, 225)
            images[action] = action_number(value + 1, *turned(*divmod(place, 15)))
        assert actions(other) == sorted(images.values())
        action = choices.choice(actions(state))
        state.apply(action)
        other.apply(images[action])
        assert field(other, 5) == field(state, 5)


# --- Section 4: the score sheet ------------------------------------------------------------------


def value_of_sheet(text: str) -> int:
    """Return the total of a sheet in notation."""
    crosses, *columns = text.split(":")
    entries = [[] if column == "-" else column.split(",") for column in columns]
    total = 0
    for index, row in enumerate(itertools.zip_longest(*entries, fillvalue="0")):
        points = sum(map(int, row))
        if "0" not in row:
            points += min(6, 3 + index // 4)
        total += points * (2 if index < int(crosses) else 1)
    return total


@pytest.mark.parametrize(
    ("sheet_text", "total"),
    [
        (EMPTY_SHEET, 0),
        ("7:-:-:-", 0),  # crosses alone
        ("0:1:-:-", 1),
        ("0:-:2:-", 2),
        ("0:-:-:4", 4),
        ("0:1:2:-", 3),
        ("0:1:-:4", 5),
        ("0:-:2:4", 6),
        ("0:1:2:4", 10),
        ("1:1:2:4", 20),
        ("1:1:2:-", 6),
        ("1:3:-:-", 6),
        ("2:1:2:4", 20),
        ("1:1,1:2,2:4,4", 30),
        ("2:1,1:2,2:4,4", 40),
        ("0:1,1,1,1,1,1,1:-:4,4,4", 19),  # seven entries in one column, three in another
        ("0:1,1,1,1,1,1,1:2:4,4,4", 24),
        ("1:12:22:48", 170),
    ],
)
def test_total_of_a_sheet(rules: Rules, sheet_text: str, total: int) -> None:
    assert value_of_sheet(sheet_text) == total
    for seat in (0, "-"):
        own = rules.parse(
            position(
                "5@7,7", "-" if seat == "-" else "5", seat, sheets=f"{sheet_text}/{EMPTY_SHEET}"
            )
        )
        assert list(own.scores()) == [total, 0]
        other = rules.parse(
            position(
                "5@7,7", "-" if seat == "-" else "5", seat, sheets=f"{EMPTY_SHEET}/{sheet_text}"
            )
        )
        assert list(other.scores()) == [0, total]


@pytest.mark.parametrize(
    ("row", "bonus"),
    [(1, 3), (4, 3), (5, 4), (8, 4), (9, 5), (12, 5), (13, 6), (16, 6), (17, 6), (20, 6), (40, 6)],
)
def test_bonus_of_a_row(rules: Rules, row: int, bonus: int) -> None:
    """A row is completed by its entry 11, whose 2 points come with the bonus."""
    tens, twelves = ",".join(["1"] * row), ",".join(["4"] * row)
    elevens = ",".join(["2"] * (row - 1)) or "-"
    before = list(
        rules.parse(
            position("", "", "-", sheets=f"0:{tens}:{elevens}:{twelves}/{EMPTY_SHEET}")
        ).scores()
    )
    for crosses, factor in ((0, 1), (row, 2)):
        text = f"{crosses}:{tens}:{','.join(['2'] * row)}:{twelves}"
        after = rules.parse(position("", "", "-", sheets=f"{text}/{EMPTY_SHEET}"))
        assert list(after.scores()) == [factor * (before[0] + 2 + bonus), 0]


# What a turn brings, as (board, tiles that seat 0 lays); all of them fit on one board.
TURNS = {
    (0, 0, 0, 0): ("1@7,7", "1@7,8"),
    (1, 0, 0, 0): ("5@7,7", "5@7,8"),
    (0, 1, 0, 0): ("5@7,7", "6@7,8"),
    (0, 0, 1, 0): ("6@7,7", "6@7,8"),
    (1, 1, 0, 0): ("4@7,7 3@7,8 1@5,9 5@6,9", "4@7,9"),
    (1, 1, 1, 0): ("4@7,7 3@7,8 1@5,9 5@6,9 6@2,7", "4@7,9 6@2,6"),
    (0, 0, 2, 1): ("6@6,7 6@7,6", "6@6,6"),
    (0, 0, 2, 2): ("6@3,4 6@11,12", "6@3,3 6@11,11"),
    (2, 0, 1, 2): ("5@6,7 5@7,6 6@3,4", "5@6,6 6@3,3"),
}


def after_turns(rules: Rules, turns: Iterable[tuple[int, int, int, int]]) -> list[tuple[str, int]]:
    """Return the sheet and the total of seat 0 after each of its turns."""
    text, course = EMPTY_SHEET, []
    for turn in turns:
        board, laid = TURNS[turn]
        hand = "".join(sorted(text[0] for text in laid.split()))
        sheets = f"{text}/{EMPTY_SHEET}"
        state = lay(rules.parse(position(board, hand, sheets=sheets), seed=1), laid)
        assert sheet(state, 1) == EMPTY_SHEET
        text = sheet(state)
        total, other = state.scores()
        assert other == 0
        course.append((text, total))
    return course


def test_20_a_sheet_turn_by_turn(rules: Rules) -> None:
    turns = [
        (0, 0, 2, 1),
        (1, 0, 0, 0),
        (0, 1, 0, 0),
        (0, 0, 0, 0),
        (2, 0, 1, 2),
        (0, 1, 0, 0),
        (0, 0, 1, 0),
    ]
    assert after_turns(rules, turns) == [
        ("1:-:-:8", 16),
        ("1:1:-:8", 18),
        ("1:1:2:8", 28),
        ("1:1:2:8", 28),
        ("3:1,2:2:8,4", 40),
        ("3:1,2:2,2:8,4", 50),
        ("3:1,2:2,2:8,4,4", 58),
    ]
    kept = rules.parse(position("", "35/-", "-", sheets=f"3:1,2:2,2:8,4,4/{EMPTY_SHEET}"))
    assert list(kept.scores()) == [50, 0]


def test_21_seventeen_turns(rules: Rules) -> None:
    course = after_turns(rules, [(1, 1, 1, 0)] * 17)
    rows = [10] * 4 + [11] * 4 + [12] * 4 + [13] * 5
    assert [total for _, total in course] == list(itertools.accumulate(rows))
    assert course[-1] == (f"0:{'1,' * 16}1:{'2,' * 16}2:{'4,' * 16}4", 197)


def test_22_crosses_ahead_of_entries(rules: Rules) -> None:
    assert after_turns(rules, [(0, 0, 2, 2), (1, 1, 0, 0)]) == [("2:-:-:8", 16), ("2:1:2:8", 28)]


# --- Sections 5 and 7.2: legal placements --------------------------------------------------------

BOARD_8 = "1@6,7 6@7,7 1@7,8"
BOARD_11 = "6@7,7 5@7,6 6@6,7"
BOARD_12 = "6@7,7 6@7,8 6@8,7 6@8,8"
BOARD_15 = "5@0,6 2@1,6 1@1,7 3@1,8 6@0,8"
BOARD_18 = "6@7,7 6@7,8 6@6,7"
CORNER = "6@1,1 6@1,2 6@2,1"
DARK_6 = "5,7 7,6 7,8 8,7"


def on(values: str, cells: str) -> str:
    """Return all of these values on all of these cells."""
    return " ".join(f"{values}@{cell}" for cell in cells.split())


# Board, hand, cells filled in this turn, pending cell, all legal placements.
LEGAL = {
    "1": ("", "255", "", "", on("25", "7,7")),
    "2": ("5@7,7", "25", "7,7", "", on("25", "6,7 7,6 7,8 8,7")),
    "3": ("6@7,7 6@7,8", "6", "7,7 7,8", "", on("6", "6,7 6,8 8,7 8,8")),
    "6": ("4@7,7 3@6,7", "35", "", "", on("35", "5,7 6,6 6,8 7,6 7,8 8,7")),
    "6a": ("4@7,7 3@6,7 5@6,6", "3", "6,6", "6,6", on("3", "6,5 6,8")),
    "7": ("1@7,7 1@6,7", "12", "", "", on("12", DARK_6)),
    "8": (BOARD_8, "6", "7,8", "", on("6", "6,6 6,8 8,8")),
    "9": (BOARD_8, "26", "", "", on("2", "5,7 7,6 7,9 8,7")),
    "10": (BOARD_8, "66", "", "", on("6", "6,6 8,8")),
    "10, pending": (f"{BOARD_8} 6@6,6", "6", "6,6", "6,6", "6@5,6"),
    "11": (BOARD_11, "44", "", "", "4@6,8"),
    "15": (BOARD_15, "6", "", "", on("6", "0,5 0,9 1,5 1,9 2,7")),
    "18": (BOARD_18, "112", "", "", on("12", "6,6 6,8 8,8")),
    "18, second": (f"{BOARD_18} 1@6,6", "12", "6,6", "", on("12", "5,6 6,5 6,8")),
    "18, third": (f"{BOARD_18} 1@6,6 2@6,5", "1", "6,6 6,5", "", on("1", "5,6 6,4 6,8 7,5")),
    # Section 9: the tile that could only be forced is looked at again afterwards.
    "9, second": (f"{BOARD_8} 2@5,7", "6", "5,7", "", on("6", "5,6 5,8")),
    # Two tiles fit into the gap of 5 and 5 together with 2, none with a sum above 12.
    "a gap": ("5@7,7 5@7,9", "123", "", "", on("123", "6,7 8,7 7,6 7,10 6,9 8,9") + " 12@7,8"),
    # One tile of look-ahead: 7 and three tiles of value 1 make 10, but two of them do not.
    "three to complete": ("5@3,4 2@3,5", "111", "", "", on("1", "2,4 2,5 4,5 3,6")),
    "two to complete": ("5@3,4 2@3,5", "112", "", "", on("12", "2,4 2,5 4,5 3,6 3,3")),
    "the next completes": ("5@3,4 2@3,5 1@3,3", "12", "3,3", "3,3", on("2", "3,2 3,6")),
    "either completes": ("5@3,4 2@3,5 2@3,3", "11", "3,3", "3,3", on("1", "3,2 3,6")),
    # The same board without the duty to complete.
    "nothing pending": (
        "5@3,4 2@3,5 1@3,3",
        "2",
        "3,3",
        "",
        on("2", "2,3 3,2 4,3 2,4 2,5 4,5 3,6"),
    ),
    # Tiles need not hang together, and the start cell may be empty.
    "not on the start cell": ("1@2,7", "1", "", "", on("1", "1,7 3,7 2,6 2,8")),
    "start cell": ("5@6,7", "1", "", "", on("1", "5,7 7,7")),
    "in the corner": ("6@1,1", "3", "", "", on("3", "1,2 2,1")),
    "dark before light": ("1@0,5 6@0,4 6@1,4 6@1,5", "2", "", "", "2@2,5"),
    # Where one cell is left: some first tiles strand the others, sometimes all of them do.
    "one cell, 1 and 4": (CORNER, "14", "", "", on("14", "2,2")),
    "one cell, 1 and 6": (CORNER, "16", "", "", on("6", "2,2")),
    "one cell, 5 and 6": (CORNER, "56", "", "", on("56", "2,2")),
    "one cell, 6 and 6": (CORNER, "66", "", "", on("6", "2,2")),
    "one cell, 1, 4 and 6": (CORNER, "146", "", "", on("14", "2,2")),
    "one cell, 1 lies there": (f"{CORNER} 1@2,2", "4", "2,2", "2,2", on("4", "2,3 3,2")),
}


@pytest.mark.parametrize("case", LEGAL)
def test_legal_placements(rules: Rules, case: str) -> None:
    board, hand, placed, pending, expected = LEGAL[case]
    text = position(board, hand, placed=placed, pending=pending)
    state = rules.parse(text)
    assert str(state) == text
    assert names(state) == listed(expected)
    assert actions(state) == sorted(state.parse_action(each) for each in listed(expected))
    assert len(set(actions(state))) == len(actions(state))
    assert_running(state, 0)


@pytest.mark.parametrize("case", LEGAL)
def test_everything_else_is_illegal(rules: Rules, case: str) -> None:
    board, hand, placed, pending, _ = LEGAL[case]
    text = position(board, hand, placed=placed, pending=pending)
    state = rules.parse(text)
    legal = actions(state)
    for action in (-1, 1350, 10**6, *(a for a in range(0, 1350, 7) if a not in legal)):
        with pytest.raises(ValueError, match=r"."):
            state.apply(action)
    assert str(state) == text
    assert actions(state) == legal


@pytest.mark.parametrize(
    ("case", "number"),
    [
        *(("1", 2), ("2", 8), ("3", 4), ("6", 12), ("6a", 2), ("7", 8), ("8", 3), ("9", 4)),
        *(("10", 2), ("11", 1), ("15", 5), ("18", 6), ("18, second", 6), ("18, third", 4)),
    ],
)
def test_numbers_of_legal_placements(rules: Rules, case: str, number: int) -> None:
    board, hand, placed, pending, _ = LEGAL[case]
    state = rules.parse(position(board, hand, placed=placed, pending=pending))
    assert len(actions(state)) == number


def test_pending_comes_only_with_a_light_cell_that_waits(rules: Rules) -> None:
    state = rules.parse(position("4@7,7 3@6,7", "35"))
    for text, pending in (
        ("5@6,6", "G7"),
        ("3@6,6", "G7"),
        ("5@6,8", "I7"),
        ("5@5,7", "-"),
        ("3@7,6", "-"),
    ):
        assert field(lay(state, text), 4) == pending
    assert field(lay(state, "3@6,6"), 3) == "G7"
    assert field(lay(state, "3@7,6"), 3) == "G8"
    # A light cell that scores at once does not wait, even if the next tile could score there too.
    assert field(lay(rules.parse(position("6@6,7", "15")), "5@6,6"), 4) == "-"
    # Nor does a forced one.
    assert field(lay(rules.parse(position(BOARD_18, "112")), "1@6,6"), 4) == "-"


def test_pending_is_cleared_by_the_next_tile(rules: Rules) -> None:
    state = rules.parse(position("5@3,4 2@3,5", "112"))
    state = lay(state, "1@3,3")
    assert field(state, 4) == "D4"
    assert names(state) == listed(on("2", "3,2 3,6"))
    state = lay(state, "2@3,6")
    assert str(state) == position("5@3,4 2@3,5 1@3,3 2@3,6", "1", placed="3,3 3,6")
    assert_running(state, 0)


def test_tile_of_the_turn_may_carry_the_next(rules: Rules) -> None:
    """Position 19."""
    state = rules.parse(position(BOARD_8, "12"), seed=0)
    assert name("2@5,7") in names(state)
    state = lay(state, "2@5,7")
    assert name("1@4,7") in names(state)
    state = lay(state, "1@4,7")
    assert sheet(state) == "0:1:-:-"


def test_11_stranding_is_avoided_only_if_possible(rules: Rules) -> None:
    state = rules.parse(position(BOARD_11, "44"))
    assert actions(state) == [773]
    state = lay(state, "4@6,8")
    assert name("4@5,8") in names(state)
    # Alone, the same tile may be laid where nothing else would fit any more.
    assert set(names(rules.parse(position(BOARD_11, "4")))) >= {"4@G7", "4@I7"}


@pytest.mark.parametrize("values", list(itertools.combinations_with_replacement("123456", 3)))
def test_first_turn(rules: Rules, values: tuple[str, str, str]) -> None:
    """All three tiles can always be placed, no light cell is reachable before the third."""
    hand = "".join(values)
    start = rules.initial(outcome=[int(value) for value in values])
    assert str(start) == position("", hand)
    assert names(start) == sorted(f"{value}@H8" for value in set(values))
    for first in actions(start):
        second = start.clone()
        second.apply(first, outcome=())
        assert_running(second, 0)
        assert not any(divmod(action % 225, 15) in LIGHT for action in actions(second))
        for action in actions(second):
            third = second.clone()
            third.apply(action, outcome=())
            assert_running(third, 0)
            assert len(hands(third)[0]) == 1
            if (first + action) % 5 == 0:
                third.apply(actions(third)[-1], outcome=(1, 2))
                assert_running(third, 1)
                assert len(tiles_of(third)) == 3
                assert hands(third) == ["-", "12"]


# --- Section 7.3: scoring ------------------------------------------------------------------------

# Board, hand, cells filled before in this turn, tiles laid, sheet, total.
SCORED = {
    "3a": ("6@7,7 6@7,8", "6", "7,7 7,8", "6@6,8", "1:-:-:8", 16),
    "3b": ("6@7,7 6@7,8", "6", "7,7 7,8", "6@6,7", "0:-:-:8", 8),
    "4": ("5@7,7 4@7,8", "12", "", "1@7,9 2@7,10", "0:-:-:4", 4),
    "5": ("4@7,7 3@7,8 1@5,9 5@6,9", "4", "", "4@7,9", "0:1:2:-", 3),
    "6b": ("4@7,7 3@6,7", "35", "", "5@6,6 3@6,5", "1:-:2:-", 4),
    "6c": ("4@7,7 3@6,7", "35", "", "5@6,6 3@6,8", "2:-:2:-", 4),
    "8": (BOARD_8, "6", "", "6@6,8", EMPTY_SHEET, 0),
    "10": (BOARD_8, "66", "", "6@6,6 6@5,6", "1:-:-:4", 8),
    "10, other": (BOARD_8, "66", "", "6@8,8 6@8,9", "1:-:-:4", 8),
    "16": ("4@6,5 5@6,7 1@7,7 6@5,6 3@7,6", "2", "", "2@6,6", "1:-:4:-", 8),
    "17": ("5@6,6 3@6,7 4@7,7", "3", "", "3@6,5", "0:-:2:-", 2),
    "17, in one turn": ("5@6,6 3@6,7 4@7,7", "3", "6,6", "3@6,5", "1:-:2:-", 4),
    "18": (BOARD_18, "112", "", "1@6,6 2@6,5 1@6,4", "1:1:-:-", 2),
    "19": (BOARD_8, "12", "", "2@5,7 1@4,7", "0:1:-:-", 1),
    # Lines that got no new tile are not counted again.
    "old lines": ("6@7,7 6@7,8", "6", "", "6@6,8", "1:-:-:4", 8),
    "old lines, other tile": ("6@7,7 6@7,8 1@2,2", "1", "", "1@2,3", EMPTY_SHEET, 0),
    # A tile that joins two runs makes one line of both.
    "joined": ("5@7,7 5@7,9", "2", "", "2@7,8", "0:-:-:4", 4),
    "joined, light": ("4@3,2 5@3,4", "3", "", "3@3,3", "1:-:-:4", 8),
    # A line that two tiles of a turn complete from both sides counts once.
    "both sides": ("4@7,7", "34", "", "3@7,6 4@7,8", "0:-:2:-", 2),
    # A line that is no longer worth anything else than its final sum.
    "10 to 11": ("4@7,7 5@7,8", "11", "", "1@7,9 1@7,10", "0:-:2:-", 2),
    "far apart": ("4@7,7 6@2,7", "66", "", "6@7,8 6@2,6", "0:1:-:4", 5),
    # The notch: these two are in no line with each other.
    "notch": (BOARD_15, "6", "", "6@0,5", "0:-:2:-", 2),
    "notch, right": (BOARD_15, "6", "", "6@0,9", "0:-:-:4", 4),
    "below the notch": (BOARD_15, "6", "", "6@2,7", EMPTY_SHEET, 0),
    "notch, at the side": ("5@6,0 2@6,1 1@7,1 3@8,1 6@8,0", "6", "", "6@9,0", "0:-:-:4", 4),
    # A light cell laid in the first half of the turn is judged by the final board.
    "cross afterwards": ("5@6,7", "15", "", "5@6,6 1@6,5", "1:-:2:-", 4),
    "no cross without a line": ("1@6,7 6@7,7 1@7,8", "6", "", "6@6,6", EMPTY_SHEET, 0),
}


@pytest.mark.parametrize("case", SCORED)
def test_scored_turn(rules: Rules, case: str) -> None:
    board, hand, placed, laid, expected, total = SCORED[case]
    state = rules.parse(position(board, hand, placed=placed), seed=3)
    state = lay(state, laid)
    assert state.current_player == 1
    assert sheet(state) == expected
    assert sheet(state, 1) == EMPTY_SHEET
    assert list(state.scores()) == [total, 0]
    assert tiles_of(state) == {cell: v for v, cell in map(tile, f"{board} {laid}".split())}
    assert field(state, 3) == "-"
    assert_running(state, 1)


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_the_seat_that_laid_the_tiles_scores(rules: Rules, seat: int) -> None:
    sheets = ["1:1:2:4", "2:3:-:8,4", "0:-:-:4", EMPTY_SHEET]
    hand = ["-"] * 4
    hand[seat] = "6"
    text = position(
        "6@7,7 6@7,8", "/".join(hand), seat, placed="7,7 7,8", sheets="/".join(sheets), players=4
    )
    state = lay(rules.parse(text, players=4, seed=0), "6@6,8")
    expected = ["2:1:2:4,8", "3:3:-:8,4,8", "1:-:-:4,8", "1:-:-:8"]
    assert [sheet(state, other) for other in range(4)] == [
        expected[other] if other == seat else sheets[other] for other in range(4)
    ]
    assert state.current_player == (seat + 1) % 4


# --- Section 7.1: drawing ------------------------------------------------------------------------

# Seat 0 lays 1@(7,8), which makes the board of position 8; what seat 1 kept, drew and then has.
DRAWN = {
    "none kept": ("-", (3, 4), "34"),
    "none kept, drawn downwards": ("-", (6, 2), "26"),
    "one kept": ("6", (2,), "26"),
    "two kept, one fits": ("66", (), "66"),
    "three kept, one fits": ("266", (), "266"),
}


@pytest.mark.parametrize("case", DRAWN)
def test_drawing(rules: Rules, case: str) -> None:
    kept, drawn, hand = DRAWN[case]
    state = rules.parse(position("1@6,7 6@7,7", f"1/{kept}"))
    after = lay(state, "1@7,8", outcome=drawn)
    assert str(after) == position(BOARD_8, f"-/{hand}", 1)
    assert_running(after, 1)
    at_random = lay(state, "1@7,8")
    assert len(hands(at_random)[1]) == len(hand)
    before = str(state)
    for wrong in ((*drawn, 1), drawn[:-1] if drawn else (1, 2), (7, *drawn[1:]), (0,) * 9):
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action("1@I8"), outcome=wrong)
        assert str(state) == before
        assert_running(state, 0)
    assert str(lay(state, "1@7,8", outcome=drawn)) == str(after)


def test_13_keeps_two_and_draws_none(rules: Rules) -> None:
    state = lay(rules.parse(position("1@6,7 6@7,7", "1/66")), "1@7,8", outcome=())
    assert names(state) == listed(LEGAL["10"][-1])


def test_14_keeps_one_and_draws_one(rules: Rules) -> None:
    state = rules.parse(position("1@6,7 6@7,7", "1/6"))
    after = lay(state, "1@7,8", outcome=[2])
    assert names(after) == listed(LEGAL["9"][-1])
    for seed in range(5):
        state = rules.parse(position("1@6,7 6@7,7", "1/6"), seed=seed)
        assert len(hands(lay(state, "1@7,8"))[1]) == 2


# All four lines of this block are 11 after 6@(8,8): only tiles of value 1 fit, at the ends.
NEARLY_BLOCKED = "6@7,7 5@7,8 5@8,7"
ENDS_OF_THE_BLOCK = "6,7 9,7 6,8 9,8 7,6 8,6 7,9 8,9"


def test_blocked_hand_of_two_draws_one(rules: Rules) -> None:
    state = rules.parse(position(NEARLY_BLOCKED, "6/35"))
    state = lay(state, "6@8,8", outcome=(1,))
    assert str(state) == position(
        f"{NEARLY_BLOCKED} 6@8,8", "-/135", 1, sheets=f"1:-:4:-/{EMPTY_SHEET}"
    )
    assert names(state) == listed(on("1", ENDS_OF_THE_BLOCK))


def test_turns_without_a_decision_are_passed(rules: Rules) -> None:
    """Seat 1 draws 4, seat 0 draws 2 and 3, seat 1 draws 6, seat 0 draws 1 and can go on."""
    state = rules.parse(position(NEARLY_BLOCKED, "6/35"))
    before = str(state)
    outcome = (4, 2, 3, 6, 1)
    for wrong in (outcome[:-1], outcome[:1], (), (*outcome, 1), (4, 2, 3, 6, 6, 1, 1)):
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action("6@I9"), outcome=wrong)
        assert str(state) == before
    state = lay(state, "6@8,8", outcome=outcome)
    assert_running(state, 0)
    assert hands(state) == ["123", "3456"]
    assert field(state, 3) == "-"
    assert names(state) == listed(on("1", ENDS_OF_THE_BLOCK))
    # Both keep what they have: seat 1 has four tiles, and draws none if one of them fits.
    state = lay(state, "1@6,7", outcome=())
    assert_running(state, 0)


def test_kept_tiles_stay_for_the_next_turn(rules: Rules) -> None:
    """Only one 6 can be laid; the other one is kept, and one tile is drawn to it."""
    board = f"{CORNER} {NEARLY_BLOCKED} 6@8,8"
    state = lay(rules.parse(position(board, "66/1")), "6@2,2", outcome=(1,))
    assert_running(state, 1)
    assert hands(state) == ["6", "11"]
    assert sheet(state) == "1:-:-:8"
    state = lay(lay(state, "1@6,7", outcome=()), "1@7,6", outcome=(3,))
    assert_running(state, 0)
    assert hands(state) == ["36", "-"]


# --- Position 12: a board on which nothing fits --------------------------------------------------

LAST_OF_12 = "6@7,7 6@7,8 6@8,7"


def dealt(order: Iterable[int], outcome: Sequence[int], kept: list[str]) -> list[str]:
    """Return the hands after the tiles of an outcome went to these seats in order."""
    after = [list(hand.replace("-", "")) for hand in kept]
    for seat, value in zip(order, outcome, strict=False):
        after[seat].append(str(value))
    return ["".join(sorted(hand)) or "-" for hand in after]


def test_12_nothing_fits(rules: Rules) -> None:
    text = position(BOARD_12, "123456")
    with pytest.raises(ValueError, match=r"(?i)placement|legal|seat|hand"):
        rules.parse(text)


def test_12ab_each_draws_until_the_bag_is_empty(rules: Rules) -> None:
    """Seat 3 has laid the last 6; A is seat 0 with {3,5}, B seat 1 with nothing, 30 in the bag."""
    bag = "123456" * 5
    rest = rest_of(LAST_OF_12, "356", bag)
    kept = ["35", "-", rest, "6"]
    state = rules.parse(position(LAST_OF_12, "/".join(kept), 3, players=4), players=4)
    outcome = [int(value) for value in "1" + bag[1:]]
    after = lay(state, "6@8,8", outcome=outcome)
    assert_over(after)
    order = [0, 1, 1, 2, 3, 3, *itertools.islice(itertools.cycle([0, 1, 2, 3]), 24)]
    assert hands(after) == dealt(order, outcome, ["35", "-", rest, "-"])
    for wrong in (outcome[:-1], [*outcome, 1], [*outcome[:-1], 3]):
        with pytest.raises(ValueError, match=r"."):
            lay(state, "6@8,8", outcome=wrong)


def test_12c_the_last_tile_of_the_bag(rules: Rules) -> None:
    rest = rest_of(LAST_OF_12, "356" + "12", "4")
    text = position(LAST_OF_12, f"35/12/{rest}/6", 3, players=4)
    for outcome in (None, [4]):
        after = lay(rules.parse(text, players=4), "6@8,8", outcome=outcome)
        assert_over(after)
        assert hands(after) == ["345", "12", rest, "-"]
        assert list(after.scores()) == [-12, -3, -sum(map(int, rest)), 16]
        assert list(after.returns()) == [-1 / 3, -1 / 3, -1 / 3, 1]
    for wrong in ((), (3,), (5,), (4, 4)):
        with pytest.raises(ValueError, match=r"."):
            lay(rules.parse(text, players=4), "6@8,8", outcome=wrong)


@pytest.mark.parametrize("seed", range(4))
def test_12d_nothing_ever_fits(rules: Rules, seed: int) -> None:
    state = rules.parse(position(LAST_OF_12, "6/35"), seed=seed)
    after = lay(state, "6@8,8")
    assert_over(after)
    assert [len(hand) for hand in hands(after)] == [58, 59]
    assert Counter(hands(after)[0] + hands(after)[1]) == Counter(rest_of(BOARD_12, ""))
    totals = [16 - sum(map(int, hands(after)[0])), -sum(map(int, hands(after)[1]))]
    assert list(after.scores()) == totals


def test_12d_with_a_given_outcome(rules: Rules) -> None:
    outcome = [int(value) for value in rest_of(BOARD_12, "35")]
    random.Random(12).shuffle(outcome)
    assert len(outcome) == 115
    state = rules.parse(position(LAST_OF_12, "6/35"))
    after = lay(state, "6@8,8", outcome=outcome)
    assert_over(after)
    order = [1, 0, 0, *itertools.islice(itertools.cycle([1, 0]), 112)]
    assert hands(after) == dealt(order, outcome, ["-", "35"])


# --- Sections 7.1, 7.4 and 8: the last turn, the result ------------------------------------------


def test_fewer_tiles_in_the_bag_than_to_be_drawn(rules: Rules) -> None:
    """Seat 1 would draw two and gets the last one; that turn is played and scored in full."""
    board, others = "6@7,7", "6"
    rest = rest_of(board, others, "3")
    text = position(board, f"6/-/{rest}", players=3)
    state = rules.parse(text, players=3)
    state = lay(state, "6@7,8", outcome=(3,))
    assert_running(state, 1)
    assert hands(state) == ["-", "3", rest]
    assert list(state.scores()) == [4, 0, 0]
    over = lay(state, "3@6,7", outcome=())
    assert_over(over)
    assert list(over.scores()) == [4, 0, -sum(map(int, rest))]
    assert list(over.returns()) == [1, -0.5, -0.5]


def test_last_turn_goes_on_until_its_end(rules: Rules) -> None:
    """An empty bag means the last turn: two tiles can still be laid, both of them count."""
    rest = rest_of("4@7,7 3@6,7", "35")
    state = rules.parse(position("4@7,7 3@6,7", f"35/{rest}"))
    state = lay(state, "5@6,6", outcome=())
    assert_running(state, 0)
    state = lay(state, "3@6,5", outcome=())
    assert_over(state)
    assert sheet(state) == "1:-:2:-"
    assert list(state.scores()) == [4, -sum(map(int, rest))]
    assert list(state.returns()) == [1, -1]


def test_leftover_of_the_last_turn_is_deducted(rules: Rules) -> None:
    """Of {6,6} only one can be laid; the other one costs 6."""
    rest = rest_of(CORNER, "66")
    state = rules.parse(position(CORNER, f"66/{rest}"))
    assert list(state.scores()) == [0, 0]
    state = lay(state, "6@2,2", outcome=())
    assert_over(state)
    assert hands(state) == ["6", rest]
    assert list(state.scores()) == [16 - 6, -sum(map(int, rest))]


# Sheets and hands at the end, the scores and the returns.
RESULTS = {
    "23": (
        [
            "0:-:-:" + ",".join(["8"] * 15),
            "0:3:-:" + ",".join(["8"] * 16),
            "0:3:-:" + ",".join(["8"] * 16),
            "0:2:-:" + ",".join(["8"] * 11),
        ],
        ["-", "-", "-", "-"],
        [120, 131, 131, 90],
        [-1 / 2, 1 / 2, 1 / 2, -1 / 2],
    ),
    "tiles in hand decide": (
        ["0:-:-:8", "0:-:-:8"],
        ["-", "1"],
        [8, 7],
        [1, -1],
    ),
    "tiles in hand make a tie": (["0:-:-:8", "0:-:-:4"], ["4", "-"], [4, 4], [0, 0]),
    "negative": ([EMPTY_SHEET, EMPTY_SHEET], ["56", "46"], [-11, -10], [-1, 1]),
    "nothing at all": ([EMPTY_SHEET] * 3, ["-"] * 3, [0, 0, 0], [0, 0, 0]),
    "all four alike": (["0:-:-:4"] * 4, ["1"] * 4, [3] * 4, [0] * 4),
    "three of four": (
        ["0:-:-:4", "0:-:-:4", "0:-:2:-", "0:-:-:4"],
        ["-"] * 4,
        [4, 4, 2, 4],
        [1 / 3, 1 / 3, -1, 1 / 3],
    ),
    "one of four": (
        ["0:-:-:4", "0:1:-:-", "0:-:2:-", "0:1:-:-"],
        ["-"] * 4,
        [4, 1, 2, 1],
        [1, -1 / 3, -1 / 3, -1 / 3],
    ),
    "one of three": (
        ["0:1:-:-", "0:-:2:-", "0:-:-:4"],
        ["-", "-", "-"],
        [1, 2, 4],
        [-1 / 2, -1 / 2, 1],
    ),
    "two of three": (["0:-:-:4"] * 3, ["-", "3", "-"], [4, 1, 4], [1 / 2, -1, 1 / 2]),
}


@pytest.mark.parametrize("case", RESULTS)
def test_result(rules: Rules, case: str) -> None:
    sheets, kept, scores, returns = RESULTS[case]
    players = len(sheets)
    text = position("", "/".join(kept), "-", sheets="/".join(sheets), players=players)
    state = rules.parse(text, players=players)
    assert str(state) == text
    assert_over(state)
    assert list(state.scores()) == scores
    assert list(state.returns()) == pytest.approx(returns)
    assert sum(state.returns()) == pytest.approx(0)


def test_tiles_in_hand_cost_nothing_while_the_game_runs(rules: Rules) -> None:
    state = rules.parse(position("5@7,7", "56/34", sheets="1:-:-:8/0:1:-:-"))
    assert list(state.scores()) == [16, 1]
    assert list(state.returns()) == [0, 0]


# --- Section 10: chance --------------------------------------------------------------------------


def test_start_position(rules: Rules) -> None:
    for players in (2, 3, 4):
        state = rules.initial(players=players, outcome=(5, 2, 5))
        assert str(state) == position("", "255", players=players)
        assert actions(state) == [337, 1012]
        assert_running(state, 0)


@pytest.mark.parametrize(
    "outcome", [(), (1,), (1, 2), (1, 2, 3, 4), (1, 2, 7), (0, 1, 2), (1, 2, -1)]
)
def test_impossible_start_is_refused(rules: Rules, outcome: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"."):
        rules.initial(outcome=outcome)


def test_outcome_of_a_placement_within_a_turn_is_empty(rules: Rules) -> None:
    state = rules.initial(outcome=(5, 2, 5))
    before = str(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(1012, outcome=(1,))
    assert str(state) == before
    state.apply(1012, outcome=())
    assert hands(state) == ["25", "-"]


def test_tile_that_the_bag_lacks_cannot_be_drawn(rules: Rules) -> None:
    text = position("5@7,7", "4/-/" + "6" * 20, players=3)
    state = rules.parse(text, players=3)
    for wrong in ((6, 1), (1, 6)):
        with pytest.raises(ValueError, match=r"."):
            lay(state, "4@7,8", outcome=wrong)
    assert hands(lay(state, "4@7,8", outcome=(5, 1)))[1] == "15"
    last_six = rules.parse(position("5@7,7", "4/-/" + "6" * 19, players=3), players=3)
    assert hands(lay(last_six, "4@7,8", outcome=(6, 1)))[1] == "16"
    with pytest.raises(ValueError, match=r"."):
        lay(last_six, "4@7,8", outcome=(6, 6))


def test_seed_determines_the_game(rules: Rules) -> None:
    def course(seed: int) -> list[str]:
        state = rules.initial(seed=seed)
        texts = [str(state)]
        for _ in range(20):
            state.apply(actions(state)[0])
            texts.append(str(state))
        return texts

    assert course(5) == course(5)
    assert len({tuple(course(seed)) for seed in range(8)}) == 8
    text = position("5@7,7", "4/-")
    after = [str(lay(rules.parse(text, seed=seed), "4@7,8")) for seed in (1, 1, 2, 3, 4, 5)]
    assert after[0] == after[1]
    assert len(set(after)) > 1


def test_clone_is_independent(rules: Rules) -> None:
    state = rules.initial(seed=4)
    copies = [state.clone(), state.clone()]
    before = str(state)
    for copy in copies:
        for _ in range(12):
            copy.apply(actions(copy)[0])
    assert str(state) == before
    assert str(copies[0]) == str(copies[1])  # chance goes with the copy


def test_each_tile_in_the_bag_is_equally_likely(rules: Rules) -> None:
    games = 400
    drawn = Counter("".join(hands(rules.initial(seed=seed))[0] for seed in range(games)))
    for value, number in TILES.items():
        share = number / 121
        deviation = sqrt(3 * games * share * (1 - share))
        assert abs(drawn[value] - 3 * games * share) < 6 * deviation


def test_few_tiles_of_a_value_are_seldom_drawn(rules: Rules) -> None:
    """The bag holds 1, 2 and nine times 3."""
    board = "5@7,7"
    bag = "12" + "3" * 9
    text = position(board, f"4/1/{rest_of(board, '41', bag)}", players=3)
    drawn: Counter[str] = Counter()
    for seed in range(330):
        after = lay(rules.parse(text, players=3, seed=seed), "4@7,8")
        drawn.update(Counter(hands(after)[1]) - Counter("1"))
    assert drawn.keys() == {"1", "2", "3"}
    assert abs(drawn["1"] - 30) < 30
    assert abs(drawn["2"] - 30) < 30


# --- Sections 7 and 8: whole games ---------------------------------------------------------------


def lines_of(tiles: dict[Cell, int]) -> list[list[Cell]]:
    """Return all lines of a board, of two tiles or more."""
    lines = []
    for down, right in ((0, 1), (1, 0)):
        for row, col in tiles:
            if (row - down, col - right) in tiles:
                continue
            line = [(row, col)]
            while (line[-1][0] + down, line[-1][1] + right) in tiles:
                line.append((line[-1][0] + down, line[-1][1] + right))
            if len(line) > 1:
                lines.append(line)
    return lines


def turn_brings(tiles: dict[Cell, int], placed: set[Cell]) -> tuple[Counter[int], int]:
    """Return how many lines of each scoring sum the cells of a turn made, and the crosses."""
    scoring = [
        (line, total)
        for line in lines_of(tiles)
        if (total := sum(tiles[cell] for cell in line)) >= 10 and placed & set(line)
    ]
    crosses = {cell for line, _ in scoring for cell in line if cell in placed & LIGHT}
    return Counter(total for _, total in scoring), len(crosses)


def added(text: str, made: Counter[int], crosses: int) -> str:
    """Return a sheet after one more turn."""
    before, *columns = text.split(":")
    after = []
    for column, (total, points) in zip(columns, ((10, 1), (11, 2), (12, 4)), strict=True):
        entries = [] if column == "-" else column.split(",")
        if made[total]:
            entries.append(str(made[total] * points))
        after.append(",".join(entries) or "-")
    return ":".join([str(int(before) + crosses), *after])


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_random_game(rules: Rules, players: int, seed: int) -> None:
    choices = random.Random(seed)
    state = rules.initial(players=players, seed=seed)
    plies = turns = 0
    while not state.is_terminal:
        seat = state.current_player
        tiles, hand = tiles_of(state), hands(state)[seat]
        assert_running(state, seat)
        assert field(state, 1) == str(seat)
        assert str(rules.parse(str(state), players=players)) == str(state)
        counts = Counter(map(str, tiles.values())) + Counter("".join(hands(state)))
        assert all(counts[value] <= number for value, number in TILES.items())
        legal = actions(state)
        assert legal == sorted(set(legal))
        pending = field(state, 4)
        for action in legal:
            value, place = divmod(action, 225)
            cell = divmod(place, 15)
            assert str(value + 1) in hand
            assert cell in COLOURS
            assert cell not in tiles
            assert any(near in tiles for near in neighbours(*cell)) or cell == (7, 7)
            text = f"{value + 1}@{cell_name(*cell)}"
            assert state.action_name(action) == text
            assert state.parse_action(text) == action
        if pending != "-":
            assert field(state, 3).split(",")[-1] == pending
        placed = [] if field(state, 3) == "-" else field(state, 3).split(",")
        before, sheets = tiles, field(state, 5).split("/")
        action = choices.choice(legal)
        state.apply(action)
        plies += 1
        cell = divmod(action % 225, 15)
        tiles = tiles_of(state)
        assert tiles == {**before, cell: action // 225 + 1}
        assert all(sum(tiles[cell] for cell in line) <= 12 for line in lines_of(tiles))
        laid = [*placed, cell_name(*cell)]
        if field(state, 3) == ",".join(laid):
            assert state.current_player == seat
            assert field(state, 5).split("/") == sheets
            continue
        turns += 1
        filled = {cell for cell in COLOURS if cell_name(*cell) in laid}
        sheets[seat] = added(sheets[seat], *turn_brings(tiles, filled))
        assert field(state, 5).split("/") == sheets
        totals = [value_of_sheet(text) for text in sheets]
        if state.is_terminal:
            totals = [
                total - sum(map(int, hand.replace("-", "")))
                for total, hand in zip(totals, hands(state), strict=True)
            ]
        assert list(state.scores()) == totals
    assert_over(state)
    assert plies <= 121
    assert turns <= 242
    everything = Counter(map(str, tiles_of(state).values())) + Counter("".join(hands(state)))
    everything.pop("-", None)
    assert everything == TILES
    scores, returns = list(state.scores()), list(state.returns())
    assert sum(returns) == pytest.approx(0)
    if len(set(scores)) > 1:
        assert {s == max(scores) for s, r in zip(scores, returns, strict=True) if r > 0} == {True}
        assert {s == max(scores) for s, r in zip(scores, returns, strict=True) if r < 0} == {False}


# --- The words of a position that follow from the others ----------------------------------------

# As the rows and columns go on: up, right, down, left.
STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]


def ahead(tiles: dict[Cell, int], cell: Cell, step: Cell) -> tuple[Cell | None, int]:
    """Return the next empty cell in a direction, if there is one, and the sum before it."""
    total = 0
    while (cell := (cell[0] + step[0], cell[1] + step[1])) in tiles:
        total += tiles[cell]
    return cell if cell in COLOURS else None, total


def cells_of_set(words: Sequence[int]) -> set[Cell]:
    """Return the cells of a set: 60 to a word."""
    return {divmod(60 * i + bit, 15) for i in range(4) for bit in range(60) if words[i] >> bit & 1}


def assert_words_follow(state: State) -> None:
    """Compare the words with what is read from the notation, and with what they stand for."""
    words, tiles = state.words, tiles_of(state)
    np.testing.assert_array_equal(words, state.game.parse(str(state)).words, str(state))
    loads = {} if tiles else {(7, 7): 1}
    for cell in COLOURS.keys() - tiles.keys():
        links = int(words[layout.BOARD][15 * cell[0] + cell[1]])
        runs = [ahead(tiles, cell, step) for step in STEPS]
        for direction, (end, total) in enumerate(runs):
            assert sum_of(links, direction) == total
            place = layout.OUTSIDE if end is None else 15 * end[0] + end[1]
            assert end_of(links, direction) == place
        load = max(runs[0][1] + runs[2][1], runs[1][1] + runs[3][1])
        if load:
            loads[cell] = min(12, load)
    assert cells_of_set(words[layout.FILLED].tolist()) == tiles.keys()
    sets = words[layout.LOADED].reshape(4, 12)
    for most in range(1, 13):
        expected = {cell for cell, load in loads.items() if load <= most}
        assert cells_of_set(sets[:, most - 1].tolist()) == expected


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_words_are_kept_up_to_date(players: int, seed: int) -> None:
    choices = random.Random(seed)
    state = tzaar_envs.load_game("zatre", players=players).new_state(seed)
    assert_words_follow(state)
    while not state.is_terminal:
        state.apply(choices.choice(actions(state)))
        assert_words_follow(state)


@pytest.mark.parametrize("case", LEGAL)
def test_words_are_kept_up_to_date_from_any_position(case: str) -> None:
    board, hand, placed, pending, _ = LEGAL[case]
    text = position(board, hand, placed=placed, pending=pending)
    state = tzaar_envs.load_game("zatre").parse(text, seed=1)
    assert_words_follow(state)
    for action in actions(state):
        after = state.clone()
        after.apply(action)
        assert_words_follow(after)


# --- Section 11: action encoding -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [("6@7,7", 1237), ("5@7,7", 1012), ("2@7,7", 337), ("4@6,8", 773), ("1@0,4", 4)],
)
def test_number_of_a_placement(rules: Rules, text: str, number: int) -> None:
    value, (row, col) = tile(text)
    board = "" if (row, col) == (7, 7) else f"1@{row + 1},{col}"
    state = rules.parse(position(board, str(value) * 20))
    if text == "4@6,8":
        state = rules.parse(position(BOARD_11, "44"))
    assert number in actions(state)
    assert state.action_name(number) == name(text)
    assert state.parse_action(name(text)) == number


def test_numbers_of_all_placements(rules: Rules) -> None:
    """Each tile on each cell, beside a tile with which it makes 10 if that is possible."""
    for (row, col), value in itertools.product(COLOURS, range(1, 7)):
        beside = neighbours(row, col)[0]
        board = f"{max(1, 10 - value) if value > 3 else 6}@{beside[0]},{beside[1]}"
        state = rules.parse(position(board, f"{value}" + ("6" if value < 6 else "")))
        number = action_number(value, row, col)
        text = f"{value}@{cell_name(row, col)}"
        if (row, col) not in LIGHT or value > 3:
            assert state.parse_action(text) == number
            assert state.action_name(number) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "5", "@", "5@", "@H8", "0@H8", "7@H8", "5@H", "5@8", "5@A1", "5@H0", "5@H16"),
        *("5@P8", "5@h8", "5@H08", "05@H8", "5@H8 ", " 5@H8", "5@H8\n", "5-H8", "55@H8", "5@HH8"),
        *("\u0665@H8", "5@H\u0668", "5@7,7", "1012", "5@H-8", "+5@H8", "5@@H8", "5@H8@", "pass"),
    ],
)
def test_unreadable_placement_is_refused(rules: Rules, text: str) -> None:
    state = rules.initial(outcome=(2, 5, 5))
    with pytest.raises(ValueError, match=r"."):
        state.parse_action(text)


# --- Section 14: notation ------------------------------------------------------------------------

EXAMPLE = (
    "####...#...####/#.............#/#.............#/#.............#/.............../"
    ".............../.............../#......5......#/.............../.............../"
    ".............../#.............#/#.............#/#.............#/####...#...#### "
    "0 25/- H8 - 0:-:-:-/0:-:-:-"
)


def test_example_of_the_document(rules: Rules) -> None:
    assert position("5@7,7", "25/-", placed="7,7") == EXAMPLE
    state = rules.parse(EXAMPLE)
    assert str(state) == EXAMPLE
    assert names(state) == listed(LEGAL["2"][-1])
    played = rules.initial(outcome=(2, 5, 5))
    played.apply(played.parse_action("5@H8"), outcome=())
    assert str(played) == EXAMPLE


ACCEPTED = {
    "over with a full bag": (position("", "", "-"), 2),
    "over with everything in hand": (position("", rest_of("", "") + "/-", "-"), 2),
    "over in the middle": (position("5@7,7", "25/-", "-"), 2),
    "tiles that do not hang together": (position("1@0,4 6@14,10 3@8,0", "1"), 2),
    "twelve exactly": (position("6@7,7 6@7,8", "1"), 2),
    "the longest line": (position(" ".join(f"1@7,{col}" for col in range(1, 13)), "1"), 2),
    "seat 1": (position("5@7,7", "-/4", 1), 2),
    "seat 2 of three": (position("5@7,7", "-/-/4", 2, players=3), 3),
    "seat 3 of four": (position("5@7,7", "-/-/-/4", 3, players=4), 4),
    "placed in any order": (position("5@7,7 4@7,8", "1", placed="7,8 7,7"), 2),
    "pending": (position("4@7,7 3@6,7 5@6,6", "3", placed="6,6", pending="6,6"), 2),
    "light and last, but not pending": (position("4@7,7 3@6,7 5@6,6", "3", placed="6,6"), 2),
    "many crosses": (position("5@7,7", "5", sheets="32:-:-:-/10:1:-:-"), 2),
    "large entries": (position("5@7,7", "5", sheets="0:10:20:40/0:11:22:44"), 2),
    "last turn": (position("5@7,7", f"5/{rest_of('5@7,7', '5')}"), 2),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted_position(rules: Rules, case: str) -> None:
    text, players = ACCEPTED[case]
    state = rules.parse(text, players=players)
    assert str(state) == text
    assert state.is_terminal == (text.split(" ")[1] == "-")


def changed(index: int, to: str, text: str = EXAMPLE) -> str:
    """Return a position with another field."""
    fields = text.split(" ")
    fields[index] = to
    return " ".join(fields)


def board_with(row: int, to: str) -> str:
    rows = EXAMPLE.split(" ")[0].split("/")
    rows[row] = to
    return changed(0, "/".join(rows))


BOARD = EXAMPLE.split(" ")[0]
PENDING = position("4@7,7 3@6,7 5@6,6", "3", placed="6,6", pending="6,6")
OVER = position("5@7,7", "25/-", "-")
A_SHEET = "0:-:-:-"

REFUSED = {
    # Fields
    "nothing": ("", r"(?i)field"),
    "one field": (BOARD, r"(?i)field"),
    "five fields": (EXAMPLE.rpartition(" ")[0], r"(?i)field"),
    "seven fields": (EXAMPLE + " -", r"(?i)field"),
    "two spaces": (EXAMPLE.replace(" 0 ", "  0 "), r"(?i)field"),
    "leading space": (" " + EXAMPLE, r"(?i)field"),
    "trailing space": (EXAMPLE + " ", r"(?i)field"),
    "trailing newline": (EXAMPLE + "\n", r"(?i)sheet|field"),
    "tabs": (EXAMPLE.replace(" ", "\t"), r"(?i)field"),
    "no-break space": (EXAMPLE.replace(" 0 ", "\u00a00\u00a0"), r"(?i)field"),
    # Board
    "fourteen rows": (changed(0, BOARD.rpartition("/")[0]), r"(?i)board|row"),
    "sixteen rows": (changed(0, BOARD + "/####...#...####"), r"(?i)board|row"),
    "empty row": (board_with(4, ""), r"(?i)board|row"),
    "short row": (board_with(4, "." * 14), r"(?i)board|row"),
    "long row": (board_with(4, "." * 16), r"(?i)board|row"),
    "row with a newline": (board_with(4, "." * 15 + "\n"), r"(?i)board|row"),
    "tile of value 0": (board_with(4, "0" + "." * 14), r"(?i)board|row|character"),
    "tile of value 7": (board_with(4, "7" + "." * 14), r"(?i)board|row|character"),
    "letter": (board_with(4, "x" + "." * 14), r"(?i)board|row|character"),
    "dash for a cell": (board_with(4, "-" + "." * 14), r"(?i)board|row|character"),
    "Arabic digit": (board_with(4, "\u0665" + "." * 14), r"(?i)board|row|character"),
    "superscript digit": (board_with(4, "\u00b2" + "." * 14), r"(?i)board|row|character"),
    "no cell where there is one": (board_with(4, "#" + "." * 14), r"(?i)board|row|cell"),
    "no start cell": (board_with(7, "#......#......#"), r"(?i)board|row|cell"),
    "a cell where there is none": (board_with(0, ".###...#...####"), r"(?i)board|row|cell"),
    "a tile where there is no cell": (board_with(0, "1###...#...####"), r"(?i)board|row|cell"),
    "the notch as a cell": (board_with(0, "####.......####"), r"(?i)board|row|cell"),
    "a row of 13": (position("6@7,7 6@7,8 1@7,9", "1"), r"(?i)board|line|sum"),
    "a column of 13": (position("6@7,7 6@8,7 1@6,7", "1"), r"(?i)board|line|sum"),
    "a row of 13 ones": (
        position(" ".join(f"1@7,{col}" for col in range(1, 14)), "1"),
        r"(?i)board|line|sum",
    ),
    "a row of 13 when over": (position("6@7,7 6@7,8 1@7,9", "", "-"), r"(?i)board|line|sum"),
    # Seat
    "no seat": (changed(1, ""), r"(?i)seat"),
    "seat 2 of two": (changed(1, "2", position("5@7,7", "25/25")), r"(?i)seat"),
    "seat 4": (changed(1, "4"), r"(?i)seat"),
    "negative seat": (changed(1, "-1"), r"(?i)seat"),
    "seat with a zero": (changed(1, "00"), r"(?i)seat"),
    "seat with a sign": (changed(1, "+0"), r"(?i)seat"),
    "seat as a letter": (changed(1, "w"), r"(?i)seat"),
    "seat as an Arabic digit": (changed(1, "\u0660"), r"(?i)seat"),
    "huge seat": (changed(1, "9" * 30), r"(?i)seat"),
    "seat without a placement": (changed(1, "1"), r"(?i)seat|hand|legal|placement"),
    # Hands
    "one hand": (changed(2, "25"), r"(?i)hand"),
    "three hands": (changed(2, "25/-/-"), r"(?i)hand"),
    "empty hand text": (changed(2, "25/"), r"(?i)hand"),
    "hand out of order": (changed(2, "52/-"), r"(?i)hand"),
    "other hand out of order": (changed(2, "25/121"), r"(?i)hand"),
    "value 0 in a hand": (changed(2, "025/-"), r"(?i)hand"),
    "value 7 in a hand": (changed(2, "257/-"), r"(?i)hand"),
    "hand with commas": (changed(2, "2,5/-"), r"(?i)hand"),
    "hand with a dash": (changed(2, "25-/-"), r"(?i)hand"),
    "two dashes": (changed(2, "25/--"), r"(?i)hand"),
    "Arabic digits in a hand": (changed(2, "25/\u0661"), r"(?i)hand"),
    "hand with a newline": (changed(2, "25\n/-"), r"(?i)hand"),
    "too many sixes": (changed(2, "25/" + "6" * 21), r"(?i)tile|hand|board"),
    "too many ones": (changed(2, "25/" + "1" * 22), r"(?i)tile|hand|board"),
    "a million ones": (changed(2, "25/" + "1" * 10**6), r"(?i)tile|hand|board"),
    # Placed
    "no placed field": (changed(3, ""), r"(?i)placed"),
    "placed on an empty cell": (changed(3, "H9"), r"(?i)placed"),
    "placed on a tile and on an empty cell": (changed(3, "H8,H9"), r"(?i)placed"),
    "placed on no cell": (changed(3, "A1"), r"(?i)placed"),
    "placed off the board": (changed(3, "P8"), r"(?i)placed"),
    "placed in row 0": (changed(3, "H0"), r"(?i)placed"),
    "placed in row 16": (changed(3, "H16"), r"(?i)placed"),
    "placed in row 08": (changed(3, "H08"), r"(?i)placed"),
    "placed in lower case": (changed(3, "h8"), r"(?i)placed"),
    "placed with a comma at the end": (changed(3, "H8,"), r"(?i)placed"),
    "placed with a comma first": (changed(3, ",H8"), r"(?i)placed"),
    "placed with a dash": (changed(3, "H8,-"), r"(?i)placed"),
    "placed twice": (changed(3, "H8,H8"), r"(?i)placed"),
    "placed as an Arabic digit": (changed(3, "H\u0668"), r"(?i)placed"),
    "placed when over": (changed(3, "H8", OVER), r"(?i)placed"),
    # Pending
    "no pending field": (changed(4, ""), r"(?i)pending"),
    "pending on an empty cell": (changed(4, "I7", PENDING), r"(?i)pending"),
    "pending on no cell": (changed(4, "A1", PENDING), r"(?i)pending"),
    "pending off the board": (changed(4, "Q1", PENDING), r"(?i)pending"),
    "pending in lower case": (changed(4, "g7", PENDING), r"(?i)pending"),
    "two pending cells": (changed(4, "G7,G7", PENDING), r"(?i)pending"),
    "pending on a dark cell": (
        position("4@7,7 3@6,7", "3", placed="6,7", pending="6,7"),
        r"(?i)pending",
    ),
    "pending on the start cell": (changed(4, "H8"), r"(?i)pending"),
    "pending but not placed": (changed(3, "-", PENDING), r"(?i)pending"),
    "pending but not placed last": (changed(3, "G7,H8", PENDING), r"(?i)pending"),
    "pending, completed by no tile": (changed(2, "1/-", PENDING), r"(?i)pending"),
    "pending, completed by another hand": (changed(2, "1/3", PENDING), r"(?i)pending"),
    "pending, hand empty": (changed(2, "-/3", PENDING), r"(?i)pending|hand|seat"),
    "pending when over": (
        " ".join([PENDING.split(" ")[0], "- 3/- - G7", *PENDING.split(" ")[5:]]),
        r"(?i)pending",
    ),
    "placed and pending when over": (changed(1, "-", PENDING), r"(?i)pending|placed"),
    # Sheets
    "no sheets": (changed(5, ""), r"(?i)sheet"),
    "one sheet": (changed(5, A_SHEET), r"(?i)sheet"),
    "three sheets": (changed(5, "/".join([A_SHEET] * 3)), r"(?i)sheet"),
    "three columns": (changed(5, f"0:-:-/{A_SHEET}"), r"(?i)sheet"),
    "five columns": (changed(5, f"0:-:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "empty column": (changed(5, f"0::-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses as a dash": (changed(5, f"-:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "negative crosses": (changed(5, f"-1:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with a zero": (changed(5, f"01:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with two zeros": (changed(5, f"00:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with a sign": (changed(5, f"+1:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses with an underscore": (changed(5, f"1_0:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses in letters": (changed(5, f"x:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "crosses as an Arabic digit": (changed(5, f"\u0661:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "two numbers of crosses": (changed(5, f"1,1:-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 10 of zero": (changed(5, f"0:0:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 11 of zero": (changed(5, f"0:-:0:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 12 of zero": (changed(5, f"0:-:-:0/{A_SHEET}"), r"(?i)sheet"),
    "entry 11 of one": (changed(5, f"0:-:1:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 11 of three": (changed(5, f"0:-:2,3:-/{A_SHEET}"), r"(?i)sheet"),
    "entry 12 of two": (changed(5, f"0:-:-:2/{A_SHEET}"), r"(?i)sheet"),
    "entry 12 of six": (changed(5, f"0:-:-:4,6/{A_SHEET}"), r"(?i)sheet"),
    "entry of the other seat": (changed(5, f"{A_SHEET}/0:-:-:6"), r"(?i)sheet"),
    "negative entry": (changed(5, f"0:-1:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry with a zero": (changed(5, f"0:01:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry with a sign": (changed(5, f"0:+1:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry with a point": (changed(5, f"0:1.0:-:-/{A_SHEET}"), r"(?i)sheet"),
    "entry as an Arabic digit": (changed(5, f"0:\u0661:-:-/{A_SHEET}"), r"(?i)sheet"),
    "gap in a column": (changed(5, f"0:1,,1:-:-/{A_SHEET}"), r"(?i)sheet"),
    "dash in a column": (changed(5, f"0:1,-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "comma at the end of a column": (changed(5, f"0:1,:-:-/{A_SHEET}"), r"(?i)sheet"),
    "huge crosses": (changed(5, "9" * 5000 + f":-:-:-/{A_SHEET}"), r"(?i)sheet"),
    "huge entry": (changed(5, "0:" + "9" * 5000 + f":-:-/{A_SHEET}"), r"(?i)sheet"),
    # No placement
    "no tile": (position("5@7,7", "-/4"), r"(?i)seat|hand|placement|legal"),
    "nothing fits": (position(BOARD_12, "123456"), r"(?i)seat|hand|placement|legal"),
    "the board is empty, but the hand too": (position("", ""), r"(?i)seat|hand|placement|legal"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_position(rules: Rules, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.parse(text)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_position_of_another_number_of_players_is_refused(rules: Rules, players: int) -> None:
    text = position("5@7,7", "4", players=players)
    for other in (2, 3, 4):
        if other == players:
            assert str(rules.parse(text, players=other)) == text
        else:
            with pytest.raises(ValueError, match=r"(?i)hand|sheet"):
                rules.parse(text, players=other)
