"""The game's environments pass the checks of any environment."""

from __future__ import annotations

from tzaar_envs.core.game import Game
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv
from tzaar_envs.testing.check_env import check_env
from tzaar_envs.testing.finding import Finding


def findings(game: Game, seed: int) -> list[Finding]:
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
