"""The picture of Twenty One."""

from __future__ import annotations

import functools
import math

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.games.twenty_one import rules
from tzaar_envs.games.twenty_one.notation import MARK_NAMES
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render import scene as s

FIELD = 42.0
STEP = FIELD + 3
HEAD = 34.0  # the height of a sheet's headline
ARROW = 18.0  # the width of the column for the arrow of the current row
POINTS = 46.0  # the width of the column for the points
SHEET_WIDTH = ARROW + STEP * b.POSITIONS + POINTS + 8
SHEET_HEIGHT = HEAD + STEP * b.ROWS + 10
MARGIN, GAP = 12.0, 14.0
DIE = 44.0
TOP = MARGIN + 92  # of the sheets
WIDTH = 2 * MARGIN + 2 * SHEET_WIDTH + GAP

DICE_COLOURS = ("yellow", "blue", "white", "green", "black", "red")
_BONUSES = ", ".join(str(rules.bonus(hits)) for hits in range(1, b.POSITIONS + 1))
LEGEND = (
    "Y6 4 a 4 on yellow 6  Y6*6 a hit  Y6 x struck  Y6 . free  Y6>4 chosen now",
    f"1 to {b.POSITIONS} hits in a row earn {_BONUSES}",
    "Y yellow B blue W white G green K black R red",
)
SIDES = tuple(
    s.Side(f"Player {seat}", fill)
    for seat, fill in enumerate(("red", "blue", "green", "purple", "gold", "black"))
)
_BUTTONS = {
    b.KEEP: s.Stop("keep", MARGIN + 6 * (DIE + 8) + 62, MARGIN + DIE / 2 + 2, 44, True, 20),
    b.REROLL: s.Stop("reroll", MARGIN + 6 * (DIE + 8) + 160, MARGIN + DIE / 2 + 2, 44, True, 20),
    b.STRIKE: s.Stop("strike", MARGIN + 6 * (DIE + 8) + 62, MARGIN + DIE / 2 + 2, 44, True, 20),
}


def _sheet_corner(seat: int) -> s.Point:
    row, column = divmod(seat, 2)
    return MARGIN + (SHEET_WIDTH + GAP) * column, TOP + (SHEET_HEIGHT + GAP) * row


def _field_middle(seat: int, row: int, position: int) -> s.Point:
    """Return the middle of a field."""
    left, top = _sheet_corner(seat)
    return left + ARROW + STEP * (position + 0.5), top + HEAD + STEP * (row + 0.5)


@functools.cache
def _field(colour: str, number: int, mark: int, style: str) -> tuple[s.Item, ...]:
    """Return a field around (0, 0).

    Args:
        colour: The colour that is printed.
        number: The number that is printed.
        mark: `FREE`, `STRUCK` or the value entered.
        style: `"plain"`, `"new"` for a mark of the last turn, `"chosen"` for a choice of this one.
    """
    half = FIELD / 2
    ink = f"{colour}_ink"
    items: list[s.Item] = [s.Rect(-half, -half, FIELD, FIELD, colour, f"{colour}_deep", 1.5, r=7)]
    if mark == b.FREE:
        return (*items, s.Text(0, 0, str(number), 19, ink, bold=True))
    if mark == b.STRUCK:
        items.append(s.Text(0, 0, str(number), 19, ink, opacity=0.45))
        items.append(s.cross(0, 0, 14, "white", 6.5))
        items.append(s.cross(0, 0, 14, "danger" if style == "new" else "burnt", 3.6))
        return tuple(items)
    hit = mark == number
    if hit:  # the printed number is the one that was entered
        items.append(s.Polygon(_STAR, "gold", "yellow_deep", 1.8))
    else:
        items.append(s.Text(-half + 8.5, -half + 11, str(number), 15, ink))
        items.append(s.Circle(6, 6, 13, "white", "white_deep", 1.2))
    at = (1.5, 2.5) if hit else (6.0, 6.0)
    items.append(s.Text(*at, str(mark), 16, "white_ink", bold=True))
    if style == "new":
        items.append(s.Rect(-half, -half, FIELD, FIELD, stroke="last", width=3.5, r=7))
    if style == "chosen":
        items.append(s.Rect(-half, -half, FIELD, FIELD, stroke="legal", width=3.5, r=7))
    return tuple(items)


# The points of a star with eight tips behind the number of a hit.
_STAR = tuple(
    (
        round(1.5 + (12.5 if index % 2 else 18) * math.sin(math.pi * index / 8), 1),
        round(2.5 - (12.5 if index % 2 else 18) * math.cos(math.pi * index / 8), 1),
    )
    for index in range(16)
)


def height(players: int) -> float:
    """Return the height of the picture."""
    rows = (players + 1) // 2
    return TOP + (SHEET_HEIGHT + GAP) * rows - GAP + MARGIN


def scene(state: StateArray, view: s.View) -> s.Scene:
    """Return dice and sheets; of the choices of this turn only those that the viewer knows."""
    players = int(state[b.PLAYERS])
    pieces: list[s.Item] = []
    for colour, value in enumerate(state[b.DICE].tolist()):
        at = (MARGIN + (DIE + 8) * (colour + 0.5), MARGIN + DIE / 2 + 2)
        faded = 1.0 if state[STATUS] == RUNNING else 0.45
        label = f"{DICE_COLOURS[colour]} die: {value}"
        ink = DICE_COLOURS[colour]
        dice, text = s.die(value, ink, DIE), f"{b.COLOURS[colour]}{value}"
        pieces.append(s.Group(dice, label=label, shift=at, opacity=faded, text=text, ink=ink))
    if state[STATUS] == RUNNING:
        actions = [b.STRIKE] if state[b.PHASE] == b.FILL else [b.KEEP]
        if state[b.PHASE] == b.ROLL and rules.can_reroll(state):
            actions.append(b.REROLL)
        pieces += [s.button(_BUTTONS[action], _BUTTONS[action].id) for action in actions]
    status = _status(state)
    pieces.append(
        s.Text(MARGIN + 4, MARGIN + 68, status, 17, anchor="start", bold=True, room=WIDTH - 30)
    )
    for seat in range(players):
        pieces += _sheet(state, seat, view)
    return s.Scene(
        *(WIDTH, height(players), f"Twenty One. {status}.", SIDES[:players]),
        pieces=tuple(pieces),
        character=STEP / 5,
        legend=LEGEND,
    )


def _sheet(state: StateArray, seat: int, view: s.View) -> list[s.Item]:
    left, top = _sheet_corner(seat)
    running = state[STATUS] == RUNNING
    side = SIDES[seat]
    active = running and seat == state[b.ACTIVE]
    deciding = running and seat == state[SEAT]
    frame, width = ("last", 3.0) if deciding else ("panel_line", 1.5)
    right = left + SHEET_WIDTH - 10
    items: list[s.Item] = [
        s.Rect(left, top, SHEET_WIDTH, SHEET_HEIGHT, "panel", frame, width, r=10),
        s.Circle(
            left + 20, top + 19, 8, side.fill, f"{side.fill}_deep" * (side.fill != "gold"), 1.2
        ),
        s.Text(left + 36, top + 19, side.name, 16, anchor="start", bold=True),
        s.Text(
            left + 142, top + 19, f"sheet {b.LETTERS[state[b.SHEET][seat]]}", 15, "faint", "start"
        ),
        s.Text(right, top + 19, str(int(state[b.SCORE][seat])), 20, anchor="end", bold=True),
    ]
    if active:
        icon = s.die(5, "white", 20)
        shift = (left + 246, top + 19)
        items.append(s.Group(icon, label=f"{side.name} rolls", shift=shift, text="rolls"))
    if state[b.CHOICE][seat] != b.NONE:
        tick = s.line(((-9, 0), (-3, 7), (9, -7)), "legal", 4)
        shift = (left + 276, top + 19)
        items.append(s.Group((tick,), label=f"{side.name} has chosen", shift=shift, text="done"))
    current = int(state[b.ROW][seat])
    for row in range(b.ROWS):
        items += _row(state, seat, row, view)
        y = _field_middle(seat, row, 0)[1]
        if row == current and running:
            arrow = s.Polygon(((0, -7), (9, 0), (0, 7)), fill="last")
            items.append(s.Group((arrow,), shift=(left + 5, y), text=">", ink="last"))
        if state[b.MARKS][b.ROWS * seat + row]:
            points = str(int(rules.score_of(state, seat, row)))
            done = row < current
            ink = "ink" if done else "faint"
            items.append(s.Text(right, y, points, 16, ink, anchor="end", bold=done, room=40))
    return items


def _row(state: StateArray, seat: int, row: int, view: s.View) -> list[s.Item]:
    marks = before = int(state[b.MARKS][b.ROWS * seat + row])
    printed = int(rules.printed_row(state, seat, row))
    if view.before is not None and view.last not in (b.KEEP, b.REROLL):  # the last turn is over
        before = int(view.before[b.MARKS][b.ROWS * seat + row])
    chosen = b.NONE
    if row == state[b.ROW][seat] and view.viewer in (s.EVERYTHING, seat):
        chosen = int(state[b.CHOICE][seat])
    items: list[s.Item] = []
    for position in range(b.POSITIONS):
        mark, style = int(rules.mark_at(marks, position)), "plain"
        if mark != rules.mark_at(before, position):
            style = "new"
        colour, number = (
            int(rules.colour_at(printed, position)),
            int(rules.number_at(printed, position)),
        )
        if chosen == b.STRIKE and position == rules.leftmost_free(marks):
            mark, style = b.STRUCK, "chosen"
        elif chosen > 0 and chosen >> position & 1:
            mark, style = int(state[b.DICE][colour]), "chosen"
        content = {b.FREE: "free", b.STRUCK: "struck"}.get(mark, f"entered {mark}")
        hit = ", a hit" if mark == number else ""
        ink = DICE_COLOURS[colour]
        sign = ">" if style == "chosen" else "*" if mark == number else " "
        items.append(
            s.Group(
                _field(ink, number, mark, style),
                id=f"{seat}/{row + 1}/{position + 1}",
                label=f"{ink} {number}: {content}{hit}",
                shift=_field_middle(seat, row, position),
                text=f"{b.COLOURS[colour]}{number}{sign}{MARK_NAMES[mark]}",
                ink=ink,
            )
        )
    return items


def _status(state: StateArray) -> str:
    players = int(state[b.PLAYERS])
    if state[STATUS] != RUNNING:
        points = state[b.SCORE][:players].tolist()
        winners = [SIDES[seat].name for seat in range(players) if points[seat] == max(points)]
        return f"{' and '.join(winners)} won with {max(points)} points"
    name = SIDES[state[SEAT]].name
    if state[b.PHASE] == b.ROLL:
        return f"{name} to keep or reroll" if rules.can_reroll(state) else f"{name} to keep"
    return f"{name} to enter values or strike a field"


def trace(state: StateArray, action: int) -> s.Trace:
    """Return the fields of the current row that are filled, or the button of another action."""
    if action in (b.KEEP, b.REROLL, b.STRIKE):
        return s.Trace((_BUTTONS[action],))
    seat = int(state[SEAT])
    row = min(int(state[b.ROW][seat]), b.ROWS - 1)
    return s.Trace(
        tuple(
            s.Stop(
                f"{seat}/{row + 1}/{p + 1}", *_field_middle(seat, row, p), FIELD / 2, square=True
            )
            for p in range(b.POSITIONS)
            if action >> p & 1
        )
    )
