"""Fields of a state array: what the default notation writes, reads and draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tzaar_envs.core.notation import parse_number, parse_symbol, split_list
from tzaar_envs.jit.arrays import StateArray


@dataclass(frozen=True)
class Field:
    """Consecutive words of the state array that belong to the notation of a position.

    Attributes:
        name: what error messages and drawings call it.
        words: where it is in the state array.
        symbols: the character of each value from 0 on; empty: values are decimal numbers.
        columns: of a board, how many cells a row has; 0 if the words are not a board.
        most: the greatest value of a field without symbols; the least is 0.
    """

    name: str
    words: slice
    symbols: str = ""
    columns: int = 0
    most: int = 2**31 - 1

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
            ValueError: says what is wrong and where.
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
        return parse_number(where, text, self.most)


def all_words(first: int, state_size: int) -> Sequence[Field]:
    """Return one field for all words of a game, from the first one that belongs to it."""
    return (Field("words", slice(first, state_size), most=int(np.iinfo(np.int64).max)),)
