"""Faults planted in the rules, masks and observations of the games."""

from fault import Fault

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
                "state[b.HEIGHT.start + target] = state[b.HEIGHT.start + point]",
                "state[b.HEIGHT.start + target] += state[b.HEIGHT.start + point]",
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
                "state[b.HEIGHT.start + target] += state[b.HEIGHT.start + point]",
                "state[b.HEIGHT.start + target] = state[b.HEIGHT.start + point]",
            ),
        ),
        "stacking keeps the height of the upper stack",
    ),
    Fault(
        "tzaar-stacks-in-first-action",
        "tzaar",
        "games/tzaar/",
        (("may_stack = state[b.PHASE] == b.ACTION_2", "may_stack = state[b.PHASE] != b.OPENING"),),
        "stacking and passing are allowed in the first action of a turn",
    ),
    Fault(
        "tzaar-opening-of-two",
        "tzaar",
        "games/tzaar/",
        (
            (
                "elif state[b.PHASE] == b.ACTION_1:\n        state[b.PHASE] = b.ACTION_2",
                "elif state[b.PHASE] == b.ACTION_1 or state[b.PHASE] == b.OPENING:\n"
                "        state[b.PHASE] = b.ACTION_2",
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
        (("if starts & state[b.STACKS.start + state[SEAT]] == 0:", "if starts == 0:"),),
        "a side without a capture loses only if the other has none either",
    ),
    Fault(
        "tzaar-stale-lines",
        "tzaar",
        "games/tzaar/",
        (
            (
                "relate(state, axis, behind(state[b.TURNED], axis, point), "
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
                "state[b.TOPS.start + top_index(met)] -= 1",
                "state[b.TOPS.start + top_index(met)] -= kind * met < 0",
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
                "IN_RESERVE + piece, state[b.RESERVE.start + 3 * seat + piece]",
                "IN_RESERVE + piece, state[b.RESERVE.start + 3 * (1 - seat) + piece]",
            ),
            (
                "PLANE.own_reserve_tzaar + piece, b.CELLS, state[own + piece]",
                "PLANE.own_reserve_tzaar + piece, b.CELLS, state[enemy + piece]",
            ),
        ),
        "the plane of the own reserve shows the enemy's",
    ),
    Fault(
        "tzaar-no-full-material",
        "tzaar",
        "games/tzaar/",
        (
            ("if total > _PIECES_OF_A_COLOUR:", "if total >= _PIECES_OF_A_COLOUR:"),
            ("or total > PIECES_OF_A_COLOUR:", "or total >= PIECES_OF_A_COLOUR:"),
        ),
        "positions with all pieces of a colour are refused",
    ),
    Fault(
        "tzaar-any-reserve",
        "tzaar",
        "games/tzaar/",
        (("    check_canonical(FIELDS, text, format_position(state))\n", ""),),
        "a reserve that does not go with the board is read",
    ),
    # Zatre.
    Fault(
        "zatre-nine-scores-at-once",
        "zatre",
        "games/zatre/",
        (
            (
                "loaded(state, word, b.LOWEST_SCORE - 1 - value)",
                "loaded(state, word, b.LOWEST_SCORE - value)",
            ),
        ),
        "a placement that makes 10 on a light cell is taken for one that does not score",
    ),
    Fault(
        "zatre-crosses-everywhere",
        "zatre",
        "games/zatre/",
        (("crosses += scores_once and b.IS_LIGHT[cell]", "crosses += scores_once"),),
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
                "fill(out, UNSEEN + value - 1, state[b.BAG.start + value])",
            ),
            (
                "fill(out, PLANE.unseen + value - 1, unseen)",
                "fill(out, PLANE.unseen + value - 1, state[b.BAG.start + value])",
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
                "min(MOST, state[b.TOTALS.start + other] // 4)",
                "min(MOST, state[b.TOTALS.start + other] // 3)",
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
        (("if state[b.DICE][colour] != b.ONE:", "if state[b.DICE][colour] >= b.ONE:"),),
        "dice that show 1 are rolled again",
    ),
    Fault(
        "twenty-one-always-rerolls",
        "twenty_one",
        "games/twenty_one/",
        (("state[b.DICE].max() > b.ONE", "state[b.DICE].max() >= b.ONE"),),
        "rolling again is allowed when all dice show 1",
    ),
    Fault(
        "twenty-one-strikes-the-last",
        "twenty_one",
        "games/twenty_one/",
        (
            (
                "marks | b.STRUCK << b.MARK_BITS * leftmost_free(marks)",
                "marks | b.STRUCK << b.MARK_BITS * (b.POSITIONS - 1)",
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
                "        if state[b.ROW][seat] < b.ROWS:\n            state[b.SCORE]",
                "        if state[b.ROW][seat] > b.ROWS:\n            state[b.SCORE]",
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
                "following = (state[b.ACTIVE] + 1) % state[b.PLAYERS]",
                "following = (state[b.ACTIVE] + state[b.PLAYERS] - 1) % state[b.PLAYERS]",
            ),
        ),
        "turns pass to the right (the same with two players)",
    ),
    Fault(
        "twenty-one-all-act",
        "twenty_one",
        "games/twenty_one/",
        (("out[seat] = state[b.CHOICE][seat] == b.NONE", "out[seat] = 1"),),
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
        (
            (
                "state[b.CHOICE.start + seat]",
                "state[b.CHOICE.start + (seat + 1) % state[b.PLAYERS]]",
            ),
        ),
        "the observation shows the next seat's hidden choice",
    ),
    # Black Elephant.
    Fault(
        "elephant-burns-three",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "burnable = free & ~third_cells(state[b.BURNT_CELLS])",
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
        (("over = elephant_cells(state) & ~state[b.LOG_CELLS]", "over = elephant_cells(state)"),),
        "elephants on logs can be jumped over",
    ),
    Fault(
        "elephant-jumps-around-the-edge",
        "black_elephant",
        "games/black_elephant/",
        (("& ~(b.FILE_G | b.FILE_G >> 1)", "& ~b.FILE_G"),),
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
        (("may_pass = free & ~b.GOALS[state[SEAT]]", "may_pass = free"),),
        "an elephant can move on through its own goal line",
    ),
    Fault(
        "elephant-frees-every-time",
        "black_elephant",
        "games/black_elephant/",
        (("if state[b.HOME + seat] == b.SEVENTH", "if state[b.HOME + seat] >= b.SEVENTH"),),
        "each elephant after the seventh frees a captive too",
    ),
    Fault(
        "elephant-tie",
        "black_elephant",
        "games/black_elephant/",
        (("out[b.WEST_SEAT] -= 1.0", "out[b.SOUTH_SEAT] -= 1.0"),),
        "the wrong side loses a point in a tie",
    ),
    Fault(
        "elephant-idle-limit",
        "black_elephant",
        "games/black_elephant/",
        (
            ("or state[b.IDLE] >= b.MAX_IDLE", "or state[b.IDLE] > b.MAX_IDLE"),
            ("4 if state[b.IDLE] >= b.MAX_IDLE", "4 if state[b.IDLE] > b.MAX_IDLE"),
        ),
        "the game goes on for one idle ply too many",
    ),
    Fault(
        "elephant-captor",
        "black_elephant",
        "games/black_elephant/",
        (("state[b.CAPTIVES + 1 - owner] += 1", "state[b.CAPTIVES + state[SEAT]] += 1"),),
        "an elephant that walks into danger is its own side's captive",
    ),
    Fault(
        "elephant-passes-add-up",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "state[b.PASSES] + 1 if action == b.PASS_ACTION else 0",
                "state[b.PASSES] + (action == b.PASS_ACTION)",
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
        (("elif state[b.PLIES] >= b.MAX_PLIES:", "elif state[b.PLIES] > b.MAX_PLIES:"),),
        "the move cap comes one ply late",
    ),
    Fault(
        "elephant-burning-is-idle",
        "black_elephant",
        "games/black_elephant/",
        (
            (
                "state[b.BURNT_CELLS] |= 1 << cell\n    state[b.IDLE] = 0",
                "state[b.BURNT_CELLS] |= 1 << cell",
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
                "elif state[b.OCCURRENCES] < b.DRAW_OCCURRENCES:",
                "elif state[b.OCCURRENCES] <= b.DRAW_OCCURRENCES:",
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
                "elif not can_move(state):\n        state[b.WINNER] = 1 - state[SEAT]",
                "elif not can_move(state):\n        state[b.WINNER] = NOBODY",
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
                "    if captured:\n        state[b.HISTORY_LENGTH] = 0",
                "    if not captured:\n        state[b.HISTORY_LENGTH] = 0",
            ),
        ),
        "positions are forgotten by quiet moves instead of captures",
    ),
    Fault(
        "turm-plane-of-occurrences",
        "turm_und_waechter",
        "games/turm_und_waechter/",
        (("state[b.OCCURRENCES] - 1)", "state[b.OCCURRENCES])"),),
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
        (("state[b.PLIES] >= b.MAX_PLIES", "state[b.PLIES] > b.MAX_PLIES"),),
        "the move cap comes one ply late",
    ),
)
