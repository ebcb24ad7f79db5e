"""Recorded games for the tests of replays."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import tzaar_envs
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import GameRecord, MoveData


@cache
def short_record(name: str = "twenty_one", plies: int = 6, data: bool = True) -> GameRecord:
    """Return a game that was left after some random moves, with made-up findings of a search."""
    return record_of(name, {}, plies, data)


@cache
def whole_record(name: str = "twenty_one") -> GameRecord:
    """Return a random game that was played to its end."""
    return record_of(name, {}, 10**9, True)


def record_of(name: str, options: Mapping[str, Any], plies: int, data: bool) -> GameRecord:
    """Return a random game of so many moves at most."""
    game = tzaar_envs.load_game(name, **options)
    choices = random.Random(1)
    agents = ["mcts:simulations=8", *["random"] * (game.num_players - 1)]
    history = GameHistory(game.new_state(1), seed=1, agents=agents, opening=1)
    while not history.is_over and history.plies < plies:
        state = history.state
        legal = state.legal_actions().tolist()
        names = [state.action_name(action) for action in legal[:12]]
        found = MoveData(
            value=round(choices.uniform(-1, 1), 2),
            depth=2,
            nodes=1234,
            visits={name: at + 1 for at, name in enumerate(names)},
            line=names[:1],
            seconds=0.5,
        )
        is_searched = data and state.current_player == 0 and history.actions
        history.apply(choices.choice(legal), found if is_searched else None)
    return history.to_record()
