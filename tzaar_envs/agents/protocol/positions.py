"""Positions as hosts send them, with no more than the player to move may see."""

from __future__ import annotations

import numpy as np

from tzaar_envs.agents.protocol.moves import format_list, play_moves, split_outcome
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

START = "start"
_MOVES = " moves "


def parse_position(game: Game, text: str, seed: int) -> State:
    """Return the position that follows the word `position`.

    Args:
        game: the game.
        text: `start` or a position in notation, and moves from there.
        seed: of the chance outcomes that are not given.

    Raises:
        ValueError: says what is wrong.
    """
    begin, _, moves = f"{text} ".partition(_MOVES)
    begin = begin.strip()
    if not begin:
        raise ValueError(f"position is missing: use {START!r} or the notation of {game.name}")
    name, outcome = split_outcome(begin)
    state = game.new_state(seed, outcome) if name == START else game.parse(begin, seed)
    play_moves(state, moves)
    return state


def visible_position(state: State, seed: int) -> State:
    """Return a position that the player to move cannot tell from the real one.

    In a game with hidden information, all that the player cannot know is drawn again.
    """
    if not state.game.spec.hidden_information:
        return state
    return state.determinize(state.current_player, seed)


def format_legal(state: State) -> str:
    """Return the legal moves."""
    return format_list(state.action_name(int(action)) for action in state.legal_actions())


def format_observation(state: State) -> str:
    """Return the observation of the player to move: its numbers, the last axis first to change."""
    observation = state.observation(state.current_player)
    return " ".join(np.char.mod("%d", observation.ravel()).tolist())
