"""A slow, plain reference of Black Elephant.

Every rule stands here once, in the order of docs/rules/black_elephant.md, in the most direct form
that Python allows. Speed plays little role: no fact about a position is stored twice, all is
derived from the nine fields of the notation whenever it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference import black_elephant_board as b
from reference.black_elephant_notation import (
    position_text,
    read_position,
    read_watchers,
    watcher_paths,
)
from reference.common import NamesOfLegalActions

# --- Section 5: scoring --------------------------------------------------------------------------

POINTS_PER_LOG = 1
POINTS_PER_CAPTIVE = 2
POINTS_PER_HOME = 3

# --- Action numbers -------------------------------------------------------------------------------

CELLS = 49
# fmt: off
OFFSETS = (
    (0, 1), (1, 0), (0, -1), (-1, 0),
    (0, 2), (1, 1), (2, 0), (1, -1), (0, -2), (-1, -1), (-2, 0), (-1, 1),
    (0, 3), (1, 2), (2, 1), (3, 0), (2, -1), (1, -2),
    (0, -3), (-1, -2), (-2, -1), (-3, 0), (-2, 1), (-1, 2),
)
# fmt: on
EXIT_PLANE = 24
JUMP_PLANE = 25
ENTER_PLANE = 29
WATCH_PLANE = 31
BURN_PLANE = 32
PASS = 33 * CELLS

CELL = {field: cell for cell, field in enumerate(b.FIELDS)}
# The action numbers of all moves by start and destination.
MOVE_ACTIONS = {
    start: {
        destination: plane * CELLS + CELL[start]
        for plane, offset in enumerate(OFFSETS)
        if (destination := b.shifted_field(start, *offset)) is not None
    }
    for start in b.FIELDS
}
DESTINATIONS = {
    action: destination
    for actions in MOVE_ACTIONS.values()
    for destination, action in actions.items()
}


class Reference(NamesOfLegalActions, b.Position):
    """A position of Black Elephant with the public interface of the compiled states.

    ``initial`` and ``parse`` are its constructors.
    """

    _legal: list[int] | None = None  # of this position, once they were asked for

    # --- Section 2: set-up -----------------------------------------------------------------------

    @classmethod
    def initial(
        cls,
        *,
        seed: int | None = None,
        outcome: Sequence[int] | None = None,
        watchers: str = b.WATCHERS,
    ) -> Reference:
        """Return the start position; the game has no chance, so the seed changes nothing."""
        del seed
        _check_no_chance(outcome)
        places = read_watchers(watchers)
        start = cls(watcher_paths(places))
        start.logs = set(b.FIELDS) - {b.BLACK_FIELD}
        for player in b.PLAYERS:
            start.areas[player][b.HOME_AREA[player]] = b.ELEPHANTS
            start.burnt_left[player] = b.BURNT_LOGS
            start.watchers.update(places[player])
        return start

    def clone(self) -> Reference:
        """Return an independent copy."""
        copy = Reference(self.owned)
        copy.elephants = dict(self.elephants)
        copy.logs = set(self.logs)
        copy.burnt = set(self.burnt)
        copy.seat = self.seat
        copy.areas = [list(areas) for areas in self.areas]
        copy.held = list(self.held)
        copy.burnt_left = list(self.burnt_left)
        copy.home = list(self.home)
        copy.captives = list(self.captives)
        copy.watchers = dict(self.watchers)
        copy.idle, copy.passes, copy.played = self.idle, self.passes, self.played
        copy._legal = self._legal
        return copy

    # --- Section 3: a turn -----------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; none when the game is over."""
        if self._legal is None:
            self._legal = self._find_legal()
        return list(self._legal)

    def _find_legal(self) -> list[int]:
        if self.is_terminal:
            return []
        actions = [*self._enters(), *self._watches(), *self._burns()]
        for field, elephant in self.elephants.items():
            if elephant.owner == self.seat:
                actions += self._moves(field)
                actions += self._exits(field)
                actions += self._jumps(field)
        # Passing is allowed only if nothing else is possible.
        return sorted(actions) or [PASS]

    def _is_free(self, field: str) -> bool:
        """Whether a field is free in the sense of section 2."""
        return (
            field not in self.elephants
            and field not in self.logs
            and field not in self.burnt
            and field != b.BLACK_FIELD
        )

    def _can_be_entered(self, field: str) -> bool:
        """Whether an elephant may come onto a field, where a beige log may lie."""
        return field not in self.elephants and field not in self.burnt and field != b.BLACK_FIELD

    def _enters(self) -> Iterator[int]:
        """Yield the actions of section 3.1."""
        for area in (b.WEST, b.SOUTH):
            if self.areas[self.seat][area] > 0:
                for field in b.FRONT[area]:
                    if self._can_be_entered(field):
                        yield (ENTER_PLANE + area) * CELLS + CELL[field]

    def _free_reach(self, start: str, steps: int) -> set[str]:
        """Return the fields reached by 1 to so many steps over free fields (section 3.2 b)."""
        reached: set[str] = set()
        ends = {start}
        for _ in range(steps):
            ends = {
                field
                for end in ends
                if end not in b.GOALS[self.seat]
                for field in b.NEIGHBOURS[end].values()
                if field not in reached and self._is_free(field)
            }
            reached |= ends
        # The start itself is never among them: the moving elephant makes it not free.
        return reached

    def _moves(self, start: str) -> Iterator[int]:
        """Yield the actions of section 3.2."""
        neighbours = b.NEIGHBOURS[start].values()
        if start in self.logs:
            destinations = {field for field in neighbours if self._can_be_entered(field)}
        else:
            onto_logs = {f for f in neighbours if f in self.logs and f not in self.elephants}
            destinations = onto_logs | self._free_reach(start, 3)
        for destination in destinations:
            yield MOVE_ACTIONS[start][destination]

    def _exits(self, start: str) -> Iterator[int]:
        """Yield the action of section 3.3."""
        facing = self.elephants[start].facing
        if facing not in b.EXIT_FACING:
            return
        doors = {start}
        if start not in self.logs:
            doors |= self._free_reach(start, 2) - set(b.GOALS[self.seat])
        if doors & set(b.FRONT[b.EXIT_FACING.index(facing)]):
            yield EXIT_PLANE * CELLS + CELL[start]

    def _jumps(self, start: str) -> Iterator[int]:
        """Yield the actions of section 3.4."""
        facing = self.elephants[start].facing
        over = b.NEIGHBOURS[start].get(facing)
        if over is None or over not in self.elephants or over in self.logs:
            return
        landing = b.NEIGHBOURS[over].get(facing)
        if landing is not None and self._can_be_entered(landing):
            for plane in range(JUMP_PLANE, JUMP_PLANE + len(b.FACINGS)):
                yield plane * CELLS + CELL[start]

    def _price(self, places: tuple[str, str]) -> int:
        """Return the logs it costs to move the own watchers to these places (section 3.8)."""
        owned = self.owned[self.seat]
        return sum(self._price_of(path, place) for path, place in zip(owned, places, strict=True))

    def _price_of(self, path: str, place: str) -> int:
        """Return the logs it costs to move the watcher of a path to a place."""
        return abs(b.PLACES[path].index(place) - b.PLACES[path].index(self.watchers[path]))

    def _watches(self) -> Iterator[int]:
        """Yield the actions of section 3.8."""
        first, second = self.owned[self.seat]
        first_prices = [self._price_of(first, place) for place in b.PLACES[first]]
        second_prices = [self._price_of(second, place) for place in b.PLACES[second]]
        for action in range(WATCH_PLANE * CELLS, (WATCH_PLANE + 1) * CELLS):
            row, column = divmod(action - WATCH_PLANE * CELLS, 7)
            price = first_prices[column] + second_prices[row]
            if 1 <= price <= self.held[self.seat]:
                yield action

    def _burns(self) -> Iterator[int]:
        """Yield the actions of section 3.9."""
        if self.burnt_left[self.seat] > 0:
            for field in b.FIELDS:
                if self._is_free(field) and not self.is_third_in_line(field):
                    yield BURN_PLANE * CELLS + CELL[field]

    def apply(self, action: int, outcome: Sequence[int] | None = None) -> None:
        """Play an action, with its effects in the order of section 3.11.

        Raises:
            ValueError: The action is illegal; the position is unchanged.
        """
        _check_no_chance(outcome)
        self.check_legal(action)
        self._legal = None
        plane, cell = divmod(int(action), CELLS)
        field = b.FIELDS[cell]
        if action == PASS:
            progress = False
            self.passes += 1
        else:
            self.passes = 0
            if plane < EXIT_PLANE:
                progress = self._move(field, DESTINATIONS[int(action)])
            elif plane == EXIT_PLANE:
                progress = self._exit(field)
            elif plane < ENTER_PLANE:
                progress = self._jump(field, b.FACINGS[plane - JUMP_PLANE])
            elif plane < WATCH_PLANE:
                progress = self._enter(plane - ENTER_PLANE, field)
            elif plane == WATCH_PLANE:
                progress = self._watch(*_places(self.owned[self.seat], cell))
            else:
                progress = self._burn(field)
        captured = self._capture()
        self.idle = 0 if progress or captured else self.idle + 1
        self.played += 1
        self.seat = b.OVER if self._is_over() else 1 - self.seat

    # Each of the following does steps 1 to 4 of section 3.11 and returns whether they are progress.

    def _move(self, start: str, destination: str) -> bool:
        elephant = self.elephants.pop(start)
        forward = b.NEIGHBOURS[start].get(elephant.facing) == destination
        return self._arrive(elephant, start, destination, collects=forward)

    def _exit(self, start: str) -> bool:
        elephant = self.elephants.pop(start)
        self.areas[self.seat][b.EXIT_FACING.index(elephant.facing)] += 1
        return False

    def _jump(self, start: str, facing: str) -> bool:
        elephant = self.elephants.pop(start)
        over = b.NEIGHBOURS[start][elephant.facing]
        self.elephants[over] = b.Elephant(self.elephants[over].owner, facing)
        landing = b.NEIGHBOURS[over][elephant.facing]
        return self._arrive(elephant, start, landing, collects=False)

    def _enter(self, area: int, field: str) -> bool:
        self.areas[self.seat][area] -= 1
        elephant = b.Elephant(self.seat, b.ENTRY_FACING[area])
        return self._arrive(elephant, None, field, collects=True)

    def _arrive(
        self, elephant: b.Elephant, start: str | None, field: str, *, collects: bool
    ) -> bool:
        """Collect (5.7), bring home (5.5) or turn (5.6) an elephant that comes onto a field."""
        player = self.seat
        progress = False
        if collects and field in self.logs:
            self.logs.remove(field)
            self.held[player] += 1
            progress = True
        if field in b.GOALS[player]:
            self.home[player] += 1
            if self.home[player] == 7 and self.captives[1 - player] > 0:
                self.captives[1 - player] -= 1
                self.home[player] += 1
            return True
        line = b.GOALS[1 - player]
        facing = elephant.facing
        if field in line and start not in line and facing == b.FACING_ENEMY_GOAL[player]:
            facing = b.BACK[facing]
        self.elephants[field] = b.Elephant(player, facing)
        return progress

    def _watch(self, first: str, second: str) -> bool:
        self.held[self.seat] -= self._price((first, second))
        for path, place in zip(self.owned[self.seat], (first, second), strict=True):
            self.watchers[path] = place
        return True

    def _burn(self, field: str) -> bool:
        self.burnt_left[self.seat] -= 1
        self.burnt.add(field)
        return True

    def danger_fields(self) -> set[str]:
        """Return the fields watched both along their file and along their rank (section 1.4)."""
        files = {self.watchers[path] for path in "NS"}
        ranks = {self.watchers[path] for path in "WE"}
        return {file + rank for file in files for rank in ranks}

    def _capture(self) -> bool:
        """Capture whoever stands on a danger field (5.10), return whether there was anybody."""
        caught = self.danger_fields() & self.elephants.keys()
        for field in caught:
            elephant = self.elephants.pop(field)
            self.captives[1 - elephant.owner] += 1
        return bool(caught)

    # --- Section 4: end of the game --------------------------------------------------------------

    def _is_finished(self) -> bool:
        """Whether one of the cases 1 to 4 holds, which are terminations."""
        return (
            not self.logs
            or any(self.in_play(player) == 0 for player in b.PLAYERS)
            or self.passes >= b.PASSES_TO_END
            or self.idle >= b.IDLE_TO_END
        )

    def _is_over(self) -> bool:
        return self._is_finished() or self.played >= b.MOST_ACTIONS

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.seat == b.OVER

    @property
    def is_truncated(self) -> bool:
        """Whether only the number of actions (case 5) ended the game."""
        return self.is_terminal and self.played >= b.MOST_ACTIONS and not self._is_finished()

    @property
    def current_player(self) -> int:
        """The player to move, -1 when the game is over."""
        return self.seat

    # --- Section 5: scoring ----------------------------------------------------------------------

    def scores(self) -> list[float]:
        """Return the points of both; only at the end a tie costs player 0 a point."""
        points = [
            POINTS_PER_LOG * self.held[player]
            + POINTS_PER_CAPTIVE * self.captives[player]
            + POINTS_PER_HOME * self.home[player]
            for player in b.PLAYERS
        ]
        if self.is_terminal and points[0] == points[1]:
            points[0] -= 1
        return [float(value) for value in points]

    def returns(self) -> list[float]:
        """Return +1 for the winner and -1 for the loser, 0 for both while the game runs."""
        if not self.is_terminal:
            return [0.0, 0.0]
        first, second = self.scores()
        return [1.0, -1.0] if first > second else [-1.0, 1.0]

    # --- Section 7: action notation --------------------------------------------------------------

    def name_legal(self, action: int) -> str:
        """Return the text of a legal action, such as ``W>A4``, ``C3>D3`` or ``watch E5``."""
        if action == PASS:
            return "pass"
        plane, cell = divmod(action, CELLS)
        field = b.FIELDS[cell]
        if plane < EXIT_PLANE:
            return f"{field}>{DESTINATIONS[action]}"
        if plane == EXIT_PLANE:
            return f"{field}>out"
        if plane < ENTER_PLANE:
            return f"{field}^{b.FACINGS[plane - JUMP_PLANE]}"
        if plane < WATCH_PLANE:
            return f"{b.AREAS[plane - ENTER_PLANE]}>{field}"
        if plane == WATCH_PLANE:
            return "watch " + "".join(_places(self.owned[self.seat], cell))
        return f"burn {field}"

    # --- Section 7: position notation ------------------------------------------------------------

    def __str__(self) -> str:
        """Return the position in the notation."""
        return position_text(self)

    def __repr__(self) -> str:
        """Return the notation, so that a failing test shows the position."""
        return f"Reference.parse({str(self)!r})"

    @classmethod
    def parse(cls, text: str, *, seed: int | None = None, watchers: str = b.WATCHERS) -> Reference:
        """Read a position in the notation; the start places of the watchers play no role.

        Raises:
            ValueError: The text is not a position; the message names the field and the reason.
        """
        del seed
        position = cls(watcher_paths(read_watchers(watchers)))
        read_position(text, position)
        return position


def _places(own: str, cell: int) -> tuple[str, str]:
    """Return the places of a WATCH in the order of the notation (section 7.2)."""
    row, column = divmod(cell, 7)
    return b.PLACES[own[0]][column], b.PLACES[own[1]][row]


def _check_no_chance(outcome: Sequence[int] | None) -> None:
    if outcome is not None and len(outcome) > 0:
        raise ValueError(f"outcome: nothing is left to chance in this game, got {outcome!r}")
