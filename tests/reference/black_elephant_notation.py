"""The notation of Black Elephant, section 7: positions and watchers, written, read, checked."""

import re

from reference import black_elephant_board as b
from reference.common import split

SEATS = ("0", "1", "-")
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


def position_text(position: b.Position) -> str:
    """Return a position in the notation."""
    board = "/".join(
        ",".join(_field_text(position, file + rank) for file in b.FILES)
        for rank in reversed(b.RANKS)
    )
    areas = "/".join(f"{west}.{south}" for west, south in position.areas)
    pairs = [
        f"{first}/{second}"
        for first, second in (position.held, position.burnt_left, position.home, position.captives)
    ]
    watchers = "/".join("".join(position.watchers[path] for path in own) for own in position.owned)
    clock = f"{position.idle}:{position.passes}:{position.played}"
    return " ".join([board, SEATS[position.seat], areas, *pairs, watchers, clock])


def _field_text(position: b.Position, field: str) -> str:
    if field == b.BLACK_FIELD:
        return "#"
    if field in position.elephants:
        owner, facing = position.elephants[field]
        return f"{owner}{facing}" + ("*" if field in position.logs else "")
    if field in position.burnt:
        return "x"
    return "l" if field in position.logs else "."


def read_position(text: str, position: b.Position) -> None:
    """Read a position in the notation into an empty one.

    Raises:
        ValueError: The text is not a position; the message names the field and the reason.
    """
    what = f"fields of a position ({', '.join(FIELD_NAMES)})"
    fields = split(what, text, " ", len(FIELD_NAMES))
    _read_board(position, fields[0])
    if fields[1] not in SEATS:
        raise ValueError(f"seat to move: {fields[1]!r} is none of 0, 1 and -")
    position.seat = b.OVER if fields[1] == "-" else int(fields[1])
    west_and_south = [split("areas", areas, ".", 2) for areas in split("areas", fields[2], "/", 2)]
    position.areas = [[_number(n, "areas") for n in areas] for areas in west_and_south]
    position.held, position.burnt_left, position.home, position.captives = (
        [_number(number, name) for number in split(name, pair, "/", 2)]
        for pair, name in zip(fields[3:7], FIELD_NAMES[3:7], strict=True)
    )
    _read_places(position, fields[7])
    _read_clock(position, fields[8])
    _check_material(position)


def _read_board(position: b.Position, text: str) -> None:
    ranks = split("board: ranks", text, "/", len(b.RANKS))
    for rank, rank_text in zip(reversed(b.RANKS), ranks, strict=True):
        contents = split(f"board: files of rank {rank}", rank_text, ",", len(b.FILES))
        for file, content in zip(b.FILES, contents, strict=True):
            _read_field(position, file + rank, content)


def _read_field(position: b.Position, field: str, content: str) -> None:
    if (content == "#") != (field == b.BLACK_FIELD):
        raise ValueError(f"board: '#' stands on G7 and only there, got {content!r} on {field}")
    if content in ("#", "."):
        return
    if content == "l":
        position.logs.add(field)
    elif content == "x":
        position.burnt.add(field)
    elif re.fullmatch(r"[01][nesw]\*?", content):
        owner = int(content[0])
        if field in b.GOALS[owner]:
            raise ValueError(f"board: an elephant of player {owner} on its own goal {field}")
        position.elephants[field] = b.Elephant(owner, content[1])
        if content.endswith("*"):
            position.logs.add(field)
    else:
        raise ValueError(f"board: unknown piece {content!r} on {field}")


def _read_places(position: b.Position, text: str) -> None:
    for own, places in zip(position.owned, split("watchers", text, "/", 2), strict=True):
        if len(places) != len(own):
            raise ValueError(f"watchers: a player has two watchers, got {places!r}")
        for path, place in zip(own, places, strict=True):
            if place not in b.PLACES[path]:
                raise ValueError(f"watchers: {place!r} is no place of watcher {path}")
            position.watchers[path] = place


def _read_clock(position: b.Position, text: str) -> None:
    numbers = split("clock", text, ":", 3)
    position.idle, position.passes, position.played = (
        _number(number, "clock") for number in numbers
    )
    # While the game runs none of the counters can have reached the number that ends it.
    running = position.seat != b.OVER
    if (
        position.idle > b.IDLE_TO_END - running
        or position.passes > b.PASSES_TO_END - running
        or position.played > b.MOST_ACTIONS - running
    ):
        raise ValueError(f"clock: a number of {text!r} is too high")


def _check_material(position: b.Position) -> None:
    """Refuse more pieces than the game has; fewer are read."""
    for player in b.PLAYERS:
        number = position.in_play(player) + position.home[player] + position.captives[1 - player]
        if number > b.ELEPHANTS:
            raise ValueError(f"board, areas, home, captives: {number} elephants of player {player}")
        if position.burnt_left[player] > b.BURNT_LOGS:
            raise ValueError(f"burnt: player {player} has more than {b.BURNT_LOGS} burnt logs")
    if len(position.logs) + sum(position.held) > b.BEIGE_LOGS:
        raise ValueError(f"board, held: more than {b.BEIGE_LOGS} beige logs")
    if len(position.burnt) + sum(position.burnt_left) > 2 * b.BURNT_LOGS:
        raise ValueError(f"board, burnt: more than {2 * b.BURNT_LOGS} burnt logs")
    if any(position.is_third_in_line(field) for field in position.burnt):
        raise ValueError("board: three burnt logs in a line")


def _number(text: str, name: str) -> int:
    # No number of a position has more than three digits.
    if not re.fullmatch(r"0|[1-9][0-9]{0,2}", text):
        raise ValueError(f"{name}: {text[:9]!r} is no number without leading zeros, or too high")
    return int(text)


# --- The option with owners and start places of the watchers -------------------------------------


def read_watchers(text: str) -> list[dict[str, str]]:
    """Read the option with the owners and start places: per player the place by path."""
    players = [part.split(",") for part in text.split("/")]
    places: list[dict[str, str]] = [{} for _ in players]
    for player, watchers in enumerate(players):
        for watcher in watchers:
            path, place = watcher[:1], watcher[1:]
            if path not in b.PLACES or len(place) != 1 or place not in b.PLACES[path]:
                raise ValueError(f"watchers: {watcher!r} in {text!r} is no path and place on it")
            places[player][path] = place
    named = sorted(watcher[:1] for watchers in players for watcher in watchers)
    if named != sorted(b.PLACES) or [len(own) for own in places] != [2, 2]:
        raise ValueError(f"watchers: {text!r} must give each player two and each path one watcher")
    return places


def watcher_paths(places: list[dict[str, str]]) -> tuple[str, str]:
    """Return the paths of the watchers of each player in the order of the notation."""
    first, second = ("".join(path for path in b.WRITTEN_ORDER if path in own) for own in places)
    return first, second
