"""What each player has met with in a recorded game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.records import GameRecord
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.base import final_rewards
from tzaar_envs.wrappers.transitions import Transition, TransitionLog

REWARDS = ("outcome", "score", "gain")
"""What a dataset can pay, see `trajectories`."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The transitions of one player in one game, in order.

    Attributes:
        player: the player.
        transitions: at least one; the observation after each is that before the next.
    """

    player: int
    transitions: list[Transition]


def trajectories(
    record: GameRecord, game: Game | None = None, reward: str = "outcome"
) -> list[Trajectory]:
    """Return the trajectories of the players of a finished game; a random opening is left out.

    A game that a fault has ended is terminated, and pays its returns in the end in any case.

    Args:
        record: of the game.
        game: the game, where it is not in the registry.
        reward: `"outcome"`: a player's last transition pays its return; `"score"`: its lead in
            points, as the environments do; `"gain"`: every transition pays what it has changed in
            that lead, so that rewards come early and add up to the same.

    Raises:
        ValueError: the game has no result, or cannot have been played like this; there is no such
            reward.
    """
    if reward not in REWARDS:
        raise ValueError(f"reward={reward!r} is not allowed: use {', '.join(map(repr, REWARDS))}")
    if record.returns is None:
        raise ValueError("the game has no result")
    states = record.check(game)
    log = TransitionLog()
    paid = np.zeros(states[-1].game.num_players)
    acted: set[int] = set()
    for state, name in list(zip(states, record.actions, strict=False))[record.opening :]:
        player = state.current_player
        gained = 0.0
        if reward == "gain" and player in acted:
            gained = _lead(state, player) - paid[player]
        paid[player] += gained
        acted.add(player)
        log.act(str(player), _seen(state, player), state.parse_action(name), gained)
    last = states[-1]
    owed = _final(record, last, reward) - paid
    log.end(
        lambda agent: owed[int(agent)],
        lambda agent: {
            "observation": last.observation(int(agent)),
            "action_mask": last.game.idle_mask,
        },
        terminated=not last.is_truncated,
        truncated=last.is_truncated,
    )
    players: dict[int, list[Transition]] = {}
    for transition in log.complete:
        players.setdefault(int(transition.agent), []).append(transition)
    return [Trajectory(player, players[player]) for player in sorted(players)]


def _seen(state: State, player: int) -> dict[str, Any]:
    return {"observation": state.observation(player), "action_mask": state.legal_mask()}


def _final(record: GameRecord, last: State, reward: str) -> NDArray[np.float64]:
    """Return what every player is paid in the end for the whole game."""
    if reward == "outcome" or record.fault is not None:
        return np.array(record.returns)
    return final_rewards(last, "score")


def _lead(state: State, player: int) -> float:
    """Return the lead of a player, in the unit of rewards."""
    return float(final_rewards(state, "score")[player])
