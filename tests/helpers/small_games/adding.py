"""A game for two or three that is over in a dozen plies.

They take turns at adding 1, 2 or 3 to a total that starts at 0 to 3; who reaches 15 wins.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED, Rules
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.spec import ChanceMode, GameSpec, Option
from tzaar_envs.jit.arrays import Observation, RngState, StateArray
from tzaar_envs.jit.compile import compiled

TOTAL = 2
PLAYERS = 3
GOAL = 15


@compiled
def reset(state: StateArray, options: StateArray, rng: RngState) -> None:
    state[SEAT] = 0
    state[STATUS] = RUNNING
    state[TOTAL] = rng[0] % np.uint64(4)
    state[PLAYERS] = options[0]


@compiled
def legal(state: StateArray, actions: StateArray) -> int:
    if state[STATUS] != RUNNING:
        return 0
    for action in range(3):
        actions[action] = action
    return 3


@compiled
def apply(state: StateArray, action: int, rng: RngState) -> None:
    state[TOTAL] += action + 1
    if state[TOTAL] >= GOAL:
        state[STATUS] = TERMINATED
    else:
        state[SEAT] = (state[SEAT] + 1) % state[PLAYERS]


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    out[0] = state[TOTAL]


@compiled
def evaluate(state: StateArray, seat: int) -> float:
    return 0.0


@compiled
def returns(state: StateArray, out: NDArray[np.float64]) -> None:
    out[:] = 0
    if state[STATUS] == TERMINATED:
        out[:] = -1.0 / (out.size - 1)
        out[state[SEAT]] = 1


def load(layout: Layout) -> Rules:
    return Rules(
        state_size=4,
        reset=reset,
        legal=legal,
        apply=apply,
        observe=observe,
        returns=returns,
        evaluate=evaluate,
        scores=returns,
        format_position=lambda state: " ".join(map(str, state)),
        parse_position=lambda text, options: np.array(text.split(), np.int64),
        format_action=lambda state, action: f"+{action + 1}",
        parse_action=lambda state, text: int(text) - 1,
    )


def layout(options: Mapping[str, Any]) -> Layout:
    return Layout(
        seat_names=("first", "second", "third")[: options["players"]],
        board_shape=(),
        planes=(Plane("total", "the total"),),
        actions=(ActionBlock("add", "how much, less 1", planes=3, on_board=False),),
        max_plies=15,
    )


SPEC = GameSpec(
    name="adding",
    version=0,
    title="Adding",
    summary="For tests.",
    options=(Option("players", int, 3, "How many.", minimum=2, maximum=3),),
    layout=layout,
    load=load,
    chance_mode=ChanceMode.SETUP,
)
ADDING = Game(SPEC)
ADDING_FOR_TWO = Game(SPEC, players=2)
