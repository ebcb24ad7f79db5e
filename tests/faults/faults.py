# ruff: noqa: E501 - the texts are as long as the lines of the code
"""The planted faults: small edits that turn right code into wrong code.

Each one is a mistake that somebody could make. A fault is found by its text, not by a line number,
so code may move freely. Where code is reworded, its fault needs the new wording: `plant.py --check`
says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

Edit = tuple[str, str]


@dataclass(frozen=True)
class Fault:
    """One mistake.

    Attributes:
        name: unique.
        suite: which tests should notice, a key of `SUITES`.
        within: a part of the path of the file to edit.
        edits: `(old, new)` texts, of which the first whose old text occurs exactly once is planted;
            several where trees word the same code differently.
        why: what the mistake is, for the report.
    """

    name: str
    suite: str
    within: str
    edits: tuple[Edit, ...]
    why: str


@dataclass(frozen=True)
class Suite:
    """The tests that should notice a fault in one part of the code.

    Attributes:
        paths: files and folders below `tests/`, cheap ones first; other trees may lack some.
        keyword: `-k` of pytest, empty for all tests there.
        compiled: False runs with `NUMBA_DISABLE_JIT=1`.
        earlier: where the same tests are in trees from before they moved.
    """

    paths: tuple[str, ...]
    keyword: str = ""
    compiled: bool = True
    earlier: tuple[str, ...] = ()

    def paths_in(self, tests: Path) -> list[str]:
        """Return those of all paths that a folder of tests has."""
        return [path for path in (*self.earlier, *self.paths) if (tests / path).exists()]


def _game_suite(name: str) -> Suite:
    return Suite(
        (
            f"games/{name}",
            "playthroughs",
            "games/test_perft.py",
            "games/test_observations.py",
            "games/test_agreement.py",
            "games/test_playouts.py",
            "core/test_state.py",
            "core/test_rewards.py",
            "core/test_hidden_information.py",
            "games/test_symmetry.py",
        ),
        name,
        earlier=(f"games/test_{name}.py",),
    )


SUITES = {
    "tzaar": _game_suite("tzaar"),
    "zatre": _game_suite("zatre"),
    "twenty_one": _game_suite("twenty_one"),
    "black_elephant": _game_suite("black_elephant"),
    "turm_und_waechter": _game_suite("turm_und_waechter"),
    # Every game would be compiled again for an edit in `core` or `jit`, which takes longer than to
    # run these tests uncompiled.
    "rewards": Suite(("core/test_rewards.py",), compiled=False),
    "masks": Suite(("core/test_masks.py", "core/test_state.py"), "tzaar or test_masks", False),
    "state": Suite(("core/test_state.py", "core/test_chance.py"), "twenty_one or zatre", False),
    "options": Suite(("core/test_spec.py", "test_registry.py")),
    "symmetry": Suite(("games/test_symmetry.py", "games/test_symmetry_tables.py"), "tzaar", False),
    "rng": Suite(("jit/test_rng.py", "core/test_chance.py"), "", False, ("core/test_rng.py",)),
    "compile": Suite(("jit/test_compile.py",), earlier=("core/test_compile.py",)),
    "batch": Suite(("envs/test_vector_env.py",), "tzaar", False, ("core/test_vector_env.py",)),
    "aec": Suite(
        ("envs/test_env.py", "envs/test_pettingzoo.py", "core/test_rewards.py"),
        earlier=("core/test_env.py", "core/test_pettingzoo.py"),
    ),
    "parallel": Suite(("envs/test_parallel_env.py",), earlier=("core/test_parallel_env.py",)),
    "vector": Suite(("envs/test_vector_env.py",), earlier=("core/test_vector_env.py",)),
    "wrappers": Suite(("wrappers",)),
    "mcts": Suite(("search/test_mcts.py", "agents/test_agents.py")),
    "alphabeta": Suite(("search/test_alphabeta.py", "agents/test_agents.py")),
    "agents": Suite(("agents", "policies")),
    "arena": Suite(("statistics", "records", "arena")),
    "files": Suite(
        ("records", "play", "policies", "training/test_parts.py"),
        earlier=("test_play.py", "agents/test_policy.py"),
    ),
    "training": Suite(
        ("training/test_replay.py", "training/test_parts.py", "training/test_alphazero.py")
    ),
}

FAULTS = (
    # Tzaar.
    Fault(
        "tzaar-equal-heights",
        "tzaar",
        "games/tzaar/",
        (("enemies & (lead >= 0)", "enemies & (lead > 0)"),),
        "stacks cannot capture stacks of the same height",
    ),
    Fault(
        "tzaar-capture-grows",
        "tzaar",
        "games/tzaar/",
        (
            (
                "state[HEIGHT.start + target] = state[HEIGHT.start + point]",
                "state[HEIGHT.start + target] += state[HEIGHT.start + point]",
            ),
        ),
        "a captured stack stays under the capturing one",
    ),
    Fault(
        "tzaar-stack-does-not-grow",
        "tzaar",
        "games/tzaar/",
        (
            (
                "state[HEIGHT.start + target] += state[HEIGHT.start + point]",
                "state[HEIGHT.start + target] = state[HEIGHT.start + point]",
            ),
        ),
        "stacking keeps the height of the upper stack",
    ),
    Fault(
        "tzaar-stacks-in-first-action",
        "tzaar",
        "games/tzaar/",
        (("may_stack = state[PHASE] == ACTION_2", "may_stack = state[PHASE] != OPENING"),),
        "stacking and passing are allowed in the first action of a turn",
    ),
    Fault(
        "tzaar-opening-of-two",
        "tzaar",
        "games/tzaar/",
        (
            (
                "elif state[PHASE] == ACTION_1:\n        state[PHASE] = ACTION_2",
                "elif state[PHASE] == ACTION_1 or state[PHASE] == OPENING:\n"
                "        state[PHASE] = ACTION_2",
            ),
        ),
        "the opening turn has two actions",
    ),
    Fault(
        "tzaar-two-types-suffice",
        "tzaar",
        "games/tzaar/",
        (
            (
                "if state[tops] == 0 or state[tops + 1] == 0 or state[tops + 2] == 0:",
                "if state[tops] == 0 or state[tops + 1] == 0:",
            ),
        ),
        "losing all Totts does not lose the game",
    ),
    Fault(
        "tzaar-capture-by-anybody",
        "tzaar",
        "games/tzaar/",
        (("if starts & state[STACKS.start + state[SEAT]] == 0:", "if starts == 0:"),),
        "a side without a capture loses only if the other has none either",
    ),
    Fault(
        "tzaar-stale-lines",
        "tzaar",
        "games/tzaar/",
        (
            (
                "relate(state, axis, behind(state[TURNED], axis, point), "
                "ahead(stacks, axis, point))",
                "relate(state, axis, 0, 0)",
            ),
        ),
        "stacks that meet over a vacated point do not see each other",
    ),
    Fault(
        "tzaar-covered-types-count",
        "tzaar",
        "games/tzaar/",
        (
            (
                "state[TOPS.start + top_index(met)] -= 1",
                "state[TOPS.start + top_index(met)] -= kind * met < 0",
            ),
        ),
        "a type that was covered by stacking still counts",
    ),
    Fault(
        "tzaar-empty-reserve",
        "tzaar",
        "games/tzaar/",
        (("+ piece] > 0:", "+ piece] >= 0:"),),
        "pieces that the reserve lacks can be placed",
    ),
    Fault(
        "tzaar-plane-of-height-5",
        "tzaar",
        "games/tzaar/",
        (("min(height, TALLEST) - 1", "min(height, TALLEST - 1) - 1"),),
        "the plane of heights of 5 and more stays empty",
    ),
    Fault(
        "tzaar-reserve-planes-swapped",
        "tzaar",
        "games/tzaar/",
        (
            (
                "IN_RESERVE + piece, state[RESERVE.start + 3 * seat + piece]",
                "IN_RESERVE + piece, state[RESERVE.start + 3 * (1 - seat) + piece]",
            ),
            (
                "PLANE.own_reserve_tzaar + piece, CELLS, state[own + piece]",
                "PLANE.own_reserve_tzaar + piece, CELLS, state[enemy + piece]",
            ),
        ),
        "the plane of the own reserve shows the enemy's",
    ),
    Fault(
        "tzaar-no-full-material",
        "tzaar",
        "games/tzaar/",
        (("if total > _PIECES_OF_A_COLOUR:", "if total >= _PIECES_OF_A_COLOUR:"),),
        "positions with all pieces of a colour are refused",
    ),
    Fault(
        "tzaar-two-texts-of-a-height",
        "tzaar",
        "games/tzaar/",
        (
            ('(digits[0] == "0" or int(digits) == 1)', 'digits[0] == "0"'),
            ('not found or found[2] == "1"', "not found"),
        ),
        "a height of 1 may be written",
    ),
    # Zatre.
    Fault(
        "zatre-nine-scores-at-once",
        "zatre",
        "games/zatre/",
        (
            (
                "loaded(state, word, LOWEST_SCORE - 1 - value)",
                "loaded(state, word, LOWEST_SCORE - value)",
            ),
        ),
        "a placement that makes 10 on a light cell is taken for one that does not score",
    ),
    Fault(
        "zatre-crosses-everywhere",
        "zatre",
        "games/zatre/",
        (("crosses += scores_once and IS_LIGHT[cell]", "crosses += scores_once"),),
        "dark cells give crosses too",
    ),
    Fault(
        "zatre-one-row-too-many-doubled",
        "zatre",
        "games/zatre/",
        (("return 2 * value if row < state[", "return 2 * value if row <= state["),),
        "a cross doubles the row below it as well",
    ),
    Fault(
        "zatre-bonus-steps",
        "zatre",
        "games/zatre/",
        (("min(6, 3 + row // 4)", "min(6, 3 + row // 5)"),),
        "the printed bonus rises every five rows",
    ),
    Fault(
        "zatre-draws-two",
        "zatre",
        "games/zatre/",
        (
            (
                "elif not can_lay(state, seat):\n            draw_tiles(state, seat, 1, rng)",
                "elif not can_lay(state, seat):\n            draw_tiles(state, seat, 2, rng)",
            ),
        ),
        "a player who cannot lay draws two tiles",
    ),
    Fault(
        "zatre-ends-early",
        "zatre",
        "games/zatre/",
        (("while bag_size(state) > 0:", "while bag_size(state) > 1:"),),
        "the game ends with one tile in the bag",
    ),
    Fault(
        "zatre-tiles-cost-one",
        "zatre",
        "games/zatre/",
        (("out[seat] -= value * number_of(", "out[seat] -= number_of("),),
        "tiles left over cost one point each",
    ),
    Fault(
        "zatre-may-strand",
        "zatre",
        "games/zatre/",
        (("return count if kept == 0 else kept", "return count"),),
        "placements that strand the other tiles stay legal",
    ),
    Fault(
        "zatre-strand-shortcut",
        "zatre",
        "games/zatre/",
        (("if second_places > CELLS_CHANGED:", "if second_places > 1:"),),
        "the shortcut of the stranding rule is taken too early",
    ),
    Fault(
        "zatre-line-scored-twice",
        "zatre",
        "games/zatre/",
        (("if is_first_of_turn(state, cell, direction):", "if direction >= 0:"),),
        "a line with two new tiles is entered twice",
    ),
    Fault(
        "zatre-redraw-ignores-pending",
        "zatre",
        "games/zatre/",
        (("while not can_act(state):", "while not can_lay(state, actor):"),),
        "a redrawn hand may be unable to complete the pending line",
    ),
    Fault(
        "zatre-sees-the-bag",
        "zatre",
        "games/zatre/",
        (
            (
                "fill(out, UNSEEN + value - 1, unseen)",
                "fill(out, UNSEEN + value - 1, state[BAG.start + value])",
            ),
            (
                "fill(out, PLANE.unseen + value - 1, unseen)",
                "fill(out, PLANE.unseen + value - 1, state[BAG.start + value])",
            ),
        ),
        "the observation shows the bag, and so the other hands",
    ),
    Fault(
        "zatre-score-plane",
        "zatre",
        "games/zatre/",
        (
            (
                "min(MOST, state[TOTALS.start + other] // 4)",
                "min(MOST, state[TOTALS.start + other] // 3)",
            ),
        ),
        "the plane of the totals has another scale than it says",
    ),
    # Twenty One.
    Fault(
        "twenty-one-no-equal-die",
        "twenty_one",
        "games/twenty_one/rules.py",
        (("if die <= number_at(printed, position):", "if die < number_at(printed, position):"),),
        "a die equal to the printed number cannot be entered",
    ),
    Fault(
        "twenty-one-bonus",
        "twenty_one",
        "games/twenty_one/",
        (("return hits * (hits + 1) // 2", "return hits * hits // 2"),),
        "the bonus for hits is not triangular",
    ),
    Fault(
        "twenty-one-rerolls-ones",
        "twenty_one",
        "games/twenty_one/",
        (("if state[DICE][colour] != ONE:", "if state[DICE][colour] >= ONE:"),),
        "dice that show 1 are rolled again",
    ),
    Fault(
        "twenty-one-always-rerolls",
        "twenty_one",
        "games/twenty_one/",
        (("state[DICE].max() > ONE", "state[DICE].max() >= ONE"),),
        "rolling again is allowed when all dice show 1",
    ),
    Fault(
        "twenty-one-strikes-the-last",
        "twenty_one",
        "games/twenty_one/",
        (
            (
                "marks | STRUCK << MARK_BITS * leftmost_free(marks)",
                "marks | STRUCK << MARK_BITS * (POSITIONS - 1)",
            ),
        ),
        "a strike crosses out the last field, free or not",
    ),
    Fault(
        "twenty-one-last-rows-lost",
        "twenty_one",
        "games/twenty_one/",
        (
            (
                "        if state[ROW][seat] < ROWS:\n            state[SCORE]",
                "        if state[ROW][seat] > ROWS:\n            state[SCORE]",
            ),
        ),
        "unfinished rows do not score at the end",
    ),
    Fault(
        "twenty-one-turn-order",
        "twenty_one",
        "games/twenty_one/",
        (
            (
                "following = (state[ACTIVE] + 1) % state[PLAYERS]",
                "following = (state[ACTIVE] + state[PLAYERS] - 1) % state[PLAYERS]",
            ),
        ),
        "turns pass to the right (the same with two players)",
    ),
    Fault(
        "twenty-one-all-act",
        "twenty_one",
        "games/twenty_one/",
        (("out[seat] = state[CHOICE][seat] == NONE", "out[seat] = 1"),),
        "seats that have chosen are asked again",
    ),
    Fault(
        "twenty-one-uneven-redraw",
        "twenty_one",
        "games/twenty_one/",
        (("below(rng, 2) == 1", "below(rng, 3) == 1"),),
        "hidden choices are not redrawn uniformly",
    ),
    Fault(
        "twenty-one-same-sheet",
        "twenty_one",
        "games/twenty_one/",
        (("            left[sheet] = 0\n", "            left[sheet] = 1\n"),),
        "two seats can be dealt the same sheet",
    ),
    Fault(
        "twenty-one-plane-fits",
        "twenty_one",
        "games/twenty_one/",
        (("free & (die <= number)", "free & (die < number)"),),
        "the observation says that an exact die does not fit",
    ),
    Fault(
        "twenty-one-sees-a-choice",
        "twenty_one",
        "games/twenty_one/features.py",
        (("state[CHOICE.start + seat]", "state[CHOICE.start + (seat + 1) % state[PLAYERS]]"),),
        "the observation shows the next seat's hidden choice",
    ),
    # Black Elephant.
    Fault(
        "elephant-burns-three",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "burnable = free & ~third_cells(state[BURNT_CELLS])",
                "burnable = free",
            ),
        ),
        "three burnt logs in a line are allowed",
    ),
    Fault(
        "elephant-middle-of-three",
        "black_elephant",
        "games/black_elephant/",
        (("cells |= (burnt & burnt >> 2 * step & lowest) << step", "cells |= 0"),),
        "the middle of three burnt logs may be filled last",
    ),
    Fault(
        "elephant-jumps-over-logs",
        "black_elephant",
        "games/black_elephant/",
        (("over = elephant_cells(state) & ~state[LOG_CELLS]", "over = elephant_cells(state)"),),
        "elephants on logs can be jumped over",
    ),
    Fault(
        "elephant-jumps-around-the-edge",
        "black_elephant",
        "games/black_elephant/",
        (("& ~(FILE_G | FILE_G >> 1)", "& ~FILE_G"),),
        "a jump to the east wraps to the next rank",
    ),
    Fault(
        "elephant-collects-backwards",
        "black_elephant",
        "games/black_elephant/",
        (("    if plane == facing:\n        collect(", "    if plane >= 0:\n        collect("),),
        "steps in any direction collect logs",
    ),
    Fault(
        "elephant-passes-its-goal",
        "black_elephant",
        "games/black_elephant/",
        (("may_pass = free & ~GOALS[state[SEAT]]", "may_pass = free"),),
        "an elephant can move on through its own goal line",
    ),
    Fault(
        "elephant-frees-every-time",
        "black_elephant",
        "games/black_elephant/",
        (("if state[HOME + seat] == SEVENTH", "if state[HOME + seat] >= SEVENTH"),),
        "each elephant after the seventh frees a captive too",
    ),
    Fault(
        "elephant-tie",
        "black_elephant",
        "games/black_elephant/",
        (("out[WEST_SEAT] -= 1.0", "out[SOUTH_SEAT] -= 1.0"),),
        "the wrong side loses a point in a tie",
    ),
    Fault(
        "elephant-idle-limit",
        "black_elephant",
        "games/black_elephant/",
        (("or state[IDLE] >= MAX_IDLE", "or state[IDLE] > MAX_IDLE"),),
        "the game goes on for one idle ply too many",
    ),
    Fault(
        "elephant-captor",
        "black_elephant",
        "games/black_elephant/",
        (("state[CAPTIVES + 1 - owner] += 1", "state[CAPTIVES + state[SEAT]] += 1"),),
        "an elephant that walks into danger is its own side's captive",
    ),
    Fault(
        "elephant-passes-add-up",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "state[PASSES] + 1 if action == PASS_ACTION else 0",
                "state[PASSES] + (action == PASS_ACTION)",
            ),
        ),
        "passes count although actions lie between them",
    ),
    Fault(
        "elephant-turns-on-the-line",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "contains(foreign, target) and not contains(foreign, start)",
                "contains(foreign, target) == 1",
            ),
        ),
        "an elephant turns with every move along the foreign goal line",
    ),
    Fault(
        "elephant-longest-game",
        "black_elephant",
        "games/black_elephant/",
        (("elif state[PLIES] >= MAX_PLIES:", "elif state[PLIES] > MAX_PLIES:"),),
        "the move cap comes one ply late",
    ),
    Fault(
        "elephant-burning-is-idle",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "state[BURNT_CELLS] |= 1 << cell\n    state[IDLE] = 0",
                "state[BURNT_CELLS] |= 1 << cell",
            ),
        ),
        "burning a field does not count as progress",
    ),
    Fault(
        "elephant-to-move-after-the-end",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "int(state[STATUS] == RUNNING and state[SEAT] == seat)",
                "int(state[SEAT] == seat)",
            ),
        ),
        "the observation of a finished game says that somebody is to move",
    ),
    Fault(
        "elephant-pays-once",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "abs(to_first - state[first]) + abs(to_second - state[second])",
                "max(abs(to_first - state[first]), abs(to_second - state[second]))",
            ),
        ),
        "moving both watchers costs as much as the longer way",
    ),
    # Turm & Wächter.
    Fault(
        "turm-captures-taller",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (
            (
                "too_tall = state[enemy + stones + 1]",
                "too_tall = state[enemy + stones + 1] & state[enemy + stones + 2]",
            ),
        ),
        "towers capture towers that are one stone taller",
    ),
    Fault(
        "turm-jumps",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (
            (
                "cells &= fewer & shifted(~occupied, -(stones - 1) * step)",
                "cells &= fewer",
            ),
        ),
        "stones move past what they could capture",
    ),
    Fault(
        "turm-draws-late",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (
            (
                "elif state[OCCURRENCES] < DRAW_OCCURRENCES:",
                "elif state[OCCURRENCES] <= DRAW_OCCURRENCES:",
            ),
        ),
        "a position must occur once more for a draw",
    ),
    Fault(
        "turm-stalemate-is-a-draw",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (
            (
                "elif not can_move(state):\n        state[WINNER] = 1 - state[SEAT]",
                "elif not can_move(state):\n        state[WINNER] = NOBODY",
            ),
        ),
        "a side that cannot move draws",
    ),
    Fault(
        "turm-guard-without-key",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (
            (
                "key ^= toggle(state, own, cell) ^ toggle(state, own, target)",
                "key ^= 0 * (toggle(state, own, cell) ^ toggle(state, own, target))",
            ),
        ),
        "positions that differ by the guard count as the same",
    ),
    Fault(
        "turm-history-survives-nothing",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (
            (
                "    if captured:\n        state[HISTORY_LENGTH] = 0",
                "    if not captured:\n        state[HISTORY_LENGTH] = 0",
            ),
        ),
        "positions are forgotten by quiet moves instead of captures",
    ),
    Fault(
        "turm-plane-of-occurrences",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (("state[OCCURRENCES] - 1)", "state[OCCURRENCES])"),),
        "the plane of repetitions counts from 1",
    ),
    Fault(
        "turm-planes-of-towers",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (("cells ^ taller)", "cells)"),),
        "a tower shows in the planes of all lesser heights",
    ),
    Fault(
        "turm-longest-game",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (("state[PLIES] >= MAX_PLIES", "state[PLIES] > MAX_PLIES"),),
        "the move cap comes one ply late",
    ),
    # Core, random numbers, environments.
    Fault(
        "core-winners-do-not-share",
        "rewards",
        "tzaar_envs/core/",
        (("out[seat] = 1.0 / winners", "out[seat] = 1.0"),),
        "several winners get the whole prize each",
    ),
    Fault(
        "core-lead-over-all",
        "rewards",
        "tzaar_envs/core/",
        (("            if other != seat:\n", "            if other != seat or True:\n"),),
        "the best player's lead is over itself",
    ),
    Fault(
        "core-mask-keeps-old-actions",
        "masks",
        "core/masks.py",
        (("    mask[:] = 0\n    count", "    count"),),
        "actions that were legal before stay in the mask",
    ),
    Fault(
        "core-uneven-draw",
        "masks",
        "core/masks.py",
        (("        if left < ones:\n", "        if left <= ones:\n"),),
        "random actions of long masks are not uniform",
    ),
    Fault(
        "core-illegal-spoils-the-state",
        "state",
        "core/state.py",
        (
            (
                "            self._words, self._tape = before, tape_before\n",
                "            self._tape = tape_before\n",
            ),
        ),
        "a refused outcome leaves a changed position",
    ),
    Fault(
        "core-copy-shares-the-board",
        "state",
        "core/state.py",
        (
            (
                "return _rebuild(self.game, self._words.copy(), self._tape)",
                "return _rebuild(self.game, self._words, self._tape)",
            ),
        ),
        "copies of a state share its position",
    ),
    Fault(
        "core-copy-loses-chance",
        "state",
        "core/state.py",
        (
            (
                "    state._tape[:] = tape\n",
                "    state._tape[1:] = tape[1:] + state._tape[1:] * 0\n    state._tape[0] += 2\n",
            ),
        ),
        "copies of a state go on with other chance events",
    ),
    Fault(
        "core-stale-mask",
        "state",
        "core/state.py",
        (
            (
                "self.game.rules.apply(self._words, action, self._tape)\n            self._mask = None",
                "self.game.rules.apply(self._words, action, self._tape)",
            ),
            (
                "self.game.implementation.apply(self._words, action, self._tape)\n            self._mask = None",
                "self.game.implementation.apply(self._words, action, self._tape)",
            ),
        ),
        "legal actions are those of the position before",
    ),
    Fault(
        "core-option-minimum",
        "options",
        "tzaar_envs/core/",
        (("value < self.minimum", "value <= self.minimum"),),
        "the least value of an option is refused",
    ),
    Fault(
        "core-symmetry-inverse",
        "symmetry",
        "core/symmetry.py",
        (("return self._images[actions]", "return self.actions[actions]"),),
        "actions are mapped by the inverse symmetry",
    ),
    Fault(
        "core-tape-forgets-the-rest",
        "rng",
        "rng.py",
        (("if tape[_USED] != tape[_GIVEN]:", "if tape[_USED] > tape[_GIVEN]:"),),
        "outcomes that chance does not need are accepted",
    ),
    Fault(
        "jit-uneven-shuffle",
        "rng",
        "rng.py",
        (("other = between(rng, 0, last)", "other = between(rng, 0, items.size - 1)"),),
        "shuffles are not uniform",
    ),
    Fault(
        "jit-die-without-six",
        "rng",
        "rng.py",
        (("drawn = low + below(rng, high - low + 1)", "drawn = low + below(rng, high - low)"),),
        "the greatest number of a die never comes",
    ),
    Fault(
        "jit-stale-cache",
        "compile",
        "compile.py",
        (
            ("folders = {*_SHARED, folder, ", "folders = {folder, "),
            ('{*_CORE.glob("*.py"), *folder', "{*folder"),
        ),
        "compiled code survives a change of the code that it calls",
    ),
    Fault(
        "env-first-agent-cumulates",
        "aec",
        "tzaar_envs/",
        (
            (
                "            return\n        self._cumulative_rewards[agent] = 0.0\n        if seat == OVER:",
                "            return\n        if seat == OVER:",
            ),
        ),
        "rewards that were collected are not cleared",
    ),
    Fault(
        "env-mask-of-waiting-agent",
        "aec",
        "tzaar_envs/",
        (
            (
                "acts = agent == self.agent_selection and not self.terminations.get(agent, True)",
                "acts = not self.terminations.get(agent, True)",
            ),
        ),
        "agents that wait see the mover's mask",
    ),
    Fault(
        "env-truncation-terminates",
        "aec",
        "tzaar_envs/",
        (
            (
                "self.terminations[agent] = not truncated\n            self.truncations[agent] = truncated",
                "self.terminations[agent] = True\n            self.truncations[agent] = truncated",
            ),
        ),
        "a game that the move cap ends is terminated as well",
    ),
    Fault(
        "env-illegal-costs-everybody",
        "aec",
        "tzaar_envs/",
        (
            (
                "self.rewards = dict.fromkeys(self.agents, 0.0)\n        self.rewards[agent] = ILLEGAL_REWARD",
                "self.rewards = dict.fromkeys(self.agents, ILLEGAL_REWARD)",
            ),
        ),
        "an illegal action costs all agents",
    ),
    Fault(
        "env-parallel-wait",
        "parallel",
        "tzaar_envs/",
        (("masks[seat, -1] = not over", "masks[seat, -1] = 1"),),
        "agents may wait after the end",
    ),
    Fault(
        "env-batch-mover-reward",
        "batch",
        "core/batch.py",
        (
            (
                "games.mover_rewards[row] = games.rewards[row, mover]",
                "games.mover_rewards[row] = games.rewards[row, state[SEAT]]",
            ),
        ),
        "the reward of a step is that of the seat that would be next",
    ),
    Fault(
        "env-batch-player-after-the-end",
        "batch",
        "core/batch.py",
        (
            (
                "games.players[row] = NOBODY if games.over[row] else state[SEAT]",
                "games.players[row] = state[SEAT]",
            ),
        ),
        "finished games of a batch have a player to move",
    ),
    Fault(
        "env-final-observation",
        "vector",
        "tzaar_envs/",
        (("final[row] = batch.observations[row].copy()", "final[row] = batch.observations[row]"),),
        "the last observation of an episode is overwritten by the next game",
    ),
    Fault(
        "env-vector-seeds",
        "vector",
        "tzaar_envs/",
        (
            (
                "return range(int(seed), int(seed) + self.num_envs)",
                "return [int(seed)] * self.num_envs",
            ),
        ),
        "all games of a vector environment have the same seed",
    ),
    # Wrappers.
    Fault(
        "wrapper-two-seats-speaker",
        "wrappers",
        "wrappers/",
        (
            (
                "            self._speaker = agent\n",
                "            self._speaker = self._first_other\n",
            ),
        ),
        "the coalition always sees what its first seat sees",
    ),
    Fault(
        "wrapper-two-seats-illegal",
        "wrappers",
        "wrappers/",
        (("if not self._zero_sum or (terminated and truncated):", "if not self._zero_sum:"),),
        "an illegal action rewards the other side",
    ),
    Fault(
        "wrapper-symmetry-state",
        "wrappers",
        "wrappers/",
        (("action = int(self.symmetry.actions[action])", "action = int(action)"),),
        "actions on the turned board are played on the board as it is",
    ),
    Fault(
        "wrapper-transition-reward",
        "wrappers",
        "wrappers/",
        (("total = env._cumulative_rewards[player]", "total = env._cumulative_rewards[agent]"),),
        "everybody's last transition has the mover's reward",
    ),
    # Search.
    Fault(
        "mcts-one-sided",
        "mcts",
        "search/",
        (
            (
                "tree.edges[edge].total += values[seat]",
                "tree.edges[edge].total += values[path.seats[0]]",
            ),
            (
                "tree.edges[edge].value_sum += values[seat]",
                "tree.edges[edge].value_sum += values[path.seats[0]]",
            ),
        ),
        "all seats are thought to play for the searching one",
    ),
    Fault(
        "mcts-proves-too-much",
        "mcts",
        "search/",
        (
            (
                "if not all_known and tree.edges[best].known < WIN:",
                "if tree.edges[best].known < -WIN:",
            ),
            (
                "if not all_proven and tree.edges[best].proven_value < WIN:",
                "if tree.edges[best].proven_value < -WIN:",
            ),
        ),
        "one losing action proves a loss",
    ),
    Fault(
        "mcts-cheats",
        "mcts",
        "search/",
        (
            ("determinize_of(functions)(state, searcher, rng)", "state[SEAT] = state[SEAT]"),
            ("determinize_of(code)(state, searcher, rng)", "state[SEAT] = state[SEAT]"),
        ),
        "the search looks at what is hidden",
    ),
    Fault(
        "mcts-merges-chance",
        "mcts",
        "search/",
        (("if settings.hidden or rng[0] != before:", "if settings.hidden:"),),
        "all outcomes of chance share one node, which may become proven",
    ),
    Fault(
        "mcts-plays-the-rarest",
        "mcts",
        "search/",
        (
            ("return tries > tree.edges[other].tries", "return tries < tree.edges[other].tries"),
            (
                "return visits > tree.edges[other].visits",
                "return visits < tree.edges[other].visits",
            ),
        ),
        "the least visited action is played",
    ),
    Fault(
        "mcts-ignores-proofs",
        "mcts",
        "search/",
        (
            ("return int(known == 1.0) - int(known == -1.0)", "return 0"),
            ("return int(proven_value == 1.0) - int(proven_value == -1.0)", "return 0"),
        ),
        "a proven win is not preferred to the most visited action",
    ),
    Fault(
        "mcts-no-exploration",
        "mcts",
        "search/",
        (("score = mean + settings.exploration * bonus", "score = mean"),),
        "PUCT does not explore",
    ),
    Fault(
        "mcts-wild-prior",
        "mcts",
        "search/",
        (("tree.edges[edge].prior /= total", "tree.edges[edge].prior /= 1.0"),),
        "priors do not add up to 1",
    ),
    Fault(
        "alphabeta-sign",
        "alphabeta",
        "search/",
        (
            (
                "return value if tree[ply + 1, STATE + SEAT] == tree[ply, STATE + SEAT] else -value",
                "return -value",
            ),
            (
                "return value if stack[ply + 1, STATE + SEAT] == stack[ply, STATE + SEAT] else -value",
                "return -value",
            ),
        ),
        "the sign changes with every ply, also within a turn of two actions",
    ),
    Fault(
        "alphabeta-table-depth",
        "alphabeta",
        "search/",
        (("depth_in(data) >= remaining", "depth_in(data) >= remaining - 1"),),
        "entries of the table are used although they are too shallow",
    ),
    Fault(
        "alphabeta-any-bound",
        "alphabeta",
        "search/",
        (
            (
                "settled |= bound == UPPER and value <= tree[ply, ALPHA]",
                "settled |= bound == UPPER",
            ),
            ("bound == UPPER and value <= stack[ply, ALPHA]", "bound == UPPER"),
        ),
        "an upper bound is taken for the value",
    ),
    Fault(
        "alphabeta-slow-mate",
        "alphabeta",
        "search/",
        (
            (
                "        value += ply\n    elif value < -UNIT:\n        value -= ply\n    store(",
                "        value += 0\n    store(",
            ),
            ("to_table(value, ply),\n        bound", "value,\n        bound"),
        ),
        "the table forgets how far a sure win is from a position",
    ),
    Fault(
        "alphabeta-any-win",
        "alphabeta",
        "search/",
        (("return WIN - ply - 1", "return WIN"),),
        "a late win is as good as an early one",
    ),
    Fault(
        "alphabeta-old-searches",
        "alphabeta",
        "search/",
        (
            (
                "if table[index, KEY] == key and search_in(table[index, DATA]) == search:",
                "if table[index, KEY] == key:",
            ),
        ),
        "earlier searches influence later ones",
    ),
    Fault(
        "greedy-cheats",
        "agents",
        "agents/greedy.py",
        (
            ("determinize_of(functions)(state, state[SEAT], rng)", "rng[0] = rng[0]"),
            ("determinize_of(code)(state, state[SEAT], rng)", "rng[0] = rng[0]"),
        ),
        "greedy looks at what is hidden",
    ),
    Fault(
        "policy-ignores-masks",
        "agents",
        "agents/logits_agent.py",
        (
            (
                "np.where(masks, self.logits(observations, masks), -np.inf)",
                "np.asarray(self.logits(observations, masks), np.float64)",
            ),
        ),
        "a policy plays illegal actions",
    ),
    # Arena.
    Fault(
        "arena-wilson",
        "arena",
        "tzaar_envs/",
        (("centre = (rate + _Z**2 / (2 * n)) / shrink", "centre = (rate + _Z**2 / n) / shrink"),),
        "the centre of Wilson intervals is shifted",
    ),
    Fault(
        "arena-deviation",
        "arena",
        "tzaar_envs/",
        (("array.std(ddof=1)", "array.std(ddof=0)"),),
        "intervals of means are too narrow",
    ),
    Fault(
        "arena-sprt-bounds",
        "arena",
        "tzaar_envs/",
        (
            (
                "math.log(self.beta / (1 - self.alpha))",
                "math.log(self.beta / (1 - self.alpha)) / 2",
            ),
        ),
        "the sequential test accepts the first hypothesis too early",
    ),
    Fault(
        "arena-clusters",
        "arena",
        "tzaar_envs/",
        (("clusters / max(clusters - 1, 1)", "clusters / clusters"),),
        "ratings from few starts are too sure",
    ),
    Fault(
        "arena-no-rotation",
        "arena",
        "arena/",
        (
            ("agents[(seat - rotation) % self.seats]", "agents[seat]"),
            ("agents[(seat - game.rotation) % self.seats]", "agents[seat]"),
        ),
        "results are credited to agents at other seats",
    ),
    Fault(
        "arena-draws-are-wins",
        "arena",
        "arena/",
        (
            (
                "is_other & (returns[:, seat] > returns[:, other])",
                "is_other & (returns[:, seat] >= returns[:, other])",
            ),
        ),
        "draws count as wins too",
    ),
    Fault(
        "arena-forfeit",
        "arena",
        "arena/",
        (
            ("returns = [1 / (seats - 1)] * seats", "returns = [1.0] * seats"),
            (
                "returns = [1 / (seats - 1) if seats > 1 else 0.0] * seats",
                "returns = [1.0 if seats > 1 else 0.0] * seats",
            ),
        ),
        "a forfeit gives every other seat a whole win",
    ),
    Fault(
        "arena-agents-get-the-game",
        "arena",
        "arena/",
        (
            ("[play.state.clone() for play in plays]", "[play.state for play in plays]"),
            ("act_batch([state.clone() for state in states])", "act_batch([*states])"),
        ),
        "agents can change the games that they play",
    ),
    Fault(
        "arena-same-opening",
        "arena",
        "arena/",
        (
            (
                "return range(first, min(first + STARTS_PER_CHUNK, self.starts))",
                "return range(first, first + STARTS_PER_CHUNK)",
            ),
            (
                "end = min(first + STARTS_PER_CHUNK, self.header.games // self.seats)",
                "end = first + STARTS_PER_CHUNK",
            ),
        ),
        "the last chunk has more games than were asked for",
    ),
    Fault(
        "arena-skips-finished",
        "arena",
        "arena/",
        (
            (
                "[game for game in self.plan.games_of(task) if game not in self.finished]",
                "[game for game in self.plan.games_of(task)]",
            ),
            (
                "sum(game not in self.finished for game in self.plan.games_of(task))",
                "len(self.plan.games_of(task))",
            ),
        ),
        "a resumed tournament plays finished games again",
    ),
    Fault(
        "arena-trusts-results",
        "arena",
        "arena/",
        (
            (
                '            raise ValueError(f"its seed is {line.seed}, not {header.seed}")',
                "            pass",
            ),
            (
                '            raise ValueError(f"its seed is {record.seed}, which does not end with {self.seed}")',
                "            pass",
            ),
        ),
        "a results file may hold games of another tournament",
    ),
    Fault(
        "arena-torn-line",
        "arena",
        "tzaar_envs/",
        (
            (
                "            self._file.truncate(self._end)\n            self._kept = len(self.games)",
                "            self._kept = len(self.games)",
            ),
            (
                "        self._file.truncate(self._end)\n        self._kept = len(self.records)",
                "        self._kept = len(self.records)",
            ),
        ),
        "a torn last line stays in a results file that is continued",
    ),
    # Files.
    Fault(
        "files-temporary-stays",
        "files",
        "files.py",
        (("temporary.unlink(missing_ok=True)", "temporary.exists()"),),
        "a failed write leaves its temporary file behind",
    ),
    Fault(
        "files-written-in-place",
        "files",
        "files.py",
        (
            (
                'with temporary.open("wb") as file:',
                'with path.open("wb") as file, temporary.open("wb"):',
            ),
        ),
        "a file is written in place and then replaced by an empty one",
    ),
    Fault(
        "files-policy-of-another-game",
        "agents",
        "tzaar_envs/",
        (
            (
                "    check_fit(card, network, game, path)\n    return network.eval()",
                "    return network.eval()",
            ),
            (
                "network, card = cls.read(path)\n        check_card(card, game, path)\n",
                "network, card = cls.read(path)\n",
            ),
        ),
        "a policy for another game is loaded",
    ),
    Fault(
        "files-policy-shapes",
        "agents",
        "tzaar_envs/",
        (
            (
                "    if expected != found:\n        differing",
                "    if set(expected) != set(found):\n        differing",
            ),
        ),
        "a policy whose tensors have the wrong sizes is loaded",
    ),
    Fault(
        "files-scores-are-believed",
        "files",
        "tzaar_envs/",
        (
            (
                '("scores", last.scores().tolist() if self.scores is not None else None)',
                '("scores", self.scores)',
            ),
            (
                '    if content["scores"] != scores:\n',
                '    if content["scores"] is None and scores is not None:\n',
            ),
        ),
        "the points in a saved game are believed",
    ),
    Fault(
        "files-seats-twice",
        "files",
        "tzaar_envs/",
        (
            ("if not seats or record.agents != saved.record.agents:", "if not seats:"),
            ("if not seats or len(set(seats)) != len(seats):", "if not seats:"),
        ),
        "a saved game may name agents that nobody chose, or a seat twice",
    ),
    Fault(
        "files-replay-checksum",
        "training",
        "training/",
        (
            (
                'placed[slots] = self._records["check"][slots] == _checks(self._records[slots])',
                "placed[slots] = True",
            ),
        ),
        "torn records of a replay buffer are used",
    ),
    Fault(
        "files-replay-ring",
        "training",
        "training/",
        (('(records["number"] - 1) % self.capacity', 'records["number"] % self.capacity'),),
        "the ring of a replay buffer is shifted",
    ),
)
