"""Tiny games whose right moves can be told by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import HEADER, RUNNING, SEAT, STATUS, TERMINATED, Rules, nothing_hidden
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.spec import ChanceMode, GameSpec, Information
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.rng import below, between

# --- three seats choose in turn, then a table pays each of them -----------------------------------

CHOICES = 3
CHOSEN = HEADER  # so far, as a number with base CHOICES
PLIES = HEADER + 1
TABLE = slice(HEADER + 2, HEADER + 2 + CHOICES**3 * 3)  # percent


@compiled
def table_reset(state: np.ndarray, options: np.ndarray, rng: np.ndarray) -> None:
    """Write a random table."""
    state[:] = 0
    for index in range(TABLE.start, TABLE.stop):
        state[index] = below(rng, 181) - 90


@compiled
def table_legal(state: np.ndarray, actions: np.ndarray) -> int:
    """Each seat has the same choices."""
    if state[STATUS] != RUNNING:
        return 0
    for action in range(CHOICES):
        actions[action] = action
    return CHOICES


@compiled
def table_apply(state: np.ndarray, action: int, rng: np.ndarray) -> None:
    """Note the choice; after the third the game is over."""
    state[CHOSEN] = CHOICES * state[CHOSEN] + action
    state[PLIES] += 1
    state[SEAT] = state[PLIES] % 3
    state[STATUS] = TERMINATED if state[PLIES] == 3 else RUNNING


@compiled
def table_observe(state: np.ndarray, seat: int, out: np.ndarray) -> None:
    """Everything is open."""
    out[0] = state[PLIES]


@compiled
def table_returns(state: np.ndarray, out: np.ndarray) -> None:
    """Pay by the table."""
    out[:] = 0.0
    if state[STATUS] != RUNNING:
        for seat in range(3):
            out[seat] = state[TABLE.start + 3 * state[CHOSEN] + seat] / 100


@compiled
def knows_nothing(state: np.ndarray, seat: int) -> float:
    """All positions look the same."""
    return 0.0


# --- a coin lies hidden from seat 0, which alone acts ---------------------------------------------

SAFE, WAIT, HEADS, TAILS, ROLL, TAKE, REFUSE = range(7)
STAGE = HEADER
COIN = HEADER + 1
ROLLED = HEADER + 2
PAY = HEADER + 3  # percent
FIRST, WAITED, AFTER_ROLL = range(3)


@compiled
def coin_reset(state: np.ndarray, options: np.ndarray, rng: np.ndarray) -> None:
    """Toss the coin."""
    state[:] = 0
    state[COIN] = between(rng, 0, 1)


@compiled
def coin_legal(state: np.ndarray, actions: np.ndarray) -> int:
    """Guess at once, after waiting, or take the safe way or the roll instead."""
    if state[STATUS] != RUNNING:
        return 0
    first, last = SAFE, ROLL
    if state[STAGE] == WAITED:
        first, last = HEADS, TAILS
    elif state[STAGE] == AFTER_ROLL:
        first, last = TAKE, REFUSE
    for action in range(first, last + 1):
        actions[action - first] = action
    return last - first + 1


@compiled
def roll_legal(state: np.ndarray, actions: np.ndarray) -> int:
    """The safe way or the roll."""
    if state[STATUS] != RUNNING:
        return 0
    rolled = state[STAGE] == AFTER_ROLL
    actions[0] = TAKE if rolled else SAFE
    actions[1] = REFUSE if rolled else ROLL
    return 2


@compiled
def coin_apply(state: np.ndarray, action: int, rng: np.ndarray) -> None:
    """A right guess pays 1, a wrong one costs 1; the safe way pays 0.2."""
    if action == WAIT:
        state[STAGE] = WAITED
    elif action == ROLL:
        state[STAGE] = AFTER_ROLL
        state[ROLLED] = between(rng, 0, 1)
    else:
        state[STATUS] = TERMINATED
        if action == SAFE:
            state[PAY] = 20
        elif action == TAKE:
            state[PAY] = 90 if state[ROLLED] == 1 else -100
        elif action in (HEADS, TAILS):
            state[PAY] = 100 if action - HEADS == state[COIN] else -100


@compiled
def coin_observe(state: np.ndarray, seat: int, out: np.ndarray) -> None:
    """The coin shows to seat 1 alone, and in the end."""
    out[0] = state[STAGE]
    out[1] = state[ROLLED]
    out[2] = state[COIN] if seat == 1 or state[STATUS] != RUNNING else 0


@compiled
def coin_returns(state: np.ndarray, out: np.ndarray) -> None:
    """Seat 1 pays."""
    out[0] = state[PAY] / 100
    out[1] = -state[PAY] / 100


@compiled
def coin_determinize(state: np.ndarray, seat: int, rng: np.ndarray) -> None:
    """Toss the coin again."""
    if seat == 0 and state[STATUS] == RUNNING:
        state[COIN] = below(rng, 2)


NUMBERS: dict[str, Any] = {
    "format_position": lambda words: " ".join(map(str, words.tolist())),
    "parse_position": lambda text, options: np.array(text.split(), np.int64),
    "format_action": lambda words, action: str(action),
    "parse_action": lambda words, text: int(text),
}
"""A notation of plain numbers."""


def _load_table(layout: Layout) -> Rules:
    return Rules(
        state_size=TABLE.stop,
        reset=table_reset,
        legal=table_legal,
        apply=table_apply,
        observe=table_observe,
        returns=table_returns,
        evaluate=knows_nothing,
        scores=table_returns,
        **NUMBERS,
    )


def _load_coin(layout: Layout) -> Rules:
    return Rules(
        state_size=PAY + 1,
        reset=coin_reset,
        legal=coin_legal,
        apply=coin_apply,
        observe=coin_observe,
        returns=coin_returns,
        evaluate=knows_nothing,
        scores=coin_returns,
        **NUMBERS,
        determinize=coin_determinize,
    )


def _load_roll(layout: Layout) -> Rules:
    return dataclasses.replace(_load_coin(layout), legal=roll_legal, determinize=nothing_hidden)


TABLE_GAME = Game(
    GameSpec(
        name="table",
        version=0,
        title="Table",
        summary="Three choices, then everybody is paid.",
        options=(),
        layout=lambda options: Layout(
            ("a", "b", "c"),
            (),
            (Plane("plies", "the plies", high=3),),
            (ActionBlock("choose", "a number", CHOICES, on_board=False),),
            max_plies=3,
        ),
        load=_load_table,
        chance_mode=ChanceMode.SETUP,
    )
)
COIN_GAME = Game(
    GameSpec(
        name="coin",
        version=0,
        title="Coin",
        summary="Guess a hidden coin, or do not.",
        options=(),
        layout=lambda options: Layout(
            ("guesser", "bank"),
            (),
            (Plane("stage", "", high=2), Plane("roll", ""), Plane("coin", "")),
            (ActionBlock("act", "see above", 7, on_board=False),),
            max_plies=2,
        ),
        load=_load_coin,
        chance_mode=ChanceMode.SETUP,
        information=Information.IMPERFECT,
    )
)
ROLL_GAME = Game(
    dataclasses.replace(
        COIN_GAME.spec,
        name="roll",
        title="Roll",
        load=_load_roll,
        information=Information.PERFECT,
    )
)
