"""The sheets of Twenty One for a terminal."""

import textwrap

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.twenty_one.board import (
    ACTIVE,
    CHOICE,
    DICE,
    FREE,
    MARKS,
    NONE,
    PHASE,
    PLAYERS,
    ROLL,
    ROW,
    SCORE,
    SHEET,
    STRIKE,
)
from tzaar_envs.games.twenty_one.notation import MARK_NAMES, current_letters
from tzaar_envs.games.twenty_one.rules import (
    bonus,
    can_reroll,
    colour_at,
    enterable,
    leftmost_free,
    mark_at,
    number_at,
    printed_row,
    score_of,
)
from tzaar_envs.games.twenty_one.sheets import COLOURS, LETTERS, POSITIONS, ROWS
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render.ansi import paint

STYLES = ("bold yellow", "bold blue", "bold white", "bold green", "dim", "bold red")
HIT = "*"
_WIDTH = 50  # of the sheets


def draw(state: StateArray, viewer: int, colour: bool) -> str:
    """Return dice, sheets and a legend; of the choices of this turn only those the viewer knows."""
    lines = [f"Dice  {_dice(state, colour)}", ""]
    for seat in range(state[PLAYERS]):
        lines += [*_headlines(state, seat, viewer, colour), *_rows(state, seat, colour), ""]
    lines += [paint(line, "dim", colour) for line in _legend()]
    return "\n".join([*lines, *textwrap.wrap(_status(state), _WIDTH)])


def _legend() -> list[str]:
    bonuses = ", ".join(str(bonus(hits)) for hits in range(1, POSITIONS + 1))
    return [
        f"Y6 4 a 4 on yellow 6  {HIT} hit  x struck  . free",
        f"1 to {POSITIONS} hits in a row earn {bonuses}",
        "Y yellow B blue W white G green K black R red",
    ]


def _dice(state: StateArray, colour: bool) -> str:
    return "  ".join(
        paint(f"{letter}{die}", style, colour)
        for letter, die, style in zip(COLOURS, state[DICE], STYLES, strict=True)
    )


def _headlines(state: StateArray, seat: int, viewer: int, colour: bool) -> list[str]:
    parts = [f"sheet {LETTERS[state[SHEET][seat]]}", f"{state[SCORE][seat]} points"]
    if state[STATUS] == RUNNING and seat == state[ACTIVE]:
        parts.append("active")
    lines = [paint(f"Player {seat}", "bold", colour) + f"  {', '.join(parts)}"]
    choice = int(state[CHOICE][seat])
    if choice != NONE:
        known = viewer in (-1, seat)
        text = f"has chosen {_choice_text(state, seat, choice)}" if known else "has chosen"
        lines.append(" " * len(f"Player {seat}  ") + text)
    return lines


def _choice_text(state: StateArray, seat: int, choice: int) -> str:
    if choice == STRIKE:
        return "to strike"
    letters = current_letters(state, seat)
    return "to enter " + "".join(letters[p] for p in range(POSITIONS) if choice >> p & 1)


def _rows(state: StateArray, seat: int, colour: bool) -> list[str]:
    """Return the five rows: an arrow before the current one, points after those with marks."""
    lines = []
    current = int(state[ROW][seat])
    for row in range(ROWS):
        marks = int(state[MARKS][ROWS * seat + row])
        printed = int(printed_row(state, seat, row))
        fields = [_field(marks, printed, position, colour) for position in range(POSITIONS)]
        arrow = ">" if row == current and state[STATUS] == RUNNING else " "
        points = f"{score_of(state, seat, row):>3}" if marks else ""
        lines.append(f" {arrow} {row + 1}  {'  '.join(fields)} {points}".rstrip())
    return lines


def _field(marks: int, printed: int, position: int, colour: bool) -> str:
    """Return a field such as `Y6 4 `, `Y6 6*`, `Y6 x ` or `Y6 . `, always five characters."""
    ink, number = colour_at(printed, position), number_at(printed, position)
    mark = mark_at(marks, position)
    content = f"{MARK_NAMES[mark]}{HIT if mark == number else ' '}"
    style = "dim" if mark == FREE else "bold"
    return (
        f"{paint(f'{COLOURS[ink]}{number}', STYLES[ink], colour)} {paint(content, style, colour)}"
    )


def _status(state: StateArray) -> str:
    if state[STATUS] != RUNNING:
        points = state[SCORE][: state[PLAYERS]].tolist()
        winners = [f"Player {seat}" for seat, own in enumerate(points) if own == max(points)]
        verb = "wins" if len(winners) == 1 else "win together"
        return f"The game is over: {' and '.join(winners)} {verb} with {max(points)} points"
    seat = int(state[SEAT])
    if state[PHASE] == ROLL:
        choices = "keep or reroll" if can_reroll(state) else "keep"
        return f"Player {seat} to {choices}"
    letters = current_letters(state, seat)
    printed = int(printed_row(state, seat, int(state[ROW][seat])))
    fitting = int(enterable(state, seat))
    entries = [
        f"{letters[p]}{die}{HIT if die == number_at(printed, p) else ''}"
        for p in range(POSITIONS)
        if fitting >> p & 1 and (die := state[DICE][colour_at(printed, p)])
    ]
    struck = letters[leftmost_free(int(state[MARKS][ROWS * seat + state[ROW][seat]]))]
    enter = f"to enter some of {' '.join(entries)}, or " if entries else "to "
    return f"Player {seat} {enter}strike {struck}"
