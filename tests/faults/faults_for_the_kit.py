# ruff: noqa: E501 - the texts are as long as the lines of the code
"""Faults that the compliance kit should find: broken promises, in a third-party game and in ours.

Wrong rules that keep every promise are none of them: only another source of the rules shows those.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KitFault:
    """One mistake, in a copy of a game's package.

    Attributes:
        name: unique; it begins with what finds it.
        file: of the package.
        old: the text that is replaced, which occurs once; empty: the new text comes at the end.
        new: the text in its place.
        why: what the mistake is.
        package: of the game.
        compiled: whether it shows only when the game is compiled.
    """

    name: str
    file: str
    old: str
    new: str
    why: str
    package: str = "connect_four"
    compiled: bool = False

    @property
    def check(self) -> str:
        """The check that finds it."""
        return self.name.partition("-")[0]


_SPEC = "__init__.py"
_RULES = "rules.py"
_HAS_ROOM = "state[STATUS] == RUNNING and state[BOARD.start + column] == 0"
_SYMMETRIES = """import numpy as np
from tzaar_envs.authoring import Symmetry, identity, plane_table

def symmetries(layout):
    cells = np.arange(42).reshape(6, 7)[:, ::-1].ravel()
    mirrored = plane_table(np.arange(3), cells)
    return (identity(layout), Symmetry("mirrored", layout, mirrored, ACTIONS))
"""
_NOTED = "\n\ndef parse_action(state, text):\n    return int(text[-1])\n"

CONNECT_FOUR = (
    KitFault(
        "description-name",
        _SPEC,
        'name="connect_four"',
        'name="Connect Four"',
        "the name is no identifier",
    ),
    KitFault(
        "description-default",
        _SPEC,
        "options=()",
        'options=(__import__("tzaar_envs").authoring.Option("rows", int, 9, "", maximum=6),)',
        "the default of an option is not allowed",
    ),
    KitFault(
        "description-planes-of-one-name",
        _SPEC,
        'Plane("enemy"',
        'Plane("own"',
        "two planes have the same name",
    ),
    KitFault(
        "description-high",
        _SPEC,
        '"the enemy\'s stones"',
        '"the enemy\'s stones", high=200',
        "a plane goes beyond int8",
    ),
    KitFault(
        "description-no-board",
        _SPEC,
        "board_shape=(6, 7)",
        "board_shape=(42,)",
        "the board has one dimension",
    ),
    KitFault(
        "loading-lambda",
        _SPEC,
        "layout=_layout",
        "layout=lambda options: _layout(options)",
        "the spec cannot be pickled",
        compiled=True,
    ),
    KitFault(
        "loading-no-decorator",
        _RULES,
        "@compiled\ndef apply",
        "def apply",
        "a function of the kernel is not decorated",
        compiled=True,
    ),
    KitFault(
        "loading-no-decorator-of-a-helper",
        _RULES,
        "@compiled\ndef update_status",
        "def update_status",
        "a function that the kernel calls is not decorated",
        compiled=True,
    ),
    KitFault(
        "uncompiled-type-error",
        _RULES,
        "out[PLANE.to_act * CELLS + cell] = state[SEAT] == seat",
        "out[PLANE.to_act * CELLS + cell] = state.seat == seat",
        "a word is read as an attribute",
        compiled=True,
    ),
    KitFault(
        "uncompiled-no-count",
        _RULES,
        "    return count\n",
        "",
        "`legal` returns nothing",
        compiled=True,
    ),
    KitFault(
        "uncompiled-arguments",
        _RULES,
        "def apply(state: StateArray, action: int, rng: RngState)",
        "def apply(state: StateArray, action: int)",
        "`apply` takes no generator",
        compiled=True,
    ),
    KitFault(
        "uncompiled-state-size",
        _RULES,
        "STATE_SIZE = WINNER + 1",
        "STATE_SIZE = WINNER",
        "the state is one word too short",
        compiled=True,
    ),
    KitFault(
        "uncompiled-missing-plane",
        _SPEC,
        "planes=PLANES,",
        "planes=PLANES[:2],",
        "the layout lacks a plane that is written",
        compiled=True,
    ),
    KitFault(
        "uncompiled-missing-action",
        _SPEC,
        "planes=7, on_board",
        "planes=6, on_board",
        "the layout lacks an action",
        compiled=True,
    ),
    KitFault(
        "uncompiled-line-too-many",
        _RULES,
        "range(LINES.shape[0])",
        "range(LINES.shape[0] + 1)",
        "a constant table is read beyond its end",
        compiled=True,
    ),
    KitFault(
        "masks-hides-a-column",
        _RULES,
        "for column in range(COLUMNS):\n        if state[STATUS]",
        "for column in range(COLUMNS - 1):\n        if state[STATUS]",
        "a legal action is hidden",
    ),
    KitFault(
        "masks-hides-high-columns",
        _RULES,
        _HAS_ROOM,
        "state[STATUS] == RUNNING and state[BOARD.start + COLUMNS + column] == 0",
        "the last place of a column is hidden",
    ),
    KitFault(
        "masks-allows-full-columns",
        _RULES,
        _HAS_ROOM,
        "state[STATUS] == RUNNING",
        "an illegal action is allowed",
    ),
    KitFault(
        "masks-lists-one-twice",
        _RULES,
        "actions[count] = column",
        "actions[count] = min(column, 5)",
        "an action is listed twice",
    ),
    KitFault(
        "masks-after-the-end",
        _RULES,
        _HAS_ROOM,
        "state[BOARD.start + column] == 0",
        "actions are legal after the end",
    ),
    KitFault(
        "masks-second-player-stuck",
        _RULES,
        _HAS_ROOM,
        f"{_HAS_ROOM} and state[SEAT] == 0",
        "a player has no legal action",
    ),
    KitFault(
        "masks-changes-the-state",
        _RULES,
        "    count = 0\n",
        "    count = 0\n    state[WINNER] = 5\n",
        "`legal` changes the state",
    ),
    KitFault(
        "end-no-draw",
        _RULES,
        " or (board[:COLUMNS] > 0).all()",
        "",
        "a game with a full board goes on",
        compiled=True,
    ),
    KitFault(
        "masks-everybody-acts",
        _RULES,
        "",
        "\n\n@compiled\ndef acting(state, out):\n    out[:] = state[STATUS] == RUNNING\n",
        "both players choose at once",
    ),
    KitFault(
        "play-action-out-of-range",
        _RULES,
        "actions[count] = column",
        "actions[count] = column + 1",
        "an action is written that does not exist",
    ),
    KitFault(
        "notation-same-player-again",
        _RULES,
        "    state[SEAT] = 1 - state[SEAT]\n    update_status",
        "    update_status",
        "the turn does not pass on",
    ),
    KitFault(
        "notation-stone-of-the-enemy",
        _RULES,
        "state[cell] = 1 + state[SEAT]",
        "state[cell] = 2 - state[SEAT]",
        "an action places a stone of the enemy",
    ),
    KitFault(
        "notation-floating-stone",
        _RULES,
        "while state[cell] > 0:",
        "while state[cell] > 0 or cell == BOARD.stop - COLUMNS:",
        "a stone stays above an empty cell",
    ),
    KitFault(
        "notation-not-judged",
        _RULES,
        'stones")\n    update_status(state)',
        'stones")',
        "a position that is read is never over",
    ),
    KitFault(
        "notation-refuses-positions",
        _RULES,
        "first - second != state[SEAT]",
        "first - second == state[SEAT]",
        "positions that occur are refused",
    ),
    KitFault(
        "notation-symbols",
        _RULES,
        'symbols=".xo"',
        'symbols=".x"',
        "a value has no symbol",
    ),
    KitFault(
        "notation-half-the-board",
        _RULES,
        'Field("board", BOARD,',
        'Field("board", slice(HEADER, HEADER + 35),',
        "a row is not part of the notation",
    ),
    KitFault(
        "notation-one-name",
        _RULES,
        "",
        '\n\ndef format_action(state, action):\n    return "drop 3"\n',
        "all actions have the same name",
    ),
    KitFault(
        "notation-off-by-one",
        _RULES,
        "",
        '\n\ndef format_action(state, action):\n    return f"{action + 1}"\n' + _NOTED,
        "the name of an action is read as another one",
    ),
    KitFault(
        "notation-accepts-anything",
        _RULES,
        "",
        '\n\ndef format_action(state, action):\n    return f"drop {action}"\n' + _NOTED,
        "a garbled action raises what it likes",
    ),
    KitFault(
        "chance-undeclared",
        _RULES,
        "    state[:] = 0\n    update_status(state)",
        "    state[:] = 0\n    state[SEAT] = rng[0] % np.uint64(2)\n    update_status(state)",
        "the first player is drawn, but chance is not declared",
    ),
    KitFault(
        "chance-global-generator",
        _RULES,
        "cell = BOARD.stop - COLUMNS + action",
        "cell = BOARD.stop - COLUMNS + (action if np.random.random() < 0.7 else 6 - action)",
        "an action depends on a global generator",
    ),
    KitFault(
        "chance-old-words",
        _RULES,
        "    state[:] = 0\n    update_status(state)",
        "    state[SEAT] = 0\n    update_status(state)",
        "the start position keeps words of the game before",
    ),
    KitFault(
        "observations-high",
        _RULES,
        "= state[BOARD.start + cell] == 1 + seat",
        "= 2 * (state[BOARD.start + cell] == 1 + seat)",
        "an observation is above its high",
    ),
    KitFault(
        "observations-negative",
        _RULES,
        "= state[BOARD.start + cell] == 2 - seat",
        "= -1 * (state[BOARD.start + cell] == 2 - seat)",
        "an observation is below 0",
    ),
    KitFault(
        "observations-unwritten",
        _RULES,
        "        out[PLANE.to_act * CELLS + cell] = state[SEAT] == seat\n",
        "        if state[SEAT] == seat:\n            out[PLANE.to_act * CELLS + cell] = 1\n",
        "a plane is not always written",
    ),
    KitFault(
        "observations-changes-the-state",
        _RULES,
        '    """Write the three planes."""\n',
        '    """Write the three planes."""\n    state[WINNER] = 7\n',
        "`observe` changes the state",
    ),
    KitFault(
        "results-too-large",
        _RULES,
        "    share_win(state[WINNER], out)\n",
        "    share_win(state[WINNER], out)\n    out *= 2\n",
        "the winner gets 2",
    ),
    KitFault(
        "results-before-the-end",
        _RULES,
        "    share_win(state[WINNER], out)\n",
        "    share_win(state[WINNER], out)\n    if state[STATUS] == RUNNING:\n        out[0] = 0.1\n        out[1] = -0.1\n",
        "there is a return while the game runs",
    ),
    KitFault(
        "results-both-win",
        _RULES,
        "    share_win(state[WINNER], out)\n",
        "    share_win(state[WINNER], out)\n    out[:] = np.abs(out)\n",
        "both players win",
    ),
    KitFault(
        "results-evaluation-too-large",
        _RULES,
        "",
        "\n\n@compiled\ndef evaluate(state, seat):\n    return 3.0\n",
        "the evaluation is 3",
    ),
    KitFault(
        "results-evaluation-of-the-end",
        _RULES,
        "",
        "\n\n@compiled\ndef evaluate(state, seat):\n    return 0.5\n",
        "the evaluation is not exact at the end",
    ),
    KitFault(
        "results-infinite-scores",
        _RULES,
        "",
        "\n\n@compiled\ndef scores(state, out):\n    out[:] = np.inf\n",
        "scores are infinite",
    ),
    KitFault(
        "end-max-plies",
        _SPEC,
        "max_plies=42",
        "max_plies=20",
        "a game is longer than max_plies",
    ),
    KitFault(
        "end-truncated",
        _RULES,
        "TERMINATED if is_over",
        "2 if is_over",
        "a game that is won counts as truncated",
    ),
    KitFault(
        "end-unknown-reason",
        _RULES,
        "",
        '\n\ndef end_code(state):\n    return "four"\n',
        "the reason of the end is not one of the spec",
    ),
    KitFault(
        "hidden_information-undeclared",
        _RULES,
        "",
        "\n\n@compiled\ndef determinize(state, seat, rng):\n    state[WINNER] = 1\n\n\nfrom tzaar_envs.core.kernel import empty_scene as scene\n",
        "`determinize` changes a game that hides nothing",
    ),
    KitFault(
        "drawing-nothing",
        _RULES,
        "",
        "\n\nfrom tzaar_envs.core.kernel import empty_scene as scene\n",
        "the drawing is empty",
    ),
    KitFault(
        "drawing-fails-at-the-end",
        _RULES,
        "",
        '\n\ndef scene(state, view):\n    return {RUNNING: "picture"}[int(state[STATUS])]\n',
        "a finished game cannot be drawn",
    ),
    KitFault(
        "symmetries-actions-stay",
        "symmetries.py",
        "",
        _SYMMETRIES.replace("ACTIONS", "np.arange(7)"),
        "the board is mirrored, but the actions are not",
    ),
    KitFault(
        "symmetries-no-permutation",
        "symmetries.py",
        "",
        _SYMMETRIES.replace("ACTIONS", "np.array([6, 5, 4, 3, 2, 1, 1])"),
        "two actions have the same image",
    ),
)

OURS = (
    KitFault(
        "hidden_information-sees-a-choice",
        "features.py",
        "state[b.CHOICE.start + seat]",
        "state[b.CHOICE.start + (seat + 1) % state[b.PLAYERS]]",
        "the observation shows the next player's hidden choice",
        "twenty_one",
    ),
    KitFault(
        "hidden_information-sees-the-bag",
        "features.py",
        "fill(out, PLANE.unseen + value - 1, unseen)",
        "fill(out, PLANE.unseen + value - 1, state[b.BAG.start + value])",
        "the observation shows the bag, and so the other hands",
        "zatre",
    ),
    KitFault(
        "masks-all-act",
        "rules.py",
        "out[seat] = state[b.CHOICE][seat] == b.NONE",
        "out[seat] = 1",
        "players that have chosen are asked again",
        "twenty_one",
    ),
    KitFault(
        "end-elephant-cap",
        "rules.py",
        "elif state[b.PLIES] >= b.MAX_PLIES:",
        "elif state[b.PLIES] >= b.MAX_PLIES - 300:",
        "the move cap comes too early",
        "black_elephant",
    ),
    KitFault(
        "notation-tzaar-full-material",
        "notation.py",
        "if total > _PIECES_OF_A_COLOUR:",
        "if total >= _PIECES_OF_A_COLOUR:",
        "positions with all pieces of a colour are refused",
        "tzaar",
    ),
    KitFault(
        "observations-turm-occurrences",
        "features.py",
        "state[b.OCCURRENCES] - 1)",
        "state[b.OCCURRENCES] + 2)",
        "the plane of repetitions is above its high",
        "turm_und_waechter",
    ),
)

FAULTS = (*CONNECT_FOUR, *OURS)
