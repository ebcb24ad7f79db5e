"""Defaults for what a game does not define itself: notation, returns and evaluation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED, TRUNCATED
from tzaar_envs.core.layout import ActionBlock, Layout
from tzaar_envs.core.notation import CellNames, Field, column_names, parse_symbol, split_position
from tzaar_envs.core.toolkit import share
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled_copy
from tzaar_envs.jit.function_table import CompiledFunction
from tzaar_envs.jit.rng import new_generator

_STATUSES = {RUNNING: "running", TERMINATED: "over", TRUNCATED: "truncated"}


class DefaultNotation:
    """Positions and actions as text, derived from the fields of a state and from a layout.

    A position is its fields, the player to act and, unless `derive` tells it, whether the game is
    over, with one space between them. An action is the name of its block, followed by what tells it
    from the other actions of the block: `pass`, `take 2`, `burn C4`, `move 3 C4`. The planes
    of a block, or without a board its actions, are numbered from 0; cells are named by column and
    row, the first one `A1`.

    Args:
        layout: The layout of the game.
        fields: The fields that tell a position from others.
        state_size: The number of words of a state.
        reset: The game's `reset`: words that are not in a field are as in a start position.
        derive: `derive(state)` completes a position of which fields and player are set; it may
            raise a ValueError. None: nothing follows from the fields.
    """

    def __init__(
        self,
        layout: Layout,
        fields: Sequence[Field],
        state_size: int,
        reset: CompiledFunction,
        derive: Callable[[StateArray], Any] | None,
    ) -> None:
        self._layout = layout
        self._fields = tuple(fields)
        self._state_size = state_size
        self._reset = reset
        self._derive = derive

    @functools.cached_property
    def _actions(self) -> list[str]:
        blocks = (_names_of(block, self._layout) for block in self._layout.actions)
        return [name for names in blocks for name in names]

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: action for action, name in enumerate(self._actions)}

    def format_position(self, state: StateArray) -> str:
        """Return the fields, the player to act and, without `derive`, the status."""
        texts = [field.format(state) for field in self._fields]
        texts.append(str(state[SEAT]))
        if self._derive is None:
            texts.append(_STATUSES[int(state[STATUS])])
        return " ".join(texts)

    def parse_position(self, text: str, options: StateArray) -> StateArray:
        """Read a position; ValueError that names field and reason."""
        names = [*(field.name for field in self._fields), "player"]
        texts = split_position(text, names if self._derive else [*names, "status"])
        state = np.zeros(self._state_size, np.int64)
        self._reset(state, options, new_generator(0))
        for field, content in zip(self._fields, texts, strict=False):
            field.parse(content, state)
        player = texts[len(self._fields)]
        players = [str(number) for number in range(len(self._layout.seat_names))]
        state[SEAT] = parse_symbol("player", player, players)
        if self._derive is not None:
            self._derive(state)
        else:
            state[STATUS] = parse_symbol("status", texts[-1], [*_STATUSES.values()])
        return state

    def format_action(self, state: StateArray, action: int) -> str:
        """Return the name of an action."""
        return self._actions[action]

    def parse_action(self, state: StateArray, text: str) -> int:
        """Return the action with a name; it need not be legal."""
        if text not in self._numbers:
            blocks = [_names_of(block, self._layout) for block in self._layout.actions]
            examples = ", ".join(repr(names[len(names) // 2]) for names in blocks)
            raise ValueError(f"action {text!r}: expected an action such as {examples}")
        return self._numbers[text]


def _names_of(block: ActionBlock, layout: Layout) -> list[str]:
    """Return the names of a block's actions, in order."""
    planes = [f" {plane}" for plane in range(block.planes)] if block.planes > 1 else [""]
    cells = [""]
    if block.on_board:
        rows, columns = layout.board_shape
        cells = [f" {name}" for name in CellNames(column_names(columns), rows)]
    return [f"{block.name}{plane}{cell}" for plane in planes for cell in cells]


# Templates. A game gets a copy of each, compiled with its own functions in place of these names.
_scores: Any = None
_returns: Any = None
_players: Any = None


def _shared_returns(state: StateArray, out: np.ndarray) -> None:
    if state[STATUS] == RUNNING:
        out[:] = 0.0
    else:
        _scores(state, out)
        share(out, out)


def _neutral_evaluation(state: StateArray, seat: int) -> float:
    if state[STATUS] == RUNNING:
        return 0.0
    out = np.zeros(_players)
    _returns(state, out)
    return out[seat]


@functools.cache  # compiled once, although every `Game` loads its rules
def returns_from_scores(scores: CompiledFunction, game: str, folder: Path) -> CompiledFunction:
    """Return `returns` of a game with points: at the end the highest score wins, see `share`.

    Args:
        scores: The game's `scores`.
        game: A name for the compiled code, unique within the folder.
        folder: Folder of the game's sources.
    """
    return compiled_copy(_shared_returns, f"{game}.returns", folder, _scores=scores)


@functools.cache
def neutral_evaluation(
    returns: CompiledFunction, players: int, game: str, folder: Path
) -> CompiledFunction:
    """Return `evaluate` of a game without heuristic: 0 while it runs, the return at its end.

    Args:
        returns: The game's `returns`.
        players: The number of players.
        game: A name for the compiled code, unique within the folder.
        folder: Folder of the game's sources.
    """
    return compiled_copy(
        _neutral_evaluation,
        f"{game}.evaluate_{players}",
        folder,
        _returns=returns,
        _players=players,
    )
