"""Recorded games for the tests of replays."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import tzaar_envs
from tzaar_envs.arena.records import GameRecord, MoveData, Recorder


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
    state, choices = game.new_state(1), random.Random(1)
    agents = ["mcts:simulations=8", *["random"] * (game.num_players - 1)]
    recorder = Recorder(state, seed=1, agents=agents)
    recorder.opening = 1
    while not state.is_terminal and len(recorder.actions) < plies:
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
        is_searched = data and state.current_player == 0 and recorder.actions
        recorder.play(state, choices.choice(legal), found if is_searched else None)
    return recorder.record(state)
