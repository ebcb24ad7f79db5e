"""The kernel contract: what a game hands to the rest of the suite.

A position is one flat int64 array, `state`. Its first words mean the same in every game:

| word     | content                                                        |
|----------|----------------------------------------------------------------|
| `SEAT`   | the seat to act (of a finished game: the seat that would act)  |
| `STATUS` | `RUNNING`, `TERMINATED` by the rules, or `TRUNCATED` by a cap  |

The rest belongs to the game. Six compiled functions over that array are all that playouts, perft,
search and the environments need; their Numba signatures stand here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from numba import types
from numba.core.dispatcher import Dispatcher

from tzaar_envs.core.arrays import Words

CompiledFunction: TypeAlias = Callable[..., Any]
"""A compiled function, which other compiled functions can take as an argument."""

SEAT = 0
STATUS = 1
HEADER = 2  # first word that belongs to the game

RUNNING = 0
TERMINATED = 1
TRUNCATED = 2

_STATE = types.int64[::1]
_RNG = types.uint64[::1]

RESET = types.void(_STATE, _STATE, _RNG)
"""`reset(state, options, rng)`: write the start position; `options` as `Game.encoded_options`."""

LEGAL = types.int64(_STATE, types.int8[::1])
"""`legal(state, mask)`: write the 0/1 mask of the seat to act, return how many actions are legal.

A finished game has none.
"""

APPLY = types.void(_STATE, types.int64, _RNG)
"""`apply(state, action, rng)`: play one legal action, chance included; legality is not checked."""

OBSERVE = types.void(_STATE, types.int64, types.int8[::1])
"""`observe(state, seat, out)`: write all of that seat's observation, flattened, into `out`."""

RETURNS = types.void(_STATE, types.float64[::1])
"""`returns(state, out)`: write the return of every seat, in -1 .. 1; zeros while the game runs."""

EVALUATE = types.float64(_STATE, types.int64)
"""`evaluate(state, seat)`: estimate the seat's return: -1 .. 1, exact when the game is over."""


SIGNATURES = {
    "reset": RESET,
    "legal": LEGAL,
    "apply": APPLY,
    "observe": OBSERVE,
    "returns": RETURNS,
    "evaluate": EVALUATE,
}


@dataclass(frozen=True)
class Implementation:
    """The code of a game; its six kernel functions are compiled, or loaded, as it is made.

    Attributes:
        state_size: the number of words of a position.
        reset: see `RESET`.
        legal: see `LEGAL`.
        apply: see `APPLY`.
        observe: see `OBSERVE`.
        returns: see `RETURNS`.
        evaluate: see `EVALUATE`.
        format_position: the notation of a position.
        parse_position: `(text, options) -> state`; ValueError that says what is wrong and where.
        format_action: the notation of a legal action.
        parse_action: `(state, text) -> action`, legal or not; ValueError on bad notation.
        draw: `(state, colour) -> text`, a board to play from; with ANSI colours if asked.
    """

    state_size: int
    reset: CompiledFunction
    legal: CompiledFunction
    apply: CompiledFunction
    observe: CompiledFunction
    returns: CompiledFunction
    evaluate: CompiledFunction
    format_position: Callable[[Words], str]
    parse_position: Callable[[str, Words], Words]
    format_action: Callable[[Words, int], str]
    parse_action: Callable[[Words, str], int]
    draw: Callable[[Words, bool], str]

    def __post_init__(self) -> None:
        for name, signature in SIGNATURES.items():
            function = getattr(self, name)
            if isinstance(function, Dispatcher):  # with NUMBA_DISABLE_JIT=1 it is plain Python
                function.compile(signature)
