"""The sheets of Twenty One for a terminal."""

import textwrap

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.games.twenty_one import rules
from tzaar_envs.games.twenty_one.notation import MARK_NAMES, current_letters
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render.ansi import paint

STYLES = ("bold yellow", "bold blue", "bold white", "bold green", "dim", "bold red")
HIT = "*"
_WIDTH = 50  # of the sheets


def draw(state: StateArray, viewer: int, colour: bool) -> str:
    """Return dice, sheets and a legend; of the choices of this turn only those the viewer knows."""
    lines = [f"Dice  {_dice(state, colour)}", ""]
    for seat in range(state[b.PLAYERS]):
        lines += [*_headlines(state, seat, viewer, colour), *_rows(state, seat, colour), ""]
    lines += [paint(line, "dim", colour) for line in _legend()]
    return "\n".join([*lines, *textwrap.wrap(_status(state), _WIDTH)])


def _legend() -> list[str]:
    bonuses = ", ".join(str(rules.bonus(hits)) for hits in range(1, b.POSITIONS + 1))
    return [
        f"Y6 4 a 4 on yellow 6  {HIT} hit  x struck  . free",
        f"1 to {b.POSITIONS} hits in a row earn {bonuses}",
        "Y yellow B blue W white G green K black R red",
    ]


def _dice(state: StateArray, colour: bool) -> str:
    return "  ".join(
        paint(f"{letter}{die}", style, colour)
        for letter, die, style in zip(b.COLOURS, state[b.DICE], STYLES, strict=True)
    )


def _headlines(state: StateArray, seat: int, viewer: int, colour: bool) -> list[str]:
    parts = [f"sheet {b.LETTERS[state[b.SHEET][seat]]}", f"{state[b.SCORE][seat]} points"]
    if state[STATUS] == RUNNING and seat == state[b.ACTIVE]:
        parts.append("active")
    lines = [paint(f"Player {seat}", "bold", colour) + f"  {', '.join(parts)}"]
    choice = int(state[b.CHOICE][seat])
    if choice != b.NONE:
        known = viewer in (-1, seat)
        text = f"has chosen {_choice_text(state, seat, choice)}" if known else "has chosen"
        lines.append(" " * len(f"Player {seat}  ") + text)
    return lines


def _choice_text(state: StateArray, seat: int, choice: int) -> str:
    if choice == b.STRIKE:
        return "to strike"
    letters = current_letters(state, seat)
    return "to enter " + "".join(letters[p] for p in range(b.POSITIONS) if choice >> p & 1)


def _rows(state: StateArray, seat: int, colour: bool) -> list[str]:
    """Return the five rows: an arrow before the current one, points after those with marks."""
    lines = []
    current = int(state[b.ROW][seat])
    for row in range(b.ROWS):
        marks = int(state[b.MARKS][b.ROWS * seat + row])
        printed = int(rules.printed_row(state, seat, row))
        fields = [_field(marks, printed, position, colour) for position in range(b.POSITIONS)]
        arrow = ">" if row == current and state[STATUS] == RUNNING else " "
        points = f"{rules.score_of(state, seat, row):>3}" if marks else ""
        lines.append(f" {arrow} {row + 1}  {'  '.join(fields)} {points}".rstrip())
    return lines


def _field(marks: int, printed: int, position: int, colour: bool) -> str:
    """Return a field such as `Y6 4 `, `Y6 6*`, `Y6 x ` or `Y6 . `, always five characters."""
    ink, number = rules.colour_at(printed, position), rules.number_at(printed, position)
    mark = rules.mark_at(marks, position)
    content = f"{MARK_NAMES[mark]}{HIT if mark == number else ' '}"
    style = "dim" if mark == b.FREE else "bold"
    return (
        f"{paint(f'{b.COLOURS[ink]}{number}', STYLES[ink], colour)} {paint(content, style, colour)}"
    )


def _status(state: StateArray) -> str:
    if state[STATUS] != RUNNING:
        points = state[b.SCORE][: state[b.PLAYERS]].tolist()
        winners = [f"Player {seat}" for seat, own in enumerate(points) if own == max(points)]
        verb = "wins" if len(winners) == 1 else "win together"
        return f"The game is over: {' and '.join(winners)} {verb} with {max(points)} points"
    seat = int(state[SEAT])
    if state[b.PHASE] == b.ROLL:
        choices = "keep or reroll" if rules.can_reroll(state) else "keep"
        return f"Player {seat} to {choices}"
    letters = current_letters(state, seat)
    printed = int(rules.printed_row(state, seat, int(state[b.ROW][seat])))
    fitting = int(rules.enterable(state, seat))
    entries = [
        f"{letters[p]}{die}{HIT if die == rules.number_at(printed, p) else ''}"
        for p in range(b.POSITIONS)
        if fitting >> p & 1 and (die := state[b.DICE][rules.colour_at(printed, p)])
    ]
    struck = letters[rules.leftmost_free(int(state[b.MARKS][b.ROWS * seat + state[b.ROW][seat]]))]
    enter = f"to enter some of {' '.join(entries)}, or " if entries else "to "
    return f"Player {seat} {enter}strike {struck}"
