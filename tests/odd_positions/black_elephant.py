"""Odd positions of Black Elephant: most can be read, some cannot, and the rare rules are met."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from hypothesis import strategies as st
from reference.black_elephant import BURN_PLANE, CELL, CELLS, ENTER_PLANE, PASS, Reference
from reference.black_elephant_board import (
    BACK,
    BLACK_FIELD,
    FACING_ENEMY_GOAL,
    FACINGS,
    FIELDS,
    FILES,
    FRONT,
    GOALS,
    NEIGHBOURS,
    PLACES,
    RANKS,
    WATCHERS,
    WRITTEN_ORDER,
)

from tzaar_envs.core.game import Game

SEEDS = st.integers(0, 2**32)
PLAYABLE = [field for field in FIELDS if field != BLACK_FIELD]

# --- Positions -----------------------------------------------------------------------------------


class Sketch:
    """A position to be, without any check of what it holds."""

    def __init__(self, dealer: random.Random) -> None:
        self.dealer = dealer
        self.elephants: dict[str, str] = {}
        self.logs: set[str] = set()
        self.burnt: set[str] = set()
        self.seat = dealer.choice("01")
        self.areas = [[0, 0], [0, 0]]
        self.held = [0, 0]
        self.burnt_left = [0, 0]
        self.home = [0, 0]
        self.captives = [0, 0]
        self.clock = [0, 0, 0]

    def put(self, number: int, player: int, fields: list[str]) -> None:
        """Put so many elephants of a player on some of these fields, never on the own goal."""
        free = [f for f in fields if f not in self.elephants and f not in GOALS[player]]
        for field in self.dealer.sample(free, min(number, len(free))):
            self.elephants[field] = f"{player}{self.dealer.choice(FACINGS)}"

    def strew_logs(self, share: float) -> None:
        self.logs |= {field for field in PLAYABLE if self.dealer.random() < share}

    def place_burnt(self, number: int) -> None:
        """Put burnt logs on free fields close to each other, so that lines of two are common."""
        near = self.dealer.choice(PLAYABLE)
        free = [f for f in PLAYABLE if f not in self.elephants and f not in self.logs]
        free.sort(key=lambda field: _distance(near, field) + self.dealer.random() * 4)
        self.burnt |= set(free[:number])

    def share_out(self) -> None:
        """Deal elephants that are not on the board and logs to the other places there are."""
        dealer = self.dealer
        for player in (0, 1):
            left = 10 - sum(elephant[0] == str(player) for elephant in self.elephants.values())
            for _ in range(dealer.randint(0, max(0, left))):
                dealer.choice([self._enter_area, self._come_home, self._catch])(player)
        paid = 48 - len(self.logs)
        self.held = [min(dealer.choice([0, 0, 1, 2, 3, 5, 12]), paid // 2) for _ in "01"]
        placed = len(self.burnt)
        self.burnt_left = [min(dealer.choice([0, 0, 1, 3]), (6 - placed) // 2) for _ in "01"]

    def _enter_area(self, player: int) -> None:
        self.areas[player][self.dealer.randint(0, 1)] += 1

    def _come_home(self, player: int) -> None:
        self.home[player] += 1

    def _catch(self, player: int) -> None:
        self.captives[1 - player] += 1

    def wind_clock(self) -> None:
        """Set the clock and the seat to move, often to the last action before an end."""
        dealer = self.dealer
        if dealer.random() < 0.1:
            self.seat = "-"
        over = self.seat == "-" or dealer.random() < 0.02
        self.clock = [
            dealer.choice([0, 1, 30, 58, 59, 60 if over else 59]),
            dealer.choice([0, 0, 1, 2 if over else 1]),
            dealer.choice([0, 250, 498, 500 if over else 499, 500 if over else 499]),
        ]

    def text(self, owned: list[str]) -> str:
        board = "/".join(
            ",".join(self._field_text(file + rank) for file in FILES) for rank in reversed(RANKS)
        )
        pairs = (self.held, self.burnt_left, self.home, self.captives)
        return " ".join(
            [
                board,
                self.seat,
                "/".join(f"{west}.{south}" for west, south in self.areas),
                *(f"{first}/{second}" for first, second in pairs),
                self._watchers_text(owned),
                ":".join(str(number) for number in self.clock),
            ]
        )

    def _field_text(self, field: str) -> str:
        if field == BLACK_FIELD:
            return "#"
        if field in self.elephants:
            return self.elephants[field] + ("*" if field in self.logs else "")
        if field in self.burnt:
            return "x"
        return "l" if field in self.logs else "."

    def _watchers_text(self, owned: list[str]) -> str:
        """Let the watchers look at any places, often at those next to an elephant or at one."""
        aims = [aim for field in self.elephants for aim in (field, *NEIGHBOURS[field].values())]
        aim = self.dealer.choice(aims or PLAYABLE)
        return "/".join(
            "".join(
                self.dealer.choice([PLACES[path], aim[0 if path in "NS" else 1]])[-1]
                if self.dealer.random() < 0.5
                else self.dealer.choice(PLACES[path])
                for path in own
            )
            for own in owned
        )


def _distance(first: str, second: str) -> int:
    """Return the steps of a king between two fields."""
    return max(abs(ord(a) - ord(b)) for a, b in zip(first, second, strict=True))


def scattered(dealer: random.Random) -> Sketch:
    """Elephants, logs and burnt logs anywhere: few or many."""
    sketch = Sketch(dealer)
    for player in (0, 1):
        sketch.put(dealer.choice([0, 1, 2, 4, 7, 10]), player, PLAYABLE)
    sketch.strew_logs(dealer.choice([0, 0.03, 0.1, 0.3, 0.7, 1]))
    sketch.place_burnt(dealer.choice([0, 0, 2, 4, 5]))
    sketch.share_out()
    return sketch


def crowded(dealer: random.Random) -> Sketch:
    """A part of the board full of elephants that jump, shut each other in and get caught."""
    sketch = Sketch(dealer)
    middle = dealer.choice(PLAYABLE)
    near = [field for field in PLAYABLE if _distance(middle, field) <= 2]
    for player in (0, 1):
        sketch.put(dealer.randint(1, 6), player, near)
    sketch.strew_logs(dealer.choice([0.03, 0.1, 0.3]))
    sketch.place_burnt(dealer.choice([0, 0, 2, 4]))
    sketch.share_out()
    return sketch


def arriving(dealer: random.Random) -> Sketch:
    """Few elephants, most of them just before the last field; often six are home."""
    sketch = Sketch(dealer)
    for player in (0, 1):
        lines = dealer.choice(
            [
                [f for f in PLAYABLE if f[0] in "EF" or f[1] in "56"],  # before the goals
                [f for f in PLAYABLE if f[0] in "AB" or f[1] in "12"],  # before the areas
                [*GOALS[0], *GOALS[1]],
            ]
        )
        sketch.put(dealer.choice([0, 1, 1, 1, 2]), player, lines)
    sketch.strew_logs(dealer.choice([0, 0.03, 0.1, 0.3]))
    sketch.logs.add(dealer.choice(PLAYABLE))
    if dealer.random() < 0.3:
        sketch.logs = {dealer.choice([*NEIGHBOURS[field].values()]) for field in sketch.elephants}
    for player in (0, 1):
        sketch.areas[player] = [dealer.choice([0, 0, 0, 1]) for _ in "WS"]
        sketch.home[player] = dealer.choice([0, 5, 6, 6])
        sketch.captives[player] = dealer.choice([0, 0, 1, 2])
    sketch.held = [dealer.choice([0, 1, 2, 9]) for _ in "01"]
    sketch.burnt_left = [dealer.choice([0, 1, 3]) for _ in "01"]
    return sketch


def shut_in(dealer: random.Random) -> Sketch:
    """A corner in which nobody, or hardly anybody, can do anything."""
    sketch = Sketch(dealer)
    inner = dealer.choice(["A1", "A7", "G1", "F7", "G6"])
    near = [field for field in PLAYABLE if _distance(inner, field) <= 1]
    outside = [field for field in PLAYABLE if _distance(inner, field) == 2]
    free = dealer.choice([0, 1])
    for field in near:
        player = dealer.choice([p for p in (0, 1) if field not in GOALS[p]])
        sketch.elephants[field] = f"{player}{dealer.choice(FACINGS)}"
        if dealer.random() < 0.9:
            sketch.logs.add(field)
    # Elephants of a far corner bar the way out; a player without any in the corner is shut in too.
    barring = dealer.choice("01")
    for field in outside[free:]:
        if field not in GOALS[int(barring)]:
            sketch.elephants[field] = barring + dealer.choice(FACINGS)
        else:
            sketch.burnt.add(field)
    sketch.logs.add("D4")
    if dealer.random() < 0.3:
        sketch.held[dealer.randint(0, 1)] = 1
    if dealer.random() < 0.3:
        sketch.areas[dealer.randint(0, 1)][dealer.randint(0, 1)] = 1
    return sketch


def spoilt(dealer: random.Random, sketch: Sketch) -> None:
    """Break one of the rules for positions that can be read, or come close to it."""
    player = dealer.randint(0, 1)
    spoil = dealer.randint(0, 6)
    if spoil == 0:
        sketch.elephants[dealer.choice(FIELDS)] = f"{player}{dealer.choice(FACINGS)}"
    elif spoil == 1:
        sketch.areas[player][dealer.randint(0, 1)] += dealer.randint(1, 10)
    elif spoil == 2:
        sketch.held[player] += dealer.choice([30, 40, 47, 48, 49])
    elif spoil == 3:
        sketch.burnt_left[player] += dealer.randint(1, 3)
    elif spoil == 4:
        sketch.home[player] += dealer.randint(1, 6)
    elif spoil == 5:
        sketch.captives[player] += dealer.randint(1, 6)
    else:
        sketch.clock[dealer.randint(0, 2)] += dealer.randint(1, 3)


def owned_paths(watchers: str) -> list[str]:
    """Return per player the paths of the own watchers in the order of the notation."""
    return ["".join(path for path in WRITTEN_ORDER if path in own) for own in watchers.split("/")]


def positions(game: Game) -> st.SearchStrategy[str]:
    """Return odd positions, nearly all with the watchers of this game."""
    owned = owned_paths(game.options["watchers"])

    @st.composite
    def odd(draw: st.DrawFn) -> str:
        make = draw(st.sampled_from([scattered, crowded, arriving, shut_in]))
        dealer = random.Random(draw(SEEDS))
        sketch = make(dealer)
        sketch.wind_clock()
        if dealer.random() < 0.08:
            spoilt(dealer, sketch)
        return sketch.text(owned if dealer.random() < 0.98 else owned_paths(WATCHERS)[::-1])

    return odd()


# --- Rare rules ----------------------------------------------------------------------------------


def _successors(reference: Reference) -> Iterator[tuple[int, Reference]]:
    for action in reference.legal_actions():
        after = reference.clone()
        after.apply(action)
        yield action, after


def _leads_to(test: Callable[[Reference, int, Reference], bool]) -> Callable[[Reference], bool]:
    """Return whether some action leads from a position to one that passes the test."""
    return lambda reference: any(
        test(reference, action, after) for action, after in _successors(reference)
    )


def _turned(before: Reference, action: int, after: Reference, sign: str) -> bool:
    """Whether an action turned its elephant at the opponent's goal line (section 3.6)."""
    seat = before.seat
    name = before.action_name(action)
    facing = FACING_ENEMY_GOAL[seat]
    start = name[:2]
    if name[2] != sign or before.elephants.get(start) != (seat, facing):
        return False
    come = after.elephants.keys() - before.elephants.keys()
    return any(after.elephants[field] == (seat, BACK[facing]) for field in come)


def _came_home(before: Reference, after: Reference, by: int = 1) -> bool:
    return after.home[before.seat] == before.home[before.seat] + by


def _is_jump(before: Reference, action: int) -> bool:
    return "^" in before.action_name(action)


def _tied(reference: Reference) -> bool:
    first, second = (
        reference.held[p] + 2 * reference.captives[p] + 3 * reference.home[p] for p in (0, 1)
    )
    return first == second


def _last_gone(before: Reference, after: Reference, player: int) -> bool:
    """Whether an action took a player's last elephant."""
    return before.in_play(player) > 0 and after.in_play(player) == 0


def _exits_by_steps(reference: Reference) -> bool:
    """Whether an elephant may leave that does not stand on the edge yet."""
    edges = {*FRONT[0], *FRONT[1]}
    return any(
        name.endswith(">out") and name[:2] not in edges
        for name in map(reference.action_name, reference.legal_actions())
    )


def _may_not_burn(reference: Reference) -> bool:
    """Whether a free field is forbidden for a burnt log, as it would be the third in a line."""
    if reference.is_terminal or reference.burnt_left[reference.seat] == 0:
        return False
    legal = set(reference.legal_actions())
    return any(
        reference._is_free(field) and BURN_PLANE * CELLS + CELL[field] not in legal
        for field in FIELDS
    )


RARE: dict[str, Callable[[Reference], bool]] = {
    "nothing but a pass": lambda reference: reference.legal_actions() == [PASS],
    "a second pass ends the game": lambda reference: (
        reference.legal_actions() == [PASS] and reference.passes == 1
    ),
    "a capture by a pass": _leads_to(
        lambda before, action, after: action == PASS and after.captives != before.captives
    ),
    "a captive comes back with the seventh": _leads_to(
        lambda before, _, after: _came_home(before, after, by=2)
    ),
    "seventh, but no captive": _leads_to(
        lambda before, _, after: (
            _came_home(before, after)
            and after.home[before.seat] == 7
            and before.captives[1 - before.seat] == 0
        )
    ),
    "turned after a move": _leads_to(
        lambda before, action, after: _turned(before, action, after, ">")
    ),
    "turned after a jump": _leads_to(
        lambda before, action, after: _turned(before, action, after, "^")
    ),
    "home by a jump": _leads_to(
        lambda before, action, after: _is_jump(before, action) and _came_home(before, after)
    ),
    "home by entering": _leads_to(
        lambda before, action, after: (
            action // CELLS in (ENTER_PLANE, ENTER_PLANE + 1) and _came_home(before, after)
        )
    ),
    "a jump from a log": lambda reference: any(
        _is_jump(reference, action) and FIELDS[action % CELLS] in reference.logs
        for action in reference.legal_actions()
    ),
    "a jump onto a log": _leads_to(
        lambda before, action, after: (
            _is_jump(before, action)
            and bool((after.elephants.keys() - before.elephants.keys()) & after.logs)
        )
    ),
    "a way out of several steps": _exits_by_steps,
    "captures of both at once": _leads_to(
        lambda before, _, after: all(after.captives[p] > before.captives[p] for p in (0, 1))
    ),
    "home on a danger field": _leads_to(
        lambda before, action, after: (
            _came_home(before, after) and before.action_name(action)[-2:] in before.danger_fields()
        )
    ),
    "four danger fields": lambda reference: (
        not reference.is_terminal and len(reference.danger_fields()) == 4
    ),
    "a third burnt log in a line": _may_not_burn,
    "the last log is collected": _leads_to(
        lambda before, _, after: len(before.logs) == 1 and not after.logs
    ),
    "the last elephant comes home": _leads_to(
        lambda before, _, after: (
            _came_home(before, after) and _last_gone(before, after, before.seat)
        )
    ),
    "the last elephant is captured": _leads_to(
        lambda before, _, after: (
            after.captives[1 - before.seat] > before.captives[1 - before.seat]
            and _last_gone(before, after, before.seat)
        )
    ),
    "the last elephant of the other is captured": _leads_to(
        lambda before, _, after: _last_gone(before, after, 1 - before.seat)
    ),
    "60 without progress": _leads_to(lambda _, action, after: after.idle == 60),
    "progress in the 60th action": _leads_to(
        lambda before, _, after: before.idle == 59 and after.idle == 0 and not after.is_terminal
    ),
    "the move cap": _leads_to(lambda _, action, after: after.is_truncated),
    "the move cap and another end": _leads_to(
        lambda _, action, after: after.played == 500 and not after.is_truncated
    ),
    "a truncated game is read": lambda reference: reference.is_truncated,
    "a tie is read": lambda reference: reference.is_terminal and _tied(reference),
    "a game ends in a tie": _leads_to(lambda _, action, after: after.is_terminal and _tied(after)),
    "a dear watch": _leads_to(
        lambda before, _, after: before.held[before.seat] - after.held[before.seat] > 6
    ),
}
