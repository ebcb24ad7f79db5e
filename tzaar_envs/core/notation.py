"""Fields of a state, and parsers for the parts of a notation.

Their errors name the part, its text and what is allowed.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tzaar_envs.jit.arrays import StateArray

_NUMBER = re.compile("0|[1-9][0-9]{0,17}")


def split_position(text: str, names: Sequence[str], at_least: int | None = None) -> list[str]:
    """Return the fields of a position, which have one space between them.

    Args:
        text: The position.
        names: Names of the fields.
        at_least: Number of fields that are enough, if the last ones may be left out as a whole.

    Raises:
        ValueError: Another number of fields.
    """
    fields = text.split(" ")
    if len(fields) not in (len(names), at_least):
        shorter = f" or the first {at_least}" if at_least else ""
        raise ValueError(
            f"position {text!r}: expected {len(names)} fields ({', '.join(names)}){shorter}, with "
            f"one space between them, got {len(fields)}"
        )
    return fields


def split_list(where: str, text: str, separator: str, count: int, what: str) -> list[str]:
    """Return the entries of a list.

    Args:
        where: The part of the notation, which an error begins with.
        text: The list.
        separator: Text between two entries; `""` if each character is an entry.
        count: Number of entries that there must be.
        what: Name of the entries, in the plural.

    Raises:
        ValueError: Another number of entries.
    """
    entries = text.split(separator) if separator else list(text)
    if len(entries) != count:
        separated = f" separated by {separator!r}" if separator else ""
        raise ValueError(f"{where}: {len(entries)} {what}{separated}, expected {count}")
    return entries


def parse_number(where: str, text: str, maximum: int, minimum: int = 0) -> int:
    """Return a number in decimal digits, without leading zeros.

    Raises:
        ValueError: Not a number, or out of the range from `minimum` to `maximum`.
    """
    if not _NUMBER.fullmatch(text) or not minimum <= int(text) <= maximum:
        raise ValueError(f"{where}: {text!r} is not a number from {minimum} to {maximum}")
    return int(text)


def parse_numbers(where: str, text: str, separators: str, maxima: Sequence[int]) -> list[int]:
    """Return numbers in decimal digits.

    Args:
        where: The part of the notation, which an error begins with.
        text: The numbers.
        separators: Characters, each of which separates two numbers; `check_canonical` refuses those
            in a wrong place.
        maxima: The greatest value of each number; the least is 0.

    Raises:
        ValueError: Another number of numbers, or one that is not allowed.
    """
    where = f"{where} {text!r}"
    numbers = re.split(f"[{separators}]", text)
    if len(numbers) != len(maxima):
        raise ValueError(f"{where}: {len(numbers)} numbers, expected {len(maxima)}")
    return [parse_number(where, *pair) for pair in zip(numbers, maxima, strict=True)]


def parse_name(what: str, text: str, numbers: Mapping[str, int], allowed: str) -> int:
    """Return the number of a name, for instance of an action or of a cell.

    Args:
        what: The kind of name.
        text: The name.
        numbers: The numbers by name.
        allowed: The allowed names in words, which an error ends with.

    Raises:
        ValueError: There is no such name.
    """
    if text not in numbers:
        raise ValueError(f"{what} {text!r}: expected {allowed}")
    return numbers[text]


def check_canonical(names: Sequence[str], text: str, canonical: str) -> None:
    """Refuse a position that differs from how the position that was read is written.

    So a parser need not check what follows from other fields, nor the order of entries.

    Args:
        names: The names of the fields.
        text: The position as it was given; as many fields.
        canonical: The position as it is written.

    Raises:
        ValueError: Names what differs: of a field with parts between `/` the first such part.
    """
    wrong = []
    for name, given, expected in zip(names, text.split(" "), canonical.split(" "), strict=True):
        if given != expected:
            parts = zip(given.split("/"), expected.split("/"), strict=False)
            part = next((pair for pair in parts if pair[0] != pair[1]), (given, expected))
            wrong.append("{} {!r}, expected {!r}".format(name, *part))
    if wrong:
        raise ValueError(f"the fields do not fit together: {'; '.join(wrong)}")


def parse_symbol(field: str, text: str, symbols: Sequence[str], note: str = "") -> int:
    """Return the number, from 0, of the allowed text that a field holds.

    Args:
        field: The name of the field.
        text: Content of the field.
        symbols: The allowed texts, or one-character texts in one string.
        note: An explanation that the error ends with.

    Raises:
        ValueError: Not one of them.
    """
    allowed = list(symbols)
    if text not in allowed:
        listing = ", ".join(repr(symbol) for symbol in allowed)
        raise ValueError(f"{field} {text!r}: expected one of {listing}{note}")
    return allowed.index(text)


def column_names(count: int) -> list[str]:
    """Return the names of the first columns of a board: A to Z, AA, AB, ..."""
    letters = string.ascii_uppercase
    return [
        (letters[column // 26 - 1] if column >= 26 else "") + letters[column % 26]
        for column in range(count)
    ]


class CellNames:
    """Names of the cells of a rectangular board, such as `A1` for the first cell of the first row.

    Attributes:
        pattern: A regular expression for the name of a cell.

    Args:
        columns: The names of the columns, for instance their letters in one string.
        rows: Number of rows.
    """

    def __init__(self, columns: Sequence[str], rows: int) -> None:
        self._names = [f"{column}{row + 1}" for row in range(rows) for column in columns]
        self._cells = {name: cell for cell, name in enumerate(self._names)}
        numbers = "|".join(str(row) for row in range(rows, 0, -1))  # 12 before 1
        self.pattern = f"(?:{'|'.join(columns)})(?:{numbers})"

    def name(self, cell: int) -> str:
        """Return the name of a cell, which are numbered row by row."""
        return self._names[cell]

    def cell(self, name: str) -> int:
        """Return the cell with a name.

        Raises:
            KeyError: No cell has that name.
        """
        return self._cells[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all cells in order."""
        return iter(self._names)


@dataclass(frozen=True)
class Field:
    """Consecutive words of the state array that belong to the notation of a position.

    Attributes:
        name: Name in error messages and drawings.
        words: Place in the state array.
        symbols: The character of each value from 0 on; empty: values are decimal numbers.
        columns: Number of cells in a row of a board; 0 if the words are not a board.
        maximum: The greatest value of a field without symbols; the least is 0.
    """

    name: str
    words: slice
    symbols: str = ""
    columns: int = 0
    maximum: int = 2**31 - 1

    @property
    def size(self) -> int:
        """The number of words."""
        return int(self.words.stop) - int(self.words.start)

    @property
    def _separator(self) -> str:
        return "" if self.symbols else ","

    def rows(self, state: StateArray) -> list[list[str]]:
        """Return the text of every word, in rows if the field is a board."""
        values = state[self.words].tolist()
        texts = [self.symbols[value] if self.symbols else str(value) for value in values]
        columns = self.columns or self.size
        return [texts[first : first + columns] for first in range(0, self.size, columns)]

    def format(self, state: StateArray) -> str:
        """Return the field as text: rows separated by `/`, numbers by `,`."""
        return "/".join(self._separator.join(row) for row in self.rows(state))

    def parse(self, text: str, state: StateArray) -> None:
        """Read the field into the state array.

        Raises:
            ValueError: Says what is wrong and where.
        """
        rows = [text]
        columns = self.columns or self.size
        if self.columns:
            rows = split_list(self.name, text, "/", self.size // columns, "rows")
        values: list[int] = []
        for number, row in enumerate(rows, start=1):
            where = f"{self.name}, row {number}" if self.columns else self.name
            entries = split_list(f"{where} {row!r}", row, self._separator, columns, "entries")
            values += [self._value(where, entry) for entry in entries]
        state[self.words] = values

    def _value(self, where: str, text: str) -> int:
        if self.symbols:
            return parse_symbol(where, text, self.symbols)
        return parse_number(where, text, self.maximum)


def all_words(first: int, state_size: int) -> Sequence[Field]:
    """Return one field for all words of a game, from the first one that belongs to it."""
    return (Field("words", slice(first, state_size), maximum=int(np.iinfo(np.int64).max)),)
