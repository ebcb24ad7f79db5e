"""The observation of Twenty One once more, made from the text of the position alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference.twenty_one import BONUS
from reference.twenty_one_board import ENTERED, FREE, LETTERS, Row, Sheet
from reference.twenty_one_notation import parse_sheets

from tzaar_envs.core.game import Game

Planes = dict[str, np.ndarray]

NO_CHOICE = "-"


def naive(game: Game, text: str, seat: int) -> Planes:
    """Return the planes by name; a single number is an array without dimensions."""
    phase, active, decides, dice_text, sheets_text, choices = text.split(" ")
    sheets = parse_sheets(game.options["sheets"])
    dice = [int(value) for value in dice_text]
    seats = [part.split(":") for part in sheets_text.split("/")]
    in_turn_order = [(seat + place) % len(seats) for place in range(len(seats))]
    choice = choices.split("/")[seat]
    mask = 0 if choice == NO_CHOICE else int(choice)
    numbers: dict[str, Any] = {
        "roll_phase": phase == "roll",
        "fill_phase": phase == "fill",
        "active": [active == str(other) for other in in_turn_order],
        "to_decide": [decides == str(other) for other in in_turn_order],
        "dice": [dice[colour] == value for colour in range(6) for value in range(1, 7)],
        "numbers": [field.number for row in sheets[0] for field in row],
        "chosen": choice != NO_CHOICE,
        "chosen_positions": [mask >> pos & 1 for pos in range(6)],
    }
    points = []
    for place, other in enumerate(in_turn_order):
        letter, rows = seats[other]
        sheet, marks = sheets[LETTERS.index(letter)], rows.split(",")
        about = _sheet(sheet, marks, dice, phase == "over")
        points.append((_total(sheet, marks), _total(sheet, _entered(sheet, marks, dice))))
        if place:
            about |= _lead(points[place][0] - points[0][0], "")
            about |= _lead(points[place][1] - points[0][1], "_if_entered")
        name = f"next_{place}" if place else "own"
        numbers |= {f"{name}_{key}": value for key, value in about.items()}
    return {name: np.array(value, dtype=int) for name, value in numbers.items()}


def _sheet(sheet: Sheet, rows: list[str], dice: list[int], over: bool) -> dict[str, Any]:
    """Return what is told about the sheet of one seat."""
    current = [FREE in row for row in rows].index(True) if FREE in "".join(rows) else None
    row_scores = [
        _points(printed, row) if FREE not in row or (over and index == current) else 0
        for index, (printed, row) in enumerate(zip(sheet, rows, strict=True))
    ]
    return {
        "row": [index == current for index in range(5)],
        "free_fields": "".join(rows).count(FREE),
        "row_scores": row_scores,
        "colours": [field.colour for row in sheet for field in row],
        **(_no_row() if current is None else _current_row(sheet[current], rows[current], dice)),
    }


def _lead(points: int, which: str) -> dict[str, int]:
    """Return what is told about another seat that has so many points more than the observer."""
    return {
        f"lead{which}": 0 if points < 0 else 24 if points > 24 else points,
        f"deficit{which}": 0 if points > 0 else 24 if points < -24 else -points,
    }


def _total(sheet: Sheet, rows: list[str]) -> int:
    return sum(_points(printed, row) for printed, row in zip(sheet, rows, strict=True))


def _entered(sheet: Sheet, rows: list[str], dice: list[int]) -> list[str]:
    """Return the rows of a sheet after all dice that fit its first row with a free field."""
    for index, row in enumerate(rows):
        if FREE in row:
            marks = [
                str(dice[field.colour])
                if mark == FREE and dice[field.colour] <= field.number
                else mark
                for field, mark in zip(sheet[index], row, strict=True)
            ]
            return [*rows[:index], "".join(marks), *rows[index + 1 :]]
    return rows


def _no_row() -> dict[str, Any]:
    """Return what is told about the current row of a seat that has filled all rows."""
    six = ("number", "free", "value", "hit", "die", "fits", "exact")
    return {
        **{name: [0] * 6 for name in six},
        "colour": [0] * 36,
        "hits": [0] * 7,
        "row_points": 0,
    }


def _current_row(row: Row, marks: str, dice: list[int]) -> dict[str, Any]:
    free = [mark == FREE for mark in marks]
    die = [dice[field.colour] for field in row]
    number = [field.number for field in row]
    hits = _hits(row, marks)
    return {
        "number": number,
        "colour": [field.colour == colour for field in row for colour in range(6)],
        "free": free,
        "value": _values(marks),
        "hit": hits,
        "hits": [sum(hits) == count for count in range(7)],
        "row_points": _points(row, marks),
        "die": die,
        "fits": [free[pos] and die[pos] <= number[pos] for pos in range(6)],
        "exact": [free[pos] and die[pos] == number[pos] for pos in range(6)],
    }


def _values(marks: str) -> list[int]:
    return [int(mark) if mark in ENTERED else 0 for mark in marks]


def _hits(row: Row, marks: str) -> list[bool]:
    return [value == field.number for value, field in zip(_values(marks), row, strict=True)]


def _points(row: Row, marks: str) -> int:
    return sum(_values(marks)) + BONUS[sum(_hits(row, marks))]
