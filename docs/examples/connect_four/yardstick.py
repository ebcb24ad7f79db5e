"""How often does a player of connect four give away what a position is worth?

    python docs/examples/connect_four/yardstick.py runs/mine/policy.safetensors

The table has the share of moves after which the position is worth less than before, by the exact
solver beside this file. In every position the choice matters: some moves keep its value, some do
not, and none wins at once. Positions are of random games, and of games of the player's own.

The game is that of the tutorial "Write a game", installed. Without a policy, `mcts` with random
playouts is measured.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from solver import bitboards, moves_that_keep, new_table, value, wins_at_once

from tzaar_envs import load_game
from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

CLASSES = ((8, 14), (15, 20), (21, 28))
"""The least and the greatest number of stones of a class."""

OPENING = 6  # random plies at the start of the player's own games
EPSILON = 0.1  # share of random moves after them
PLAYERS = {
    "policy alone": "policy:{}",
    "one ply": "greedy:policy={}",
    "`alphabeta` 5 ms": "alphabeta:ms=5,policy={}",
    "`mcts` 600": "mcts:simulations=600,policy={}",
}


class Case(NamedTuple):
    """A position, and which columns keep what it is worth, bool `(7,)`."""

    state: State
    keep: NDArray[np.bool_]


def play(game: Game, agent: Agent | None, plies: int, rng: np.random.Generator) -> State:
    """Return the position of a game after so many plies, or at its end.

    Args:
        game: Connect four.
        agent: Plays against itself; None: all moves are random.
        plies: How many.
        rng: Draws random moves.
    """
    state = game.new_state()
    for ply in range(plies):
        if state.is_terminal:
            break
        if agent is None or ply < OPENING or rng.random() < EPSILON:
            state.apply(int(rng.choice(state.legal_actions())))
        else:
            state.apply(agent.act(state))
    return state


def find_cases(
    game: Game, agent: Agent | None, stones: tuple[int, int], count: int, seed: int
) -> list[Case]:
    """Return different positions in which the choice matters.

    Args:
        game: Connect four.
        agent: See `play`.
        stones: The least and the greatest number of them.
        count: How many positions.
        seed: Of the games.
    """
    rng = np.random.default_rng([seed, *stones])
    table = new_table()
    found: dict[str, Case] = {}
    while len(found) < count:
        state = play(game, agent, int(rng.integers(*stones, endpoint=True)), rng)
        if state.is_terminal or str(state) in found or wins_at_once(*bitboards(state)):
            continue
        position = bitboards(state)
        keep = moves_that_keep(*position, value(*position, table), table)
        if not keep[state.legal_actions()].all():
            found[str(state)] = Case(state, keep)
    return list(found.values())


def share_given_away(agent: Agent, cases: list[Case]) -> float:
    """Return the share of an agent's moves after which the position is worth less than before."""
    actions = agent.act_batch([case.state for case in cases])
    kept = [case.keep[action] for case, action in zip(cases, actions, strict=True)]
    return 1.0 - float(np.mean(kept))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("policy", type=Path, nargs="?", help="file of a policy")
    parser.add_argument("--positions", type=int, default=200, help="of each class")
    parser.add_argument("--seed", type=int, default=0, help="of the games and of the players")
    given = parser.parse_args()
    game = load_game("connect_four")
    texts = {name: text.format(given.policy) for name, text in PLAYERS.items()}
    sources: dict[str, Agent | None] = {"random": None}
    if given.policy is None:
        texts = {"random playouts": "mcts:simulations=600"}
    else:
        sources["own"] = make_agent(texts["one ply"], game, given.seed)
    print("| games | stones |", " | ".join(texts), "|")
    print("|---" * (2 + len(texts)) + "|")
    for source, agent in sources.items():
        for stones in CLASSES:
            cases = find_cases(game, agent, stones, given.positions, given.seed)
            players = [make_agent(text, game, given.seed) for text in texts.values()]
            shares = [f"{share_given_away(player, cases):.1%}" for player in players]
            print(f"| {source} | {stones[0]}-{stones[1]} |", " | ".join(shares), "|", flush=True)


if __name__ == "__main__":
    main()
