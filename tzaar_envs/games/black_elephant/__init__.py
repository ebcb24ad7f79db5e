"""Black Elephant, Frank Czarnetzki, 2004."""

from collections.abc import Mapping
from typing import Any

from tzaar_envs.core.game import standard_files
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.notation import split_list
from tzaar_envs.core.spec import EndReason, GameSpec, Option
from tzaar_envs.rulebook import page_path

# The paths of the watchers (black elephants), each with its seven places. A player's two watchers
# are written in this order: file watchers, then rank watchers.
PLACES = {"N": "ABCDEFG", "S": "ABCDEFG", "W": "1234567", "E": "1234567"}
PATHS = "".join(PLACES)

# No source states owners and start places; docs/rules/black_elephant.md gives the reasons
# (section 9, decisions 2 and 3).
DEFAULT_WATCHERS = "W4,ND/E4,SD"

# Path and place, as indices, by name.
WATCHERS = {
    path + place: (PATHS.index(path), index)
    for path, places in PLACES.items()
    for index, place in enumerate(places)
}


def encode_watchers(text: str) -> tuple[int, ...]:
    """Return path and place, as indices, of the watchers: player 0's two, then player 1's two.

    The two of a player are in the order of `PATHS`.

    Raises:
        ValueError: Says what is wrong.
    """
    watchers: list[str] = []
    for own in split_list("watchers", text, "/", 2, "players"):
        names = split_list(repr(own), own, ",", 2, "watchers")
        watchers += sorted(names, key=lambda name: PATHS.find(name[:1]))
    if sorted(name[:1] for name in watchers) != sorted(PATHS) or not WATCHERS.keys() >= {*watchers}:
        raise ValueError("every path has one watcher, which is on a place of it")
    return tuple(number for name in watchers for number in WATCHERS[name])


FACINGS = ("north", "east", "south", "west")

PLANES = (
    *(Plane(f"own_{facing}", f"own elephants that face {facing}") for facing in FACINGS),
    *(Plane(f"enemy_{facing}", f"enemy elephants that face {facing}") for facing in FACINGS),
    Plane("logs", "beige logs, also those that share their field with an elephant"),
    Plane("burnt", "burnt logs"),
    Plane("free", "fields without elephant, beige log and burnt log, and not G7"),
    Plane("own_goal", "the observer's goal fields: G1-G6 of player 0, A7-F7 of player 1"),
    Plane("enemy_goal", "the opponent's goal fields"),
    Plane(
        "own_distance",
        "the lines from the field to the observer's goal line: for player 0, 6 on file A to 0 on "
        "file G; for player 1, 6 on rank 1 to 0 on rank 7",
        high=6,
    ),
    Plane("enemy_distance", "the same to the opponent's goal line", high=6),
    Plane(
        "own_watch_1",
        "the seven fields (G7 too) of the file or rank that the observer's first watcher watches; "
        "a player's first watcher is the first one in the notation, by default the file watcher",
    ),
    Plane("own_watch_2", "the same for the observer's second watcher, by default the rank watcher"),
    Plane("enemy_watch_1", "the same for the opponent's first watcher"),
    Plane("enemy_watch_2", "the same for the opponent's second watcher"),
    Plane("danger", "the danger fields (G7 too): file and rank are watched"),
    Plane(
        "own_threat",
        "the danger fields, and the fields (G7 too) that the observer could make danger fields by "
        "one WATCH, paid with the logs that it holds, if it were its turn",
    ),
    Plane("enemy_threat", "the same for the opponent"),
    Plane("own_area_west", "everywhere the own elephants in the West area", high=10),
    Plane("own_area_south", "everywhere the own elephants in the South area", high=10),
    Plane("enemy_area_west", "everywhere the enemy elephants in the West area", high=10),
    Plane("enemy_area_south", "everywhere the enemy elephants in the South area", high=10),
    Plane("own_held", "everywhere the beige logs that the observer holds", high=48),
    Plane("enemy_held", "everywhere the beige logs that the opponent holds", high=48),
    Plane("own_burnt", "everywhere the burnt logs that the observer has left", high=3),
    Plane("enemy_burnt", "everywhere the burnt logs that the opponent has left", high=3),
    Plane("own_home", "everywhere the own elephants that are home", high=10),
    Plane("enemy_home", "everywhere the enemy elephants that are home", high=10),
    Plane("own_captives", "everywhere the enemy elephants that the observer holds", high=10),
    Plane("enemy_captives", "everywhere the own elephants that the opponent holds", high=10),
    Plane(
        "own_points",
        "everywhere held + 2 * captives + 3 * home of the observer, without the rule for ties",
        high=98,
    ),
    Plane("enemy_points", "everywhere the same of the opponent", high=98),
    Plane("logs_left", "everywhere the number of beige logs on the board", high=48),
    Plane("to_move", "everywhere 1 if the observer is to move, 0 when the game is over"),
    Plane("starter", "everywhere 1 if the observer is player 0, who loses a tie"),
    Plane("passes", "everywhere the number of PASS actions in a row", high=2),
    Plane("idle", "everywhere the actions since the last progress", high=60),
    Plane("plies_div_4", "everywhere the actions played, divided by 4 and rounded down", high=125),
    Plane("plies_mod_4", "everywhere the remainder of that division", high=3),
)

ACTIONS = (
    ActionBlock(
        "move",
        "plane = destination - start as (files, ranks), in the order (0,1) (1,0) (0,-1) (-1,0) "
        "(0,2) (1,1) (2,0) (1,-1) (0,-2) (-1,-1) (-2,0) (-1,1) (0,3) (1,2) (2,1) (3,0) (2,-1) "
        "(1,-2) (0,-3) (-1,-2) (-2,-1) (-3,0) (-2,1) (-1,2); cell = the start (A1 0, B1 1, ... "
        "G7 48)",
        planes=24,
    ),
    ActionBlock("exit", "into the start area that the elephant faces; cell = the start", planes=1),
    ActionBlock(
        "jump",
        "plane = the new facing of the jumped elephant, 0 n, 1 e, 2 s, 3 w; cell = the jumper",
        planes=4,
    ),
    ActionBlock(
        "enter",
        "plane = 0 from the West area onto file A, 1 from the South area onto rank 1; cell = the "
        "target",
        planes=2,
    ),
    ActionBlock(
        "watch",
        "cell = 7 * the new place of the own second watcher + that of the first (by default rank "
        "and file)",
        planes=1,
    ),
    ActionBlock("burn", "cell = where the burnt log goes", planes=1),
    ActionBlock("pass", "legal if there is no other action", planes=1, on_board=False),
)


def _layout(options: Mapping[str, Any]) -> Layout:
    return Layout(
        seat_names=("West", "South"),
        board_shape=(7, 7),
        planes=PLANES,
        actions=ACTIONS,
        max_plies=500,
    )


SPEC = GameSpec(
    name="black_elephant",
    version=0,
    title="Black Elephant",
    summary="Lead elephants across, collect logs, and lure the enemy under the watchers' eyes.",
    options=(
        Option(
            "watchers",
            str,
            DEFAULT_WATCHERS,
            "the watchers of player 0, then those of player 1, each as its path and its place",
            encoder=encode_watchers,
            syntax="two watchers for each player, like 'W4,ND/E4,SD': a path W, E, N or S with a "
            "place, 1-7 on W and E, A-G on N and S; every path exactly once",
            examples=("W4,E4/ND,SD",),
        ),
    ),
    layout=_layout,
    score_unit=10.0,  # about the mean lead at the end of a random game
    end_reasons=(
        EndReason("logs", "No beige log is left on the board."),
        EndReason("elephants", "A player has no elephant left in play."),
        EndReason("passes", "Both players passed."),
        EndReason("no_progress", "The last 60 actions brought no progress."),
    ),
    ladder=(
        "random",
        "greedy",
        "reference",
        "mcts:simulations=50",
        "mcts:simulations=200",
        "mcts:policy=reference",
        "alphabeta:ms=100,policy=reference",
    ),
    rules_page=page_path("black_elephant"),
    **standard_files(__name__),
)
