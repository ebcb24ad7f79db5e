"""Play the ladders of the games and publish them: `python docs/tools/make_ladders.py [GAME ...]`.

Of the agents of a game's ladder (`GameSpec.ladder`), those without a time for each action all meet
each other: these games are the same on every machine. Those with one (`ms=`) meet their neighbours,
for which the machine should do nothing else, and neighbours that are close meet more often
(`FURTHER`). The report goes to `docs/ladders/<game>.md`; the ratings, which `tzaar-envs info`
shows, into the folder of the game. The games themselves are kept in
`ladder-<game>-<number>.jsonl` in the working folder: after Ctrl-C the same command resumes from
them.
"""

import dataclasses
import datetime
import itertools
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins
from rich.console import Console

from tzaar_envs import list_games, load_game
from tzaar_envs.arena import (
    Standings,
    match_progress,
    play_tournament,
    read_standings,
    write_report,
)
from tzaar_envs.arena.reports import command_of
from tzaar_envs.core.game import Game
from tzaar_envs.registry import find_spec
from tzaar_envs.system.files import write_atomically

FOLDER = Path(__file__).parents[1] / "ladders"
ANCHOR, ANCHOR_ELO = "greedy", 1000
GAMES = 100  # for each pairing
OPENING_PLIES = 4
SEED = 0

ALPHABETA = "alphabeta:ms=100,policy=reference"
MCTS = "mcts:ms=100,policy=reference"
MCTS_BY_VALUES = "mcts:ms=100,priors=values,policy=reference"

# Further tournaments: the agents, and how many games each pairing plays.
FURTHER: dict[str, list[tuple[tuple[str, ...], int]]] = {
    "black_elephant": [
        (("mcts:simulations=200", "mcts:policy=reference", ALPHABETA), GAMES),
    ],
    "turm_und_waechter": [
        (("alphabeta:depth=6", "alphabeta:depth=5,policy=reference", ALPHABETA, MCTS), GAMES),
    ],
    "twenty_one": [
        (("expectimax", "reference"), 20_000),
        (("reference", MCTS), 2_000),
    ],
    "tzaar": [
        (("alphabeta:depth=4", "mcts:simulations=4000,policy=reference", ALPHABETA, MCTS), GAMES),
        ((ALPHABETA, MCTS), 400),
    ],
    "zatre": [
        (("turn-search", "reference"), 2_000),
        (("reference", MCTS_BY_VALUES), 400),
    ],
}

# Policies whose values take luck from the ratings, where that saves many games.
LUCK = {"twenty_one": "reference"}


def publish(name: str) -> None:
    """Play one ladder, or resume it, and write its report and ratings."""
    game = load_game(name)
    spec = find_spec(name)
    assert spec.ratings is not None
    untimed = [agent for agent in spec.ladder if "ms=" not in agent]
    files = []
    for number, (agents, games) in enumerate([(untimed, GAMES), *FURTHER.get(name, [])]):
        files.append(Path(f"ladder-{name}-{number}.jsonl"))
        play(game, agents, files[-1], games, SEED + number)
    with match_progress(Console(stderr=True)) as progress:
        standings = read_standings(files, ANCHOR, LUCK.get(name), progress)
    rated = dataclasses.replace(standings.ratings, elo=standings.ratings.elo + ANCHOR_ELO)
    standings = dataclasses.replace(standings, ratings=rated)
    FOLDER.mkdir(exist_ok=True)
    write_report(FOLDER / f"{name}.md", standings)
    save_ratings(spec.ratings, standings)
    print(f"{name}: {len(standings.games)} games, see {FOLDER / name}.md")


def play(game: Game, agents: Sequence[str], results: Path, games: int, seed: int) -> None:
    """Play a tournament, or resume it."""
    with match_progress(Console(stderr=True)) as progress:
        played = play_tournament(
            game,
            agents,
            results,
            games,
            seed=seed,
            workers=os.cpu_count() or 1,
            opening_plies=OPENING_PLIES,
            progress=progress,
        )
    if played.interrupted:
        sys.exit(f"Interrupted; the same command resumes from {results}")


def save_ratings(path: Path, standings: Standings) -> None:
    """Write the ratings of a tournament, and when and how it was played, as JSON.

    Each agent has its Elo and half the width of its interval, and the same of its lead over the
    next agent below.
    """
    ratings = standings.ratings
    rated = {}
    for agent, below in itertools.zip_longest(ratings.order, ratings.order[1:]):
        numbers = [ratings.elo[agent], ratings.half_width(agent)]
        if below is not None:
            numbers += ratings.difference(agent, below)
        rated[ratings.agents[agent]] = [round(number) for number in numbers]
    content = {
        "ratings": rated,
        "date": datetime.date.today().isoformat(),
        "luck": standings.luck,
        "anchor": None if ratings.anchor is None else ratings.agents[ratings.anchor],
        "commands": [command_of(header) for header in standings.headers],
        "headers": [to_builtins(header) for header in standings.headers],
    }
    write_atomically(path, (json.dumps(content, indent=1) + "\n").encode())


if __name__ == "__main__":
    for game_name in sys.argv[1:] or list_games():
        publish(game_name)
