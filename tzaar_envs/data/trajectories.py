"""What each player has met with in a recorded game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.records import GameRecord
from tzaar_envs.wrappers.transitions import Transition, TransitionLog


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The transitions of one player in one game, in order.

    Attributes:
        player: the player.
        transitions: at least one; the observation after each is that before the next.
    """

    player: int
    transitions: list[Transition]


def trajectories(record: GameRecord, game: Game | None = None) -> list[Trajectory]:
    """Return the trajectories of the players of a finished game; a random opening is left out.

    The reward of a player's last transition is its return. A game that a fault has ended is
    terminated.

    Args:
        record: of the game.
        game: the game, where it is not in the registry.

    Raises:
        ValueError: the game has no result, or cannot have been played like this.
    """
    if record.returns is None:
        raise ValueError("the game has no result")
    states = record.check(game)
    log = TransitionLog()
    for state, name in list(zip(states, record.actions, strict=False))[record.opening :]:
        player = state.current_player
        log.act(str(player), _seen(state, player), state.parse_action(name))
    last, returns = states[-1], record.returns
    log.end(
        lambda agent: returns[int(agent)],
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
