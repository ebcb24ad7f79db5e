"""Chance: declared, determined by the seed, and repeatable by its outcomes."""

from __future__ import annotations

from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import TAPE_LENGTH
from tzaar_envs.testing.game_checks.moment import Moment, random_game


def only_as_declared(moment: Moment) -> str | None:
    """A game without chance draws nothing, one without chance in play nothing after the start."""
    spec, state = moment.game.spec, moment.state
    if not moment.actions:
        if not spec.has_chance and state.last_outcome:
            return f"the set-up draws {state.last_outcome}, unlike {spec.chance_mode}"
        return None
    if state.last_outcome and not spec.chance_in_play:
        action = moment.actions[-1]
        return f"action {action} draws {state.last_outcome}, unlike {spec.chance_mode}"
    return None


def outcomes_repeat_it(moment: Moment) -> str | None:
    """The recorded outcomes of an action lead to the same position."""
    action = moment.any_action()
    if action is None:
        return None
    drawn = moment.state.clone()
    drawn.apply(action)
    if len(drawn.last_outcome) >= TAPE_LENGTH:
        return None  # not all are recorded
    given = moment.state.clone()
    given.apply(action, outcome=drawn.last_outcome)
    if given.words.tolist() != drawn.words.tolist():
        return (
            f"action {action} leads elsewhere with its own outcome {drawn.last_outcome}: draw "
            "chance with between, pick or shuffle"
        )
    return None


def the_seed_determines_the_game(last: Moment) -> str | None:
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


def a_restart_forgets_all(last: Moment) -> str | None:
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
