"""Make the reference policies: `python docs/tools/make_reference_policies.py [GAME ...]`.

Each game has a network in its folder, `reference.safetensors`, for the agents `reference`,
`alphabeta:policy=reference` and `mcts:policy=reference`. It learns from nothing, by AlphaZero, as
much as the processor allows in its minutes, and is then measured; its card records how it was made
and what it reached. The cards of all games together are the page `docs/reference_policies.md`;
`--page` writes only that page, `--measure` measures the networks again before.
"""

import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wrap import wrapped

from tzaar_envs import list_games, load_game
from tzaar_envs.agents.specs import specs_of
from tzaar_envs.arena.measure_policy import measure_policy
from tzaar_envs.networks.file import read_card
from tzaar_envs.registry import find_spec
from tzaar_envs.training import alphazero

PAGE = Path(__file__).parents[1] / "reference_policies.md"
SEED = 1
GAMES = 500  # against each agent, without a search
MANY_GAMES = 4000  # where the network is about as strong as the strongest baseline
MOST_GAMES = 20_000  # where it is as strong, and games are short
SEARCH_GAMES = 120  # with 100 ms for each action
OPENING_PLIES = 4
BUFFER = 400_000  # samples that AlphaZero keeps
WORKERS = 2  # of a match, each on a core of its own
THREADS = 3  # two play, one learns
MOST_STEPS = 10**9  # the minutes end a run


@dataclass(frozen=True)
class Recipe:
    """How the network of a game is made.

    Attributes:
        minutes: CPU minutes of AlphaZero.
        strongest: The strongest baseline that it should beat without a search.
        search: What it searches with, for 100 ms.
        plays: How it plays without a search, see `GameSpec.reference_agent`; empty: as a policy.
        games: Without a search, against the strongest baseline.
        search_games: With 100 ms for each action, against each of the searches.
        luck: Whether luck is taken from the results, which is worth several times as many games.
        width: Units of the network's first layer.
        then: Settings of a second run, which starts from the network of the first; empty: none.
    """

    minutes: float
    strongest: str
    search: str
    plays: str = "greedy"
    games: int = GAMES
    search_games: int = SEARCH_GAMES
    luck: bool = False
    width: int = 64
    then: Mapping[str, Any] = field(default_factory=dict)


RECIPES = {
    "black_elephant": Recipe(20, "alphabeta:depth=2", "alphabeta:ms=100"),
    "turm_und_waechter": Recipe(15, "alphabeta:depth=2", "alphabeta:ms=100"),
    "twenty_one": Recipe(
        14,
        "expectimax",
        "mcts:ms=100,exploration=2",
        "",
        MOST_GAMES,
        400,
        luck=True,
        width=128,
        then={"minutes": 60, "simulations": 128, "exploration": 2.0, "learning_rate": 5e-4},
    ),
    "tzaar": Recipe(58, "alphabeta:depth=2", "alphabeta:ms=100"),
    "zatre": Recipe(
        75,
        "turn-search",
        "mcts:ms=100,priors=values",
        games=MANY_GAMES,
        search_games=340,
    ),
}


def make(name: str) -> None:
    """Make the network of a game."""
    recipe = RECIPES[name]
    learn(name, from_scratch=True, minutes=recipe.minutes, width=recipe.width)
    if recipe.then:
        learn(name, start="reference", width=recipe.width, **recipe.then)


def learn(name: str, minutes: float, **settings: Any) -> None:
    """Let AlphaZero learn, and keep its network as that of the game."""
    reference = find_spec(name).reference
    assert reference is not None
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        alphazero.train(
            alphazero.AlphaZeroArguments.for_game(
                name,
                folder=run,
                clock="cpu",
                minutes=minutes,
                steps=MOST_STEPS,
                threads=THREADS,
                buffer=BUFFER,
                evaluate_every=2 * minutes,
                final_games=20,
                **settings,
            )
        )
        shutil.copy(run / "policy.safetensors", reference)


def measure(name: str) -> None:
    """Let the network of a game play matches, and write the results on its card."""
    recipe = RECIPES[name]
    searches = [each for each in ("alphabeta:ms=100", "mcts:ms=100") if has_agent(name, each)]
    play(name, recipe.plays, ["random", "greedy"], GAMES)
    play(name, recipe.plays, [recipe.strongest], recipe.games)
    play(name, recipe.search, searches, recipe.search_games)


def has_agent(name: str, text: str) -> bool:
    """Whether a game has the agent that a text names."""
    return text.partition(":")[0] in specs_of(find_spec(name))


def play(name: str, search: str, against: list[str], games: int) -> None:
    """Play matches of a network that plays by a search."""
    spec = find_spec(name)
    assert spec.reference is not None
    found = measure_policy(
        spec.reference,
        load_game(name),
        against,
        games,
        seed=SEED,
        workers=WORKERS,
        opening_plies=OPENING_PLIES,
        search=search,
        luck="reference" if RECIPES[name].luck else None,
    )
    for agent, result in found.items():
        print(name, search, "against", agent, result, flush=True)


def page() -> str:
    """Return the page, from the cards."""
    return f"""# Reference policies

Every game has a network that AlphaZero learnt from nothing: without a teacher, an evaluation
function or shaping. `python docs/tools/make_reference_policies.py GAME` makes and measures it, and
writes this page from the cards. In Twenty One a second run learns on from the network of the first.

The agent `reference` is `greedy:policy=reference`: it compares the positions after each of its
moves by the network's values, and searches no further; in Tzaar and Zatre a turn may be two
actions. In Twenty One it is `policy:reference`, the likeliest action, which is better there.
`alphabeta:policy=reference` and `mcts:policy=reference` search with the network. Matches have seed
{SEED} and {OPENING_PLIES} random opening plies, both sides equally often. Intervals are of 95 %,
and Elo is the difference in favour of the network; with a star the luck of the dice is
[taken away](tournaments.md#without-luck).

| game | learnt from | plays with | against | games: wins - draws - losses | Elo |
|---|---|---|---|---|---|
{_rows()}
"""


def _rows() -> str:
    """Return the rows of the table."""
    rows = []
    for name in list_games():
        spec = find_spec(name)
        assert spec.reference is not None
        card = read_card(spec.reference)
        made = _made(card["training"], spec.reference)
        for agent, found in card["measured"].items():
            record = f"{found['wins']} - {found['draws']} - {found['losses']}"
            low, high = found["interval"]
            elo = f"{found['elo']:+} ({low:+} to {high:+}){' *' if 'luck' in found else ''}"
            plays = found.get("search", "policy")
            record = f"{found['games']}: {record}"
            rows.append(f"| {spec.title} | {made} | `{plays}` | `{agent}` | {record} | {elo} |")
            made = ""
    return "\n".join(rows)


def _made(training: dict[str, Any], path: Path) -> str:
    """Return what a network has learnt from, in all runs."""
    runs = [training]
    while "before" in runs[-1]:
        runs.append(runs[-1]["before"])
    positions = sum(run["steps"] for run in runs)
    minutes = sum(run["arguments"]["minutes"] for run in runs)
    size = path.stat().st_size / 1e6
    return f"{positions:,} positions of self-play; {minutes:g} CPU min; {size:.1f} MB"


if __name__ == "__main__":
    flags = {"--page", "--measure"} & set(sys.argv[1:])
    for game_name in [each for each in sys.argv[1:] if each not in flags] or list_games():
        if not flags:
            make(game_name)
        if "--page" not in flags:
            measure(game_name)
    PAGE.write_text(wrapped(page()), encoding="utf-8")
