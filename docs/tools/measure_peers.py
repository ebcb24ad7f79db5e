"""Measure the speed of other suites: `python docs/tools/measure_peers.py FILE.json`.

It is random legal play with observation and mask, on one core; `make_speed_page.py` takes the file
beside that of `tzaar-envs benchmark`. A peer is measured if it is installed (the extra `peers`), in
games of its own, because none has one of ours. The boards are of about the same size; readers must
judge how comparable the games are.

| peer                      | definition                                                        |
|---------------------------|-------------------------------------------------------------------|
| PettingZoo Classic        | the loop of its documentation: `agent_iter`, `last`, `step`        |
| OpenSpiel, rl_environment | `step` of its Python environment                                  |
| OpenSpiel, state          | its C++ states from a bare Python loop, observation and mask as    |
|                           | NumPy arrays                                                      |
| OpenSpiel, rollouts       | random games in C++ without observations, inside its search bot   |
| OpenSpiel, MCTS           | simulations of that bot from the initial position, one rollout    |
|                           | each                                                              |
| Pgx, batch                | a jitted, batched step, with its arrays copied to NumPy           |
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from tzaar_envs.cli.benchmark import Measurement, measured
from tzaar_envs.system.machine import machine, versions

PACKAGES = ("numpy", "pettingzoo", "open_spiel", "pgx", "jax")

_CLASSIC = ("tictactoe_v3", "connect_four_v3", "go_v5", "chess_v6")
_SEARCHED = (
    "connect_four", "breakthrough(rows=7,columns=7)", "go(board_size=9)", "amazons", "chess",
)  # fmt: skip
_OPEN_SPIEL = (*_SEARCHED, "backgammon")  # which starts with chance
_ROLLOUTS = 200  # from each of the two leaves of a search, so that they take nearly all the time
_SIMULATIONS = 1000  # of a search
_PGX = ("connect_four", "go_9x9", "backgammon", "chess")
_PGX_BATCH = 256


def measure_peers() -> Iterator[Measurement]:
    """Yield the measurements of all peers that are installed."""
    for peer, unit, make, game in _peers():
        play = make(game)
        play()  # compiles, or fills caches
        yield measured(peer, "environment", unit, play)


def _peers() -> Iterator[tuple[str, str, Callable[[Any], Callable[[], int]], Any]]:
    """Yield a name, a unit, and what makes of a game a function that returns how much it played."""
    moves, simulations = "moves/s", "simulations/s"
    if importlib.util.find_spec("pyspiel") is not None:
        for name in _OPEN_SPIEL:
            yield f"OpenSpiel, state: {name}", moves, _open_spiel_state, name
            yield f"OpenSpiel, rl_environment: {name}", moves, _open_spiel_environment, name
        for name in _SEARCHED:
            yield f"OpenSpiel, rollouts: {name}", moves, _open_spiel_rollouts, name
            yield f"OpenSpiel, MCTS: {name}", simulations, _open_spiel_search, name
    for name in _CLASSIC:
        try:
            module = importlib.import_module(f"pettingzoo.classic.{name}")
        except (ImportError, AttributeError):  # packages of this game are missing
            continue
        yield f"PettingZoo Classic: {name}", moves, _classic, module
    if importlib.util.find_spec("pgx") is not None:
        for name in _PGX:
            yield f"Pgx, batch of {_PGX_BATCH}: {name}", moves, _pgx, name


def _open_spiel_state(name: str) -> Callable[[], int]:
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    observation = make_observation(game)
    rng = np.random.default_rng(0)
    actions = game.num_distinct_actions()

    def play() -> int:
        state = game.new_initial_state()
        moves = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=chances)))
                continue
            legal = state.legal_actions()
            mask = np.zeros(actions, np.int8)
            mask[legal] = 1
            observation.set_from(state, state.current_player())
            state.apply_action(legal[int(rng.random() * len(legal))])
            moves += 1
        return moves

    return play


def _open_spiel_search(
    name: str, rollouts: int = 1, simulations: int = _SIMULATIONS
) -> Callable[[], int]:
    """Return a function that searches the initial position; it returns its simulations."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1000, False, 0, False)
    state = game.new_initial_state()

    def play() -> int:
        bot.step(state)
        return simulations

    return play


def _open_spiel_rollouts(name: str) -> Callable[[], int]:
    import pyspiel

    game = pyspiel.load_game(name)
    rng = np.random.default_rng(0)
    search = _open_spiel_search(name, _ROLLOUTS, 2)

    def length() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(rng.choice(state.legal_actions())))
        return int(state.move_number())

    # The rollouts start one ply from the initial position.
    mean_length = float(np.mean([length() for _ in range(_ROLLOUTS)])) - 1

    def play() -> int:
        return round(search() * _ROLLOUTS * mean_length)

    return play


def _open_spiel_environment(name: str) -> Callable[[], int]:
    from open_spiel.python import rl_environment

    env = rl_environment.Environment(name)
    rng = np.random.default_rng(0)

    def play() -> int:
        step = env.reset()
        moves = 0
        while not step.last():
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = env.step([legal[int(rng.random() * len(legal))]])
            moves += 1
        return moves

    return play


def _classic(module: Any) -> Callable[[], int]:
    env = module.env()

    def play() -> int:
        env.reset(seed=0)
        moves = 0
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
            moves += not over
        return moves

    return play


def _pgx(name: str) -> Callable[[], int]:
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make(name)
    initial = jax.jit(jax.vmap(env.init))
    fresh = initial(jax.random.split(jax.random.PRNGKey(0), _PGX_BATCH))

    @jax.jit  # type: ignore[untyped-decorator]
    def advance(state: Any, key: Any) -> Any:
        choice, restart = jax.random.split(key)
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(choice, logits, axis=1)
        if name == "backgammon":
            keys = jax.random.split(restart, _PGX_BATCH)
            after = jax.vmap(env.step)(state, actions, keys)
        else:
            after = jax.vmap(env.step)(state, actions)
        over = after.terminated | after.truncated
        return jax.tree_util.tree_map(
            lambda new, first: jnp.where(over.reshape(-1, *[1] * (new.ndim - 1)), first, new),
            after,
            fresh,
        )

    state = fresh
    key = jax.random.PRNGKey(1)

    def play() -> int:
        nonlocal state, key
        key, used = jax.random.split(key)
        state = advance(state, used)
        np.asarray(state.observation)
        np.asarray(state.legal_action_mask)
        np.asarray(state.rewards)
        return _PGX_BATCH

    return play


def main(path: str) -> None:
    """Measure all peers, and write the figures as `tzaar-envs benchmark --json` does."""
    entries = []
    for entry in measure_peers():
        print(f"{entry.game}: {entry.median:,.0f} {entry.unit}", flush=True)
        entries.append(asdict(entry))
    content = {"machine": machine() | versions(*PACKAGES), "measurements": entries}
    Path(path).write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("use: python docs/tools/measure_peers.py FILE.json")
    main(sys.argv[1])
