"""What holds of a description, of whole games, and of many games."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import (
    RUNNING,
    SEAT,
    STATUS,
    TRUNCATED,
    apply_of,
    legal_of,
    observe_of,
    reset_of,
    returns_of,
)
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.state import State
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import TAPE_LENGTH, below, new_generator
from tzaar_envs.testing.check_env import check_env
from tzaar_envs.testing.finding import Finding
from tzaar_envs.testing.sampled_positions import SampledPosition, random_game

# --- The description of a game: its spec, and the layout of each variant --------------------------


def spec_problems(spec: GameSpec) -> Iterator[str]:
    """Yield what is wrong with a spec, whatever the options are."""
    if not spec.name.isidentifier() or spec.name != spec.name.lower():
        yield f"the name {spec.name!r} is not made of lower-case letters, digits and underscores"
    if type(spec.version) is not int or spec.version < 0:
        yield f"the version {spec.version!r} is not an integer from 0 on"
    for what, text in (("title", spec.title), ("summary", spec.summary)):
        if not text.strip():
            yield f"the {what} is empty"
    yield from _repeated("option", [option.name for option in spec.options])
    for option in spec.options:
        try:
            option.check(option.default)
        except ValueError as error:
            yield f"the default is refused: {error}"
    yield from _repeated("end reason", [reason.code for reason in spec.end_reasons])
    if spec.score_unit is not None and not 0 < spec.score_unit < math.inf:
        yield f"the score_unit {spec.score_unit} is not a positive number"
    if spec.rules_page is not None and not spec.rules_page.is_file():
        yield f"the rules_page {spec.rules_page} does not exist"
    for baseline in spec.baselines:
        try:
            baseline.load()
        except (ImportError, AttributeError) as error:
            yield f"the baseline {baseline.name!r} cannot be imported: {error}"


def layout_problems(game: Game) -> Iterator[str]:
    """Yield what is wrong with the layout of a game."""
    layout = game.layout
    if not layout.seat_names:
        yield "the layout has no seat_names"
    yield from _repeated("seat name", layout.seat_names)
    yield from _repeated("plane", [plane.name for plane in layout.planes])
    yield from _repeated("action block", [block.name for block in layout.actions])
    if len(layout.board_shape) not in (0, 2) or any(size < 1 for size in layout.board_shape):
        yield f"the board_shape {layout.board_shape} is neither empty nor rows and columns"
    for plane in layout.planes:
        if not 1 <= plane.high <= 127:
            yield f"plane {plane.name!r} has high={plane.high}: use 1 to 127, since it is int8"
        if plane.count < 1:
            yield f"plane {plane.name!r} has count={plane.count}: use 1 or more"
    for block in layout.actions:
        if block.planes < 1:
            yield f"action block {block.name!r} has planes={block.planes}: use 1 or more"
        if block.on_board and not layout.board_shape:
            yield f"action block {block.name!r} is on_board, but the layout has no board_shape"
    if layout.max_plies < 1:
        yield f"max_plies is {layout.max_plies}: use 1 or more"
    for what, count in (("observation planes", len(layout.planes)), ("actions", game.num_actions)):
        if count < 1:
            yield f"the layout has no {what}"


def _repeated(what: str, names: Sequence[str]) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{what} {name!r} is there {names.count(name)} times"


# --- Chance: declared, determined by the seed, and repeatable by its outcomes ---------------------


def only_as_declared(position: SampledPosition) -> str | None:
    """A game without chance draws nothing, one without chance in play nothing after the start."""
    spec, state = position.game.spec, position.state
    if not position.actions:
        if not spec.has_chance and state.last_outcome:
            return f"the set-up draws {state.last_outcome}, unlike {spec.chance_mode}"
        return None
    if state.last_outcome and not spec.chance_in_play:
        action = position.actions[-1]
        return f"action {action} draws {state.last_outcome}, unlike {spec.chance_mode}"
    return None


def outcomes_repeat_it(position: SampledPosition) -> str | None:
    """The recorded outcomes of an action lead to the same position."""
    action = position.any_action()
    if action is None:
        return None
    drawn = position.state.clone()
    drawn.apply(action)
    if len(drawn.last_outcome) >= TAPE_LENGTH:
        return None  # not all are recorded
    given = position.state.clone()
    given.apply(action, outcome=drawn.last_outcome)
    if given.words.tolist() != drawn.words.tolist():
        return (
            f"action {action} leads elsewhere with its own outcome {drawn.last_outcome}: draw "
            "chance with between, pick or shuffle"
        )
    return None


def the_seed_determines_the_game(last: SampledPosition) -> str | None:
    """The same seed and actions lead to the same positions; without chance any seed does."""
    game, seed = last.game, last.seed
    state, other = game.new_state(seed), game.new_state(seed)
    foreign = None if game.spec.has_chance else game.new_state(seed + 1)
    for action in (None, *last.actions):
        if action is not None:
            state.apply(action)
            other.apply(action)
        if state.words.tolist() != other.words.tolist():
            return "the same seed and actions lead to two different positions"
        if foreign is not None:
            if action is not None and foreign.is_legal(action):
                foreign.apply(action)
            if foreign.words.tolist() != state.words.tolist():
                return f"seed {seed + 1} leads elsewhere, unlike {game.spec.chance_mode}"
    return None


def a_restart_forgets_all(last: SampledPosition) -> str | None:
    """A start position is the same whatever was played before."""
    game = last.game
    start, used = game.new_state(last.seed), last.state.clone()
    if len(start.last_outcome) >= TAPE_LENGTH:
        return None  # not all are recorded
    used.restart(outcome=start.last_outcome)
    size = game.rules.key_size if game.rules.log_length else game.rules.state_size
    differ = used.words[:size] != start.words[:size]
    if differ.any():
        word = int(differ.argmax())
        return f"`reset` does not write word {word} of the state, which is left from another game"
    return None


def seeds_differ(game: Game, seed: int) -> str | None:
    """With chance, some of ten seeds lead to different games."""
    if not game.spec.has_chance:
        return None
    last = {str([*random_game(game, other)][-1].state) for other in range(seed, seed + 10)}
    mode = game.spec.chance_mode
    return f"ten seeds lead to the same game, unlike {mode}" if len(last) < 2 else None


# --- Symmetries: tables that are permutations, and positions whose images behave alike ------------


def tables_are_permutations(game: Game, seed: int) -> str | None:
    """The symmetries have names of their own and whole tables; the first changes nothing."""
    size = int(np.prod(game.observation_shape))
    tables = game.symmetries
    names = [symmetry.name for symmetry in tables]
    if len(set(names)) < len(names):
        return f"the symmetries {names} do not have different names"
    for symmetry in tables:
        for what, table, count in (
            ("observation", symmetry.observation, size),
            ("actions", symmetry.actions, game.num_actions),
        ):
            if not np.array_equal(np.sort(table), np.arange(count)):
                return (
                    f"the table {what} of symmetry {symmetry.name!r} is no permutation of "
                    f"{count} numbers"
                )
    first = tables[0]
    if (np.diff(first.observation) != 1).any() or (np.diff(first.actions) != 1).any():
        return f"the first symmetry, {first.name!r}, is not the identity"
    return None


def images_go_on_alike(last: SampledPosition) -> str | None:
    """If the start is its own image, so is a game whose actions are the images of another's.

    A start that is not symmetric, such as a random set-up, tells nothing.
    """
    game = last.game
    for symmetry in game.symmetries[1:]:
        state = game.new_state(last.seed)
        image = game.new_state(last.seed)
        if _difference_of_image(state, image, symmetry):
            continue
        for ply, action in enumerate(last.actions, start=1):
            state.apply(action)
            mapped = int(symmetry.images_of(np.array([action]))[0])
            try:
                image.apply(mapped, outcome=state.last_outcome)
            except ValueError:
                return f"after {ply} plies of the image under {symmetry.name!r}, chance differs"
            if what := _difference_of_image(state, image, symmetry):
                return f"after {ply} plies, {what} under symmetry {symmetry.name!r}"
    return None


def _difference_of_image(state: State, image: State, symmetry: Symmetry) -> str | None:
    players = range(state.game.num_players)
    order = [1, 0] if symmetry.swaps_seats else [*players]
    for player in players:
        seen = symmetry.apply_to_observations(state.observation(player))
        if not np.array_equal(seen, image.observation(order[player])):
            return "an observation is not that of the image"
        allowed = symmetry.apply_to_actions(state.legal_mask_of(player))
        if not np.array_equal(allowed, image.legal_mask_of(order[player])):
            return "a mask is not that of the image"
    if state.returns().tolist() != [image.returns()[order[player]] for player in players]:
        return "the returns are not those of the image"
    return None


# --- Many games: what happens rarely, found by compiled random games ------------------------------

_PLIES = 50_000  # of all games together, if they were as long as can be
_FEWEST = 100  # games
_UNCOMPILED = 5  # games

_FINE = 0
_STUCK = 1
_TOO_LONG = 2
_CUT_EARLY = 3
_RETURN = 4
_OBSERVATION = 5
_ACTION = 6
_SENTENCES = {
    _STUCK: "the game runs, but nothing is legal",
    _TOO_LONG: "the game runs after max_plies plies",
    _CUT_EARLY: "the game is truncated before max_plies plies",
    _RETURN: "a return at the end is not in -1 to 1",
    _OBSERVATION: "an observation is not within the highs of its planes",
    _ACTION: "a legal action does not exist",
}


@compiled
def _play(
    functions: FunctionTable,
    options: StateArray,
    rng: RngState,
    choices: RngState,
    state: StateArray,
    highs: NDArray[np.int8],
    players: int,
    num_actions: int,
    played: NDArray[np.int64],
) -> tuple[int, int]:
    """Play a random game; return what is wrong, and the number of plies."""
    actions = np.empty(num_actions, np.int64)
    seen = np.zeros(highs.size, np.int8)
    returns = np.zeros(players)
    reset_of(functions)(state, options, rng)
    ply = 0
    while state[STATUS] == RUNNING:
        if ply == played.size:
            return _TOO_LONG, ply
        observe_of(functions)(state, state[SEAT], seen)
        for index in range(seen.size):
            if not 0 <= seen[index] <= highs[index]:
                return _OBSERVATION, ply
        count = legal_of(functions)(state, actions)
        if count == 0:
            return _STUCK, ply
        action = actions[below(choices, count)]
        if not 0 <= action < num_actions:
            return _ACTION, ply
        played[ply] = action
        apply_of(functions)(state, action, rng)
        ply += 1
    if state[STATUS] == TRUNCATED and ply != played.size:
        return _CUT_EARLY, ply
    returns_of(functions)(state, returns)
    for player in range(players):
        if not -1.0 <= returns[player] <= 1.0:
            return _RETURN, ply
    return _FINE, ply


def many_games_findings(game: Game, seed: int) -> list[Finding]:
    """Return a finding of the first of many random games in which something is wrong."""
    cells = int(np.prod(game.layout.board_shape))
    highs = np.repeat(np.array(game.layout.plane_highs, np.int8), cells)
    played = np.zeros(game.max_plies, np.int64)
    state = np.zeros(game.rules.state_size, np.int64)
    games = max(_FEWEST, _PLIES // game.max_plies)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        games = _UNCOMPILED
    for number in range(seed, seed + games):
        what, plies = _play(
            game.rules.functions,
            game.encoded_options,
            new_generator(number),
            new_generator([number, 1]),
            state,
            highs,
            game.num_players,
            game.num_actions,
            played,
        )
        if what != _FINE:
            actions = tuple(played[:plies].tolist())
            return [Finding("many_games", _SENTENCES[what], number, actions)]
    return []


# --- The game's environments pass the checks of any environment -----------------------------------


def environment_findings(game: Game, seed: int) -> list[Finding]:
    """Return what the checks find in the AEC environment and in the parallel one, if there is."""
    spec, options = game.spec, dict(game.options)
    most = (game.max_plies + 1) * (1 + game.num_players)
    redraw = _redraw if spec.hidden_information else None
    found = check_env(
        lambda: GameEnv(spec, **options), episodes=1, seed=seed, max_steps=most, redraw=redraw
    )
    if spec.simultaneous:
        found += check_env(
            lambda: ParallelGameEnv(spec, **options), episodes=1, seed=seed, max_steps=most
        )
    return found


def _redraw(env: GameEnv, agent: str, seed: int) -> None:
    """Draw anew what is hidden from an agent."""
    assert env._state is not None
    env._state = env._state.determinize(env.possible_agents.index(agent), seed)
    env._seen = None
