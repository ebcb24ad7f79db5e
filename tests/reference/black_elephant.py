"""A slow, plain reference of Black Elephant.

Every rule stands here once, in the order of docs/rules/black_elephant.md, in the most direct form
that Python allows. Speed plays little role: no fact about a position is stored twice, all is
derived from the nine fields of the notation whenever it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# --- Section 1.1: components and names -----------------------------------------------------------

PLAYERS = (0, 1)
ELEPHANTS = 10
BEIGE_LOGS = 48
BURNT_LOGS = 3
FACINGS = "nesw"


class Elephant(NamedTuple):
    """An elephant on the board."""

    owner: int
    facing: str


# --- Section 1: board ----------------------------------------------------------------------------

FILES = "ABCDEFG"
RANKS = "1234567"
FIELDS = tuple(file + rank for rank in RANKS for file in FILES)
BLACK_FIELD = "G7"
STEPS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}


def _shifted(field: str, files: int, ranks: int) -> str | None:
    """Return the field so many files to the east and ranks to the north, None off the board."""
    file, rank = FILES.index(field[0]) + files, RANKS.index(field[1]) + ranks
    if file in range(7) and rank in range(7):
        return FILES[file] + RANKS[rank]
    return None


def _neighbours(field: str) -> dict[str, str]:
    """Return the fields next to a field by direction, without the black field."""
    shifted = {facing: _shifted(field, *step) for facing, step in STEPS.items()}
    return {
        facing: other
        for facing, other in shifted.items()
        if other is not None and other != BLACK_FIELD
    }


NEIGHBOURS = {field: _neighbours(field) for field in FIELDS}


def _lines_of_three() -> Iterator[set[str]]:
    """Yield three consecutive fields of each rank, file and diagonal (section 3.9)."""
    for field in FIELDS:
        for files, ranks in ((0, 1), (1, 0), (1, 1), (1, -1)):
            second, third = (_shifted(field, n * files, n * ranks) for n in (1, 2))
            if second is not None and third is not None:
                yield {field, second, third}


LINES_OF_THREE = list(_lines_of_three())
# For each field the two others of each such line that it is in.
COMPANIONS = {
    field: [line - {field} for line in LINES_OF_THREE if field in line] for field in FIELDS
}
GOALS = (tuple("G" + rank for rank in "123456"), tuple(file + "7" for file in "ABCDEF"))

# The start areas, the front fields they touch, and the facing with which one comes out of them.
WEST, SOUTH = 0, 1
AREAS = "WS"
HOME_AREA = (WEST, SOUTH)
FRONT = (tuple("A" + rank for rank in RANKS), tuple(file + "1" for file in FILES))
ENTRY_FACING = ("e", "n")
EXIT_FACING = ("w", "s")

# The facing of an elephant that looks at the goal line of its opponent (section 3.6).
FACING_ENEMY_GOAL = ("n", "e")
BACK = {"n": "s", "e": "w", "s": "n", "w": "e"}

# Each watcher is named after its path; those on N and S watch files, those on W and E ranks.
PLACES = {"N": FILES, "S": FILES, "W": RANKS, "E": RANKS}
WRITTEN_ORDER = "NSWE"
WATCHERS = "W4,ND/E4,SD"

# --- Section 4: end of the game ------------------------------------------------------------------

PASSES_TO_END = 2
IDLE_TO_END = 60
MOST_ACTIONS = 500

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

CELL = {field: cell for cell, field in enumerate(FIELDS)}
# The action numbers of all moves by start and destination.
MOVE_ACTIONS = {
    start: {
        destination: plane * CELLS + CELL[start]
        for plane, offset in enumerate(OFFSETS)
        if (destination := _shifted(start, *offset)) is not None
    }
    for start in FIELDS
}
DESTINATIONS = {
    action: destination
    for actions in MOVE_ACTIONS.values()
    for destination, action in actions.items()
}

# --- Section 7: position notation ----------------------------------------------------------------

SEATS = ("0", "1", "-")
OVER = -1
FIELD_NAMES = (
    "board",
    "seat to move",
    "areas",
    "held",
    "burnt",
    "home",
    "captives",
    "watchers",
    "clock",
)


class Reference:
    """A position of Black Elephant with the public interface of the compiled states.

    Attributes:
        owned: Per player the paths of the own two watchers in the order of the notation.
        elephants: The elephants on the board by field.
        logs: The fields with a beige log, whether or not an elephant stands there too.
        burnt: The fields with a burnt log.
        seat: The player to move, -1 when the game is over.
        areas: Per player the elephants in the West and the South area.
        held: Per player the beige logs collected and not paid.
        burnt_left: Per player the burnt logs not yet placed.
        home: Per player the own elephants that are home.
        captives: Per player the captured elephants of the opponent.
        watchers: The place of each watcher by path: a file or a rank.
        idle: The actions since the last progress.
        passes: The PASS actions in a row.
        played: The actions played.
    """

    def __init__(self, owned: tuple[str, str]) -> None:
        """Begin with an empty board; ``initial`` and ``parse`` are the public constructors."""
        self.owned = owned
        self.elephants: dict[str, Elephant] = {}
        self.logs: set[str] = set()
        self.burnt: set[str] = set()
        self.seat = 0
        self.areas = [[0, 0], [0, 0]]
        self.held = [0, 0]
        self.burnt_left = [0, 0]
        self.home = [0, 0]
        self.captives = [0, 0]
        self.watchers: dict[str, str] = {}
        self.idle = 0
        self.passes = 0
        self.played = 0
        self._legal: list[int] | None = None  # of this position, once they were asked for

    # --- Section 2: set-up -----------------------------------------------------------------------

    @classmethod
    def initial(
        cls,
        *,
        seed: int | None = None,
        outcome: Sequence[int] | None = None,
        watchers: str = WATCHERS,
    ) -> Reference:
        """Return the start position; the game has no chance, so the seed changes nothing."""
        del seed
        _check_no_chance(outcome)
        places = _read_watchers(watchers)
        start = cls(_owned(places))
        start.logs = set(FIELDS) - {BLACK_FIELD}
        for player in PLAYERS:
            start.areas[player][HOME_AREA[player]] = ELEPHANTS
            start.burnt_left[player] = BURNT_LOGS
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
            and field != BLACK_FIELD
        )

    def _can_be_entered(self, field: str) -> bool:
        """Whether an elephant may come onto a field, where a beige log may lie."""
        return field not in self.elephants and field not in self.burnt and field != BLACK_FIELD

    def _enters(self) -> Iterator[int]:
        """Yield the actions of section 3.1."""
        for area in (WEST, SOUTH):
            if self.areas[self.seat][area] > 0:
                for field in FRONT[area]:
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
                if end not in GOALS[self.seat]
                for field in NEIGHBOURS[end].values()
                if field not in reached and self._is_free(field)
            }
            reached |= ends
        # The start itself is never among them: the moving elephant makes it not free.
        return reached

    def _moves(self, start: str) -> Iterator[int]:
        """Yield the actions of section 3.2."""
        neighbours = NEIGHBOURS[start].values()
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
        if facing not in EXIT_FACING:
            return
        doors = {start}
        if start not in self.logs:
            doors |= self._free_reach(start, 2) - set(GOALS[self.seat])
        if doors & set(FRONT[EXIT_FACING.index(facing)]):
            yield EXIT_PLANE * CELLS + CELL[start]

    def _jumps(self, start: str) -> Iterator[int]:
        """Yield the actions of section 3.4."""
        facing = self.elephants[start].facing
        over = NEIGHBOURS[start].get(facing)
        if over is None or over not in self.elephants or over in self.logs:
            return
        landing = NEIGHBOURS[over].get(facing)
        if landing is not None and self._can_be_entered(landing):
            for plane in range(JUMP_PLANE, JUMP_PLANE + len(FACINGS)):
                yield plane * CELLS + CELL[start]

    def _price(self, places: tuple[str, str]) -> int:
        """Return the logs it costs to move the own watchers to these places (section 3.8)."""
        owned = self.owned[self.seat]
        return sum(self._price_of(path, place) for path, place in zip(owned, places, strict=True))

    def _price_of(self, path: str, place: str) -> int:
        """Return the logs it costs to move the watcher of a path to a place."""
        return abs(PLACES[path].index(place) - PLACES[path].index(self.watchers[path]))

    def _watches(self) -> Iterator[int]:
        """Yield the actions of section 3.8."""
        first, second = self.owned[self.seat]
        first_prices = [self._price_of(first, place) for place in PLACES[first]]
        second_prices = [self._price_of(second, place) for place in PLACES[second]]
        for action in range(WATCH_PLANE * CELLS, (WATCH_PLANE + 1) * CELLS):
            row, column = divmod(action - WATCH_PLANE * CELLS, 7)
            price = first_prices[column] + second_prices[row]
            if 1 <= price <= self.held[self.seat]:
                yield action

    def _burns(self) -> Iterator[int]:
        """Yield the actions of section 3.9."""
        if self.burnt_left[self.seat] > 0:
            for field in FIELDS:
                if self._is_free(field) and not self._is_third_in_line(field):
                    yield BURN_PLANE * CELLS + CELL[field]

    def _is_third_in_line(self, field: str) -> bool:
        """Whether a burnt log on a field lies, or would lie, in a line of three (3.9)."""
        return any(others <= self.burnt for others in COMPANIONS[field])

    def apply(self, action: int, outcome: Sequence[int] | None = None) -> None:
        """Play an action, with its effects in the order of section 3.11.

        Raises:
            ValueError: The action is illegal; the position is unchanged.
        """
        _check_no_chance(outcome)
        self._check_legal(action)
        self._legal = None
        plane, cell = divmod(int(action), CELLS)
        field = FIELDS[cell]
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
                progress = self._jump(field, FACINGS[plane - JUMP_PLANE])
            elif plane < WATCH_PLANE:
                progress = self._enter(plane - ENTER_PLANE, field)
            elif plane == WATCH_PLANE:
                progress = self._watch(*_places(self.owned[self.seat], cell))
            else:
                progress = self._burn(field)
        captured = self._capture()
        self.idle = 0 if progress or captured else self.idle + 1
        self.played += 1
        self.seat = OVER if self._is_over() else 1 - self.seat

    # Each of the following does steps 1 to 4 of section 3.11 and returns whether they are progress.

    def _move(self, start: str, destination: str) -> bool:
        elephant = self.elephants.pop(start)
        forward = NEIGHBOURS[start].get(elephant.facing) == destination
        return self._arrive(elephant, start, destination, collects=forward)

    def _exit(self, start: str) -> bool:
        elephant = self.elephants.pop(start)
        self.areas[self.seat][EXIT_FACING.index(elephant.facing)] += 1
        return False

    def _jump(self, start: str, facing: str) -> bool:
        elephant = self.elephants.pop(start)
        over = NEIGHBOURS[start][elephant.facing]
        self.elephants[over] = Elephant(self.elephants[over].owner, facing)
        landing = NEIGHBOURS[over][elephant.facing]
        return self._arrive(elephant, start, landing, collects=False)

    def _enter(self, area: int, field: str) -> bool:
        self.areas[self.seat][area] -= 1
        elephant = Elephant(self.seat, ENTRY_FACING[area])
        return self._arrive(elephant, None, field, collects=True)

    def _arrive(self, elephant: Elephant, start: str | None, field: str, *, collects: bool) -> bool:
        """Collect (5.7), bring home (5.5) or turn (5.6) an elephant that comes onto a field."""
        player = self.seat
        progress = False
        if collects and field in self.logs:
            self.logs.remove(field)
            self.held[player] += 1
            progress = True
        if field in GOALS[player]:
            self.home[player] += 1
            if self.home[player] == 7 and self.captives[1 - player] > 0:
                self.captives[1 - player] -= 1
                self.home[player] += 1
            return True
        line = GOALS[1 - player]
        facing = elephant.facing
        if field in line and start not in line and facing == FACING_ENEMY_GOAL[player]:
            facing = BACK[facing]
        self.elephants[field] = Elephant(player, facing)
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

    def _in_play(self, player: int) -> int:
        on_board = sum(elephant.owner == player for elephant in self.elephants.values())
        return on_board + sum(self.areas[player])

    def _is_finished(self) -> bool:
        """Whether one of the cases 1 to 4 holds, which are terminations."""
        return (
            not self.logs
            or any(self._in_play(player) == 0 for player in PLAYERS)
            or self.passes >= PASSES_TO_END
            or self.idle >= IDLE_TO_END
        )

    def _is_over(self) -> bool:
        return self._is_finished() or self.played >= MOST_ACTIONS

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.seat == OVER

    @property
    def is_truncated(self) -> bool:
        """Whether only the number of actions (case 5) ended the game."""
        return self.is_terminal and self.played >= MOST_ACTIONS and not self._is_finished()

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
            for player in PLAYERS
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

    def action_name(self, action: int) -> str:
        """Return the text of a legal action, such as ``W>A4``, ``C3>D3`` or ``watch E5``.

        Raises:
            ValueError: The action is illegal.
        """
        self._check_legal(action)
        return self._name(int(action))

    def _name(self, action: int) -> str:
        if action == PASS:
            return "pass"
        plane, cell = divmod(action, CELLS)
        field = FIELDS[cell]
        if plane < EXIT_PLANE:
            return f"{field}>{DESTINATIONS[action]}"
        if plane == EXIT_PLANE:
            return f"{field}>out"
        if plane < ENTER_PLANE:
            return f"{field}^{FACINGS[plane - JUMP_PLANE]}"
        if plane < WATCH_PLANE:
            return f"{AREAS[plane - ENTER_PLANE]}>{field}"
        if plane == WATCH_PLANE:
            return "watch " + "".join(_places(self.owned[self.seat], cell))
        return f"burn {field}"

    def parse_action(self, text: str) -> int:
        """Return the legal action with this text.

        Raises:
            ValueError: No legal action has this text.
        """
        for action in self.legal_actions():
            if self._name(action) == text:
                return action
        raise ValueError(f"action: {text!r} is not the text of a legal action in {self}")

    def _check_legal(self, action: int) -> None:
        if action not in self.legal_actions():
            raise ValueError(f"action: {action!r} is illegal in {self}")

    # --- Section 7: position notation ------------------------------------------------------------

    def __str__(self) -> str:
        """Return the position in the notation."""
        board = "/".join(
            ",".join(self._field_text(file + rank) for file in FILES) for rank in reversed(RANKS)
        )
        areas = "/".join(f"{west}.{south}" for west, south in self.areas)
        pairs = [
            f"{first}/{second}"
            for first, second in (self.held, self.burnt_left, self.home, self.captives)
        ]
        watchers = "/".join("".join(self.watchers[path] for path in own) for own in self.owned)
        clock = f"{self.idle}:{self.passes}:{self.played}"
        return " ".join([board, SEATS[self.seat], areas, *pairs, watchers, clock])

    def _field_text(self, field: str) -> str:
        if field == BLACK_FIELD:
            return "#"
        if field in self.elephants:
            owner, facing = self.elephants[field]
            return f"{owner}{facing}" + ("*" if field in self.logs else "")
        if field in self.burnt:
            return "x"
        return "l" if field in self.logs else "."

    def __repr__(self) -> str:
        """Return the notation, so that a failing test shows the position."""
        return f"Reference.parse({str(self)!r})"

    @classmethod
    def parse(cls, text: str, *, seed: int | None = None, watchers: str = WATCHERS) -> Reference:
        """Read a position in the notation; the start places of the watchers play no role.

        Raises:
            ValueError: The text is not a position; the message names the field and the reason.
        """
        del seed
        fields = text.split(" ")
        if len(fields) != len(FIELD_NAMES):
            raise ValueError(
                f"a position has {len(FIELD_NAMES)} fields ({', '.join(FIELD_NAMES)}) with one "
                f"space between them, got {len(fields)} fields in {text!r}"
            )
        position = cls(_owned(_read_watchers(watchers)))
        position._read_board(fields[0])
        if fields[1] not in SEATS:
            raise ValueError(f"seat to move: {fields[1]!r} is none of 0, 1 and -")
        position.seat = OVER if fields[1] == "-" else int(fields[1])
        west_and_south = [_split(areas, ".", "areas") for areas in _split(fields[2], "/", "areas")]
        position.areas = [[_number(n, "areas") for n in areas] for areas in west_and_south]
        position.held, position.burnt_left, position.home, position.captives = (
            [_number(number, name) for number in _split(pair, "/", name)]
            for pair, name in zip(fields[3:7], FIELD_NAMES[3:7], strict=True)
        )
        position._read_places(fields[7])
        position._read_clock(fields[8])
        position._check_material()
        return position

    def _read_board(self, text: str) -> None:
        ranks = text.split("/")
        if len(ranks) != len(RANKS):
            raise ValueError(f"board: has 7 ranks, got {len(ranks)}")
        for rank, rank_text in zip(reversed(RANKS), ranks, strict=True):
            contents = rank_text.split(",")
            if len(contents) != len(FILES):
                raise ValueError(f"board: rank {rank} has 7 files, got {len(contents)}")
            for file, content in zip(FILES, contents, strict=True):
                self._read_field(file + rank, content)

    def _read_field(self, field: str, content: str) -> None:
        if (content == "#") != (field == BLACK_FIELD):
            raise ValueError(f"board: '#' stands on G7 and only there, got {content!r} on {field}")
        if content in ("#", "."):
            return
        if content == "l":
            self.logs.add(field)
        elif content == "x":
            self.burnt.add(field)
        elif re.fullmatch(r"[01][nesw]\*?", content):
            owner = int(content[0])
            if field in GOALS[owner]:
                raise ValueError(f"board: an elephant of player {owner} on its own goal {field}")
            self.elephants[field] = Elephant(owner, content[1])
            if content.endswith("*"):
                self.logs.add(field)
        else:
            raise ValueError(f"board: unknown piece {content!r} on {field}")

    def _read_places(self, text: str) -> None:
        for own, places in zip(self.owned, _split(text, "/", "watchers"), strict=True):
            if len(places) != len(own):
                raise ValueError(f"watchers: a player has two watchers, got {places!r}")
            for path, place in zip(own, places, strict=True):
                if place not in PLACES[path]:
                    raise ValueError(f"watchers: {place!r} is no place of watcher {path}")
                self.watchers[path] = place

    def _read_clock(self, text: str) -> None:
        numbers = text.split(":")
        if len(numbers) != 3:
            raise ValueError(f"clock: has three numbers, got {text!r}")
        self.idle, self.passes, self.played = (_number(number, "clock") for number in numbers)
        # While the game runs none of the counters can have reached the number that ends it.
        running = not self.is_terminal
        if (
            self.idle > IDLE_TO_END - running
            or self.passes > PASSES_TO_END - running
            or self.played > MOST_ACTIONS - running
        ):
            raise ValueError(f"clock: a number of {text!r} is too high")

    def _check_material(self) -> None:
        """Refuse more pieces than the game has; fewer are read."""
        for player in PLAYERS:
            number = self._in_play(player) + self.home[player] + self.captives[1 - player]
            if number > ELEPHANTS:
                raise ValueError(
                    f"board, areas, home, captives: {number} elephants of player {player}"
                )
            if self.burnt_left[player] > BURNT_LOGS:
                raise ValueError(f"burnt: player {player} has more than {BURNT_LOGS} burnt logs")
        if len(self.logs) + sum(self.held) > BEIGE_LOGS:
            raise ValueError(f"board, held: more than {BEIGE_LOGS} beige logs")
        if len(self.burnt) + sum(self.burnt_left) > 2 * BURNT_LOGS:
            raise ValueError(f"board, burnt: more than {2 * BURNT_LOGS} burnt logs")
        if any(self._is_third_in_line(field) for field in self.burnt):
            raise ValueError("board: three burnt logs in a line")


def _places(own: str, cell: int) -> tuple[str, str]:
    """Return the places of a WATCH in the order of the notation (section 7.2)."""
    row, column = divmod(cell, 7)
    return PLACES[own[0]][column], PLACES[own[1]][row]


def _read_watchers(text: str) -> list[dict[str, str]]:
    """Read the option with the owners and start places: per player the place by path."""
    players = [part.split(",") for part in text.split("/")]
    places: list[dict[str, str]] = [{} for _ in players]
    for player, watchers in enumerate(players):
        for watcher in watchers:
            path, place = watcher[:1], watcher[1:]
            if path not in PLACES or len(place) != 1 or place not in PLACES[path]:
                raise ValueError(f"watchers: {watcher!r} in {text!r} is no path and place on it")
            places[player][path] = place
    named = sorted(watcher[:1] for watchers in players for watcher in watchers)
    if named != sorted(PLACES) or [len(own) for own in places] != [2, 2]:
        raise ValueError(f"watchers: {text!r} must give each player two and each path one watcher")
    return places


def _owned(places: list[dict[str, str]]) -> tuple[str, str]:
    """Return the paths of the watchers of each player in the order of the notation."""
    first, second = ("".join(path for path in WRITTEN_ORDER if path in own) for own in places)
    return first, second


def _split(text: str, separator: str, name: str) -> list[str]:
    parts = text.split(separator)
    if len(parts) != 2:
        raise ValueError(f"{name}: two values with {separator!r} between them, got {text!r}")
    return parts


def _number(text: str, name: str) -> int:
    # No number of a position has more than three digits.
    if not re.fullmatch(r"0|[1-9][0-9]{0,2}", text):
        raise ValueError(f"{name}: {text[:9]!r} is no number without leading zeros, or too high")
    return int(text)


def _check_no_chance(outcome: Sequence[int] | None) -> None:
    if outcome is not None and len(outcome) > 0:
        raise ValueError(f"outcome: nothing is left to chance in this game, got {outcome!r}")
