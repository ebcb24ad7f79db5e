"""Odd positions of Zatre, as notation text.

Most can be read, some cannot: that both implementations agree on this is part of the tests.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable

from hypothesis import strategies as st
from reference import zatre_board
from reference.zatre import Placement, Reference
from reference.zatre_board import Board, Cell, cell_name
from reference.zatre_notation import board_text

from tzaar_envs.core.game import Game

# --- Positions -----------------------------------------------------------------------------------

# The middle, a side with its notch, and corners, where few cells are left to lay on.
SEEDLINGS: list[Cell] = [(7, 7), (6, 7), (3, 3), (0, 6), (0, 8), (1, 7), (7, 1), (8, 0), (1, 1)]
SEEDLINGS += [(13, 13), (14, 4), (12, 2), (0, 4)]

CORNER: Board = {(1, 1): 6, (1, 2): 6, (2, 1): 6}
ONLY_ONES_FIT: Board = {(7, 7): 6, (7, 8): 5, (8, 7): 5, (8, 8): 6}

# Boards on which little or nothing fits.
SQUARES: list[Board] = [
    {(7, 7): 6, (7, 8): 6, (8, 7): 6, (8, 8): 6},
    {(7, 7): 6, (7, 8): 6, (8, 7): 6},
    {(7, 7): 6, (7, 8): 5, (8, 7): 5},
    ONLY_ONES_FIT,
    CORNER,
    {(1, 1): 6, (1, 2): 5, (2, 1): 6},
    {(0, 4): 6, (0, 5): 6, (1, 4): 6},
    {(7, 7): 6, (6, 7): 1, (7, 8): 1},
    {(7, 7): 6, (7, 6): 5, (6, 7): 6},
    {(7, 7): 6, (7, 8): 6, (6, 7): 6},
]


def _text(
    board: Board,
    seat: int | str,
    hands: list[list[int]],
    placed: list[Cell],
    pending: Cell | None,
    sheets: list[str],
) -> str:
    return " ".join(
        [
            board_text(board),
            str(seat),
            "/".join("".join(map(str, sorted(hand))) or "-" for hand in hands),
            ",".join(map(cell_name, placed)) or "-",
            "-" if pending is None else cell_name(pending),
            "/".join(sheets),
        ]
    )


def _room(board: Board, cell: Cell) -> int:
    """Return the greatest value that can lie on an empty cell, as far as sums are concerned."""
    return 12 - max(zatre_board.figure(board, 0, cell, axis) for axis in zatre_board.AXES)


def _grown(dealer: random.Random, board: Board, number: int, high: int) -> Board:
    """Lay more tiles beside others, of values up to a highest one, as far as there is room."""
    board = dict(board)
    counts = Counter(board.values())
    for _ in range(number):
        cell = dealer.choice([*board]) if board else (7, 7)
        free = [near for near in zatre_board.NEIGHBOURS[cell] if near not in board]
        if not free:
            continue
        cell = dealer.choice(free)
        values = [v for v in range(1, 1 + min(high, _room(board, cell))) if counts[v] < 20]
        if values:
            board[cell] = dealer.choice(values)
            counts[board[cell]] += 1
    return board


def _sheet(dealer: random.Random, longest: int) -> str:
    """Return a sheet with columns of any lengths up to the longest, or of nearly that length."""
    shortest = dealer.choice([0, 0, max(0, longest - 3)])
    columns = [
        ",".join(
            str(points * dealer.choice([1, 1, 1, 2, 3]))
            for _ in range(dealer.randint(shortest, longest))
        )
        for points in (1, 2, 4)
    ]
    return ":".join([str(dealer.randint(0, longest)), *(column or "-" for column in columns)])


def _rest(board: Board, hands: list[list[int]]) -> list[int]:
    """Return the tiles that are neither on the board nor in a hand."""
    used = Counter([*board.values(), *itertools.chain(*hands)])
    return [v for v, number in zatre_board.TILES.items() for _ in range(number - used[v])]


HAND = st.one_of(
    st.lists(st.integers(1, 6), min_size=1, max_size=3),
    st.lists(st.integers(1, 6), min_size=2, max_size=2),
    st.lists(st.sampled_from([1, 1, 2]), min_size=1, max_size=4),
    st.lists(st.sampled_from([4, 5, 6]), min_size=1, max_size=4),
    st.lists(st.integers(1, 6), max_size=9),
)
LONGEST = st.sampled_from([0, 2, 5, 5, 17, 35])


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """A few tiles or many, low or high; or a square on which little fits; or tiles anywhere."""
    dealer = random.Random(draw(st.integers(0, 2**32)))
    kind = draw(
        st.sampled_from(["grown", "grown", "high", "square", "square+", "anywhere", "none"])
    )
    start = {draw(st.sampled_from(SEEDLINGS)): draw(st.integers(1, 6))}
    number = draw(st.one_of(st.integers(0, 6), st.integers(0, 80)))
    if kind == "grown":
        return _grown(dealer, start, number, draw(st.sampled_from([2, 6, 6])))
    if kind == "high":
        return _grown(dealer, {draw(st.sampled_from(SEEDLINGS)): 6}, min(number, 8), 6)
    if kind == "square":
        return dict(draw(st.sampled_from(SQUARES)))
    if kind == "square+":
        return _grown(dealer, draw(st.sampled_from(SQUARES)), min(number, 5), 6)
    if kind == "anywhere":
        # Lines with a sum over 12 come about by chance.
        found = dealer.sample(zatre_board.CELLS, min(number, 25))
        return {cell: dealer.randint(1, 6) for cell in found}
    return {}


@st.composite
def decisions(draw: st.DrawFn, players: int) -> str:
    """A seat is to move; the bag is full, nearly empty or empty."""
    board = draw(boards())
    dealer = random.Random(draw(st.integers(0, 2**32)))
    seat = draw(st.integers(0, players - 1))
    hands: list[list[int]] = [[] for _ in range(players)]
    hands[seat] = list(draw(HAND))
    for other in range(players):
        if other != seat and draw(st.booleans()):
            hands[other] = list(draw(HAND))
    if draw(st.integers(0, 2)) == 0:
        rest = _rest(board, hands)
        dealer.shuffle(rest)
        hands[(seat + draw(st.integers(1, players - 1))) % players] += rest[
            draw(st.sampled_from([0, 0, 1, 1, 2, 3, 5])) :
        ]
    placed = dealer.sample([*board], min(len(board), draw(st.integers(0, 3))))
    longest = draw(LONGEST)
    sheets = [_sheet(dealer, longest) for _ in range(players)]
    pending = None
    lights = [cell for cell in board if cell in zatre_board.LIGHT]
    if lights and draw(st.booleans()):
        pending = dealer.choice(lights)
        placed = [*(cell for cell in placed if cell != pending), pending]
    return _text(board, seat, hands, placed, pending, sheets)


# Small boards with the cell that is pending, if one is, and a hand.
FIGURES: list[tuple[Board, Cell | None, list[int]]] = [
    ({(7, 7): 6, (6, 7): 1, (7, 8): 1}, None, [6]),
    ({(7, 7): 6, (6, 7): 1, (7, 8): 1}, None, [2, 6]),
    ({(7, 7): 6, (6, 7): 1, (7, 8): 1}, None, [6, 6]),
    ({(7, 7): 6, (7, 8): 6, (6, 7): 6}, None, [1, 1, 2]),
    ({(7, 7): 6, (7, 8): 6, (6, 7): 6}, None, [2, 4]),
    ({(7, 7): 6, (7, 6): 5, (6, 7): 6}, None, [4, 4]),
    ({(7, 7): 6, (7, 6): 5, (6, 7): 6}, None, [4, 4, 5]),
    ({(7, 7): 4, (6, 7): 3}, None, [3, 5]),
    ({(7, 7): 4, (6, 7): 3, (6, 6): 5}, (6, 6), [3]),
    ({(7, 7): 4, (6, 7): 3, (6, 6): 4}, (6, 6), [4]),
    ({(7, 6): 3, (6, 6): 4}, (6, 6), [5]),
    ({(3, 4): 5, (3, 5): 2}, None, [1, 1, 2]),
    ({(3, 4): 5, (3, 5): 2, (3, 3): 1}, (3, 3), [1, 2, 3]),
    ({(3, 4): 5, (3, 5): 2, (3, 3): 2}, (3, 3), [1, 1, 5]),
    ({(6, 7): 5, (7, 6): 5, (3, 4): 6}, None, [5, 6]),
    ({(6, 7): 3, (5, 6): 4, (6, 6): 2}, (6, 6), [4, 5, 6]),
    (CORNER, None, [1, 4, 6]),
    (CORNER, None, [6, 6]),
    ({**CORNER, **ONLY_ONES_FIT}, None, [6, 6]),
    ({**CORNER, **ONLY_ONES_FIT}, None, [5, 6]),
    ({(0, 6): 5, (1, 6): 2, (1, 7): 1, (1, 8): 3, (0, 8): 6}, None, [6]),
    ({(0, 6): 5, (1, 6): 2, (1, 7): 1, (1, 8): 3, (0, 8): 6}, None, [1, 2, 4]),
]


@st.composite
def figures(draw: st.DrawFn, players: int) -> str:
    """A small board on which a rare rule holds, turned, and now and then with another tile."""
    board, pending, hand = draw(st.sampled_from(FIGURES))
    turns, mirrored = draw(st.integers(0, 3)), draw(st.booleans())

    def turned(cell: Cell) -> Cell:
        row, col = cell
        for _ in range(turns):
            row, col = col, 14 - row
        return (row, 14 - col) if mirrored else (row, col)

    board = {turned(cell): value for cell, value in board.items()}
    if draw(st.integers(0, 3)) == 0:
        board[draw(st.sampled_from([*board]))] = draw(st.integers(1, 6))
    if draw(st.integers(0, 3)) == 0:
        hand = [*hand, draw(st.integers(1, 6))]
    seat = draw(st.integers(0, players - 1))
    hands = [list(draw(HAND)) for _ in range(players)]
    hands[seat] = hand
    placed = [] if pending is None else [turned(pending)]
    sheets = [str(zatre_board.EMPTY_SHEET)] * players
    return _text(board, seat, hands, placed, placed[0] if placed else None, sheets)


@st.composite
def late(draw: st.DrawFn, players: int) -> str:
    """Nearly all tiles lie on the board, a few are left in the hands and in the bag."""
    dealer = random.Random(draw(st.integers(0, 2**32)))
    tiles = _rest({}, [])
    dealer.shuffle(tiles)
    own, bag = draw(st.sampled_from([1, 1, 2, 3])), draw(st.sampled_from([1, 0, 1, 2, 3]))
    others = draw(st.sampled_from([0, 0, 0, 1, 3]))
    board: Board = {}
    for cell in [(7, 7), *dealer.sample(zatre_board.CELLS, len(zatre_board.CELLS)) * 4]:
        if len(tiles) <= own + bag + others:
            break
        if cell not in board and tiles[-1] <= _room(board, cell):
            board[cell] = tiles.pop()
        else:
            tiles.insert(0, tiles.pop())
    seat = draw(st.integers(0, players - 1))
    hands: list[list[int]] = [[] for _ in range(players)]
    hands[seat] = tiles[:own]
    hands[(seat + draw(st.integers(1, players - 1))) % players] = tiles[own + bag :]
    sheets = [_sheet(dealer, 20) for _ in range(players)]
    return _text(board, seat, hands, [], None, sheets)


@st.composite
def endings(draw: st.DrawFn, players: int) -> str:
    """The game is over; few sheets and hands, so that scores are often equal."""
    dealer = random.Random(draw(st.integers(0, 2**32)))
    board = draw(boards())
    hands = [list(draw(st.lists(st.integers(1, 2), max_size=2))) for _ in range(players)]
    longest = draw(st.sampled_from([0, 1, 1, 4, 20]))
    sheets = [_sheet(dealer, longest) for _ in range(players)]
    placed = [*board][: draw(st.sampled_from([0] * 9 + [1]))]
    return _text(board, "-", hands, placed, None, sheets)


@st.composite
def before_blocked_turns(draw: st.DrawFn, players: int) -> str:
    """One tile closes a square, after which most turns pass without a decision."""
    corner = draw(st.sampled_from([(7, 7), (1, 1), (0, 4), (12, 12), (9, 4), (2, 4)]))
    row, col = corner
    side = draw(st.sampled_from([3, 4, 5, 6, 6]))
    board = {corner: 6, (row, col + 1): side, (row + 1, col): draw(st.sampled_from([side, 6]))}
    seat = draw(st.integers(0, players - 1))
    kept = st.one_of(HAND, st.sampled_from([[], [3], [3, 5], [4, 5], [5, 6], [4, 4, 5]]))
    hands: list[list[int]] = [list(draw(kept)) for _ in range(players)]
    hands[seat] = draw(st.sampled_from([[6], [6], [5], [6, 6], [3, 6], [1, 6]]))
    if draw(st.booleans()):
        # A small bag, so that the game is soon over.
        rest = _rest(board, hands)
        random.Random(draw(st.integers(0, 99))).shuffle(rest)
        hands[(seat + 1) % players] += rest[draw(st.integers(0, 7)) :]
    return _text(board, seat, hands, [], None, [str(zatre_board.EMPTY_SHEET)] * players)


def positions(game: Game) -> st.SearchStrategy[str]:
    """Return odd positions of a game."""
    players = game.options["players"]
    return st.one_of(
        decisions(players),
        decisions(players),
        figures(players),
        figures(players),
        late(players),
        before_blocked_turns(players),
        before_blocked_turns(players),
        endings(players),
    )


# --- Rare rules ----------------------------------------------------------------------------------


def _mid_game(reference: Reference) -> bool:
    return not reference.is_terminal


def _successors(reference: Reference, draws: int = 1) -> list[Reference]:
    """Return the positions after some of the placements, with some of the possible draws."""
    actions = reference.legal_actions()
    after = []
    for action in actions[:: 1 + len(actions) // 8]:
        for seed in range(draws):
            successor = reference.clone()
            successor.rng.seed(seed)
            successor.apply(action)
            after.append(successor)
    return after


def _regular(reference: Reference) -> list[Placement]:
    values = set(reference.hands[reference.seat])
    return reference._regular(values, {*zatre_board.fitting_cells(reference.board)})


def _only_forced(reference: Reference) -> bool:
    return _mid_game(reference) and not _regular(reference)


def _stranding_avoided(reference: Reference) -> bool:
    return _mid_game(reference) and len(reference.legal_actions()) < len(
        set(reference._candidates())
    )


def _stranding_unavoidable(reference: Reference) -> bool:
    return (
        _mid_game(reference)
        and len(reference.hands[reference.seat]) > 1
        and all(map(reference._strands, reference._legal_placements()))
    )


def _hand_sizes(reference: Reference) -> list[int]:
    return [len(hand) for hand in reference.hands]


def _passes_turns(reference: Reference) -> bool:
    """Whether after some placement a seat draws and passes, though the game goes on."""
    return any(
        _mid_game(after)
        and not after.placed
        and after.seat != (reference.seat + 1) % len(after.hands)
        for after in _successors(reference)
    )


def _draws_to_the_end(reference: Reference) -> bool:
    return (
        _mid_game(reference)
        and not reference._is_last_turn()
        and any(after.is_terminal for after in _successors(reference))
    )


def _shortage(reference: Reference) -> bool:
    """Whether a seat without tiles finds a single one in the bag."""
    return (
        _mid_game(reference)
        and sum(reference.bag().values()) == 1
        and reference.hands[(reference.seat + 1) % len(reference.hands)] == []
        and any(after.seat != reference.seat for after in _successors(reference))
    )


def _draws_none(reference: Reference) -> bool:
    """Whether the next seat has kept two tiles or more, and goes on with them."""
    return any(
        _mid_game(after)
        and not after.placed
        and after.seat == (reference.seat + 1) % len(after.hands)
        and _hand_sizes(after)[after.seat] == _hand_sizes(reference)[after.seat] >= 2
        for after in _successors(reference)
    )


def _draws_to_a_blocked_hand(reference: Reference) -> bool:
    """Whether the next seat has kept two tiles or more, and one more makes a decision possible."""
    return any(
        _mid_game(after)
        and not after.placed
        and after.seat == (reference.seat + 1) % len(after.hands)
        and _hand_sizes(after)[after.seat] == _hand_sizes(reference)[after.seat] + 1 >= 3
        for after in _successors(reference, draws=4)
    )


def _crosses_made(reference: Reference) -> int:
    before = sum(sheet.crosses for sheet in reference.sheets)
    return max(
        (sum(sheet.crosses for sheet in after.sheets) - before for after in _successors(reference)),
        default=0,
    )


def _placed_light_and_waiting(reference: Reference) -> bool:
    return _mid_game(reference) and reference.pending is not None


def _joins(reference: Reference) -> bool:
    """Whether some legal placement makes one line of two runs."""
    return any(
        all(zatre_board.next_cell(cell, direction) in reference.board for direction in axis)
        for _, cell in reference._legal_placements()
        for axis in zatre_board.AXES
    )


def _winners(reference: Reference) -> int:
    return sum(share > 0 for share in reference.returns())


RARE: dict[str, Callable[[Reference], bool]] = {
    "pending": _placed_light_and_waiting,
    "pending, several tiles complete": lambda reference: (
        _placed_light_and_waiting(reference)
        and len({value for value, _ in reference._legal_placements()}) > 1
    ),
    "pending, completed on a light cell": lambda reference: (
        _placed_light_and_waiting(reference)
        and any(cell in zatre_board.LIGHT for _, cell in reference._legal_placements())
    ),
    "pending, other tiles have to wait": lambda reference: (
        _placed_light_and_waiting(reference)
        and {value for value, _ in reference._legal_placements()}
        < set(reference.hands[reference.seat])
    ),
    "a placement that is to be completed": lambda reference: any(
        after.pending is not None for after in _successors(reference)
    ),
    "only forced placements": _only_forced,
    "forced, then regular": lambda reference: (
        _only_forced(reference)
        and any(
            after.placed and after.seat == reference.seat and bool(_regular(after))
            for after in _successors(reference)
        )
    ),
    "a regular tile before a forced one": lambda reference: (
        _mid_game(reference)
        and {value for value, _ in _regular(reference)} < set(reference.hands[reference.seat])
        and all(
            zatre_board.fits_somewhere(reference.board, [value])
            for value in reference.hands[reference.seat]
        )
    ),
    "stranding avoided": _stranding_avoided,
    "stranding avoided with three tiles": lambda reference: (
        _stranding_avoided(reference) and len(reference.hands[reference.seat]) > 2
    ),
    "stranding unavoidable": _stranding_unavoidable,
    "kept tiles after a turn": lambda reference: any(
        after.seat != reference.seat and not after.is_terminal and after.hands[reference.seat]
        for after in _successors(reference)
    ),
    "turns passed without a decision": _passes_turns,
    "drawn to the end without a decision": _draws_to_the_end,
    "fewer tiles than to be drawn": _shortage,
    "nothing drawn": _draws_none,
    "one drawn to a blocked hand": _draws_to_a_blocked_hand,
    "last turn": lambda reference: _mid_game(reference) and reference._is_last_turn(),
    "the end after the last turn": lambda reference: (
        _mid_game(reference)
        and reference._is_last_turn()
        and any(after.is_terminal for after in _successors(reference))
    ),
    "empty board": lambda reference: _mid_game(reference) and not reference.board,
    "two crosses in a turn": lambda reference: _crosses_made(reference) > 1,
    "two runs joined": _joins,
    "beside the notch": lambda reference: (
        _mid_game(reference) and {(0, 6), (0, 8)} <= set(reference.board)
    ),
    "more than 16 rows": lambda reference: (
        _mid_game(reference)
        and any(min(map(len, sheet.columns.values())) > 16 for sheet in reference.sheets)
    ),
    "crosses ahead of entries": lambda reference: any(
        sheet.crosses > max(map(len, sheet.columns.values())) for sheet in reference.sheets
    ),
    "over, all tied": lambda reference: reference.is_terminal and len(set(reference.scores())) == 1,
    "over, one winner": lambda reference: reference.is_terminal and _winners(reference) == 1,
    "over, negative score": lambda reference: reference.is_terminal and min(reference.scores()) < 0,
    "over, tiles in the bag": lambda reference: (
        reference.is_terminal and sum(reference.bag().values()) > 0
    ),
}
