"""The kernel contract: what a game provides to the rest of the suite.

A position is one flat int64 array, `state`. Its first words mean the same in every game:

| word     | content                                                        |
|----------|----------------------------------------------------------------|
| `SEAT`   | the seat to act (of a finished game: the seat that would act)  |
| `STATUS` | `RUNNING`, `TERMINATED` by the rules, or `TRUNCATED` by a cap  |

The rest belongs to the game. The compiled functions over that array, with the Numba signatures
below, are all that playouts, perft, search and the environments need. In most games nothing is
hidden and one seat acts at a time: `nothing_hidden` and `seat_acts` are for them.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

from numba import types

from tzaar_envs.jit.arrays import Mask, RngState, StateArray
from tzaar_envs.jit.compile import compiled, first_compilation
from tzaar_envs.jit.function_table import (
    CompilationError,
    CompiledFunction,
    FunctionTable,
    accessor,
    function_table,
)
from tzaar_envs.render.scene import Scene, Trace, View

SEAT = 0
STATUS = 1
HEADER = 2  # first word that belongs to the game

RUNNING = 0
TERMINATED = 1
TRUNCATED = 2

NOBODY = -1  # in place of a seat: there is no winner, or nobody is to move

_STATE = types.int64[::1]
_RNG = types.uint64[::1]

RESET = types.void(_STATE, _STATE, _RNG)
"""`reset(state, options, rng)`: write the start position; `options` as `Game.encoded_options`."""

LEGAL = types.int64(_STATE, types.int64[::1])
"""`legal(state, actions)`: write the legal actions of the seat to act, and return their number.

Each is written once, in any order; there is room for all actions of the game. A finished game has
no legal actions.
"""

APPLY = types.void(_STATE, types.int64, _RNG)
"""`apply(state, action, rng)`: play one legal action, chance included; legality is not checked.

Chance events are drawn with `between`, `pick` and `shuffle` of `jit.rng`, in the order that the
game's rules page states, so that they can also be fixed (see `jit.rng.new_tape`). Turns that leave
no decision are played here too: afterwards a seat can act, or the game is over.
"""

OBSERVE = types.void(_STATE, types.int64, types.int8[::1])
"""`observe(state, seat, out)`: write the whole observation of a seat, flattened, into `out`."""

RETURNS = types.void(_STATE, types.float64[::1])
"""`returns(state, out)`: write the return of every seat, in -1 .. 1; zeros while the game runs."""

SCORES = RETURNS
"""`scores(state, out)`: write every seat's points so far; `returns` in a game without points."""

EVALUATE = types.float64(_STATE, types.int64)
"""`evaluate(state, seat)`: estimate the seat's return: -1 .. 1, exact when the game is over."""

DETERMINIZE = types.void(_STATE, types.int64, _RNG)
"""`determinize(state, seat, rng)`: redraw all that the seat cannot know, by its probability."""

ACTING = types.void(_STATE, types.int8[::1])
"""`acting(state, out)`: write 1 for every seat that is to choose now, unseen by the others, else 0.

The word `SEAT` may be set to any of them; `legal` then writes the actions of that seat.
"""

NO_CODE = ""
"""The result of `end_code` for a finished position whose end it cannot explain."""

SIGNATURES = {
    "reset": RESET,
    "legal": LEGAL,
    "apply": APPLY,
    "observe": OBSERVE,
    "returns": RETURNS,
    "evaluate": EVALUATE,
    "scores": SCORES,
    "determinize": DETERMINIZE,
    "acting": ACTING,
}

# In compiled code, these return a game's functions from `Rules.functions`.
_index = {name: index for index, name in enumerate(SIGNATURES)}
reset_of = accessor(_index["reset"], RESET)
legal_of = accessor(_index["legal"], LEGAL)
apply_of = accessor(_index["apply"], APPLY)
observe_of = accessor(_index["observe"], OBSERVE)
returns_of = accessor(_index["returns"], RETURNS)
scores_of = accessor(_index["scores"], SCORES)
evaluate_of = accessor(_index["evaluate"], EVALUATE)
determinize_of = accessor(_index["determinize"], DETERMINIZE)


@compiled
def nothing_hidden(state: StateArray, seat: int, rng: RngState) -> None:
    """Redraw nothing: every seat sees everything."""


@compiled
def seat_acts(state: StateArray, out: Mask) -> None:
    """Write 1 for the seat to act alone; zeros in a finished game."""
    out[:] = 0
    if state[STATUS] == RUNNING:
        out[state[SEAT]] = 1


def untold_end(state: StateArray) -> str:
    """Return no code: the game does not tell how it ended."""
    return NO_CODE


def empty_scene(state: StateArray, view: View) -> Scene:
    """Return an empty picture."""
    return Scene(100, 100, "no picture")


def no_trace(state: StateArray, action: int) -> Trace:
    """Return no places: the game does not tell where its actions lead."""
    return Trace()


@dataclass(frozen=True)
class Rules:
    """The functions of a game; those of the kernel are compiled, or loaded, on construction.

    Attributes:
        state_size: The number of words of a position.
        reset: See `RESET`.
        legal: See `LEGAL`.
        apply: See `APPLY`.
        observe: See `OBSERVE`.
        returns: See `RETURNS`.
        evaluate: See `EVALUATE`.
        scores: See `SCORES`.
        format_position: The notation of a position.
        parse_position: `(text, options) -> state`; ValueError that says what is wrong and where.
        format_action: The notation of a legal action.
        parse_action: `(state, text) -> action`, legal or not; ValueError on bad notation.
        determinize: See `DETERMINIZE`.
        acting: See `ACTING`.
        end_code: `(state) -> code`, one of `GameSpec.end_reasons`, for a position that is over by
            the rules; `NO_CODE` if the position does not tell. Not compiled.
        scene: `(state, view) -> scene`, the picture that a viewer sees, see `render.scene`.
        trace: `(state, action) -> trace`, where a legal action leads in that picture.
        key_size: Number of first words that distinguish a position: all words after them follow
            from them or are history; 0: all words do.
        log_length: The index of a word that holds how many words after the first `key_size` are in
            use; the others mean nothing and need not be copied; 0: all are in use.
        functions: The kernel functions for compiled code, see `jit.function_table`.

    Raises:
        CompilationError: Says in one sentence which function cannot be compiled, where and why.
    """

    state_size: int
    reset: CompiledFunction
    legal: CompiledFunction
    apply: CompiledFunction
    observe: CompiledFunction
    returns: CompiledFunction
    evaluate: CompiledFunction
    scores: CompiledFunction
    format_position: Callable[[StateArray], str]
    parse_position: Callable[[str, StateArray], StateArray]
    format_action: Callable[[StateArray, int], str]
    parse_action: Callable[[StateArray, str], int]
    determinize: CompiledFunction = nothing_hidden
    acting: CompiledFunction = seat_acts
    end_code: Callable[[StateArray], str] = untold_end
    scene: Callable[[StateArray, View], Scene] = empty_scene
    trace: Callable[[StateArray, int], Trace] = no_trace
    key_size: int = 0
    log_length: int = 0
    functions: FunctionTable = field(init=False)

    def __post_init__(self) -> None:
        kernel = [getattr(self, name) for name in SIGNATURES]
        name = inspect.unwrap(self.reset).__module__.removesuffix(".rules")
        try:
            with first_compilation(name, self.reset):
                table = function_table(kernel, [*SIGNATURES.values()])
        except CompilationError as error:
            raise CompilationError(f"{name}: {error}") from None
        object.__setattr__(self, "functions", table)
