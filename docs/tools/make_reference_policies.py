"""Make the reference policies: `python docs/tools/make_reference_policies.py [GAME ...]`.

A game has two networks, in its folder:

- `reference.safetensors` plays without looking ahead, as the agent `reference`. It learns to play
  like a strong search by behaviour cloning (see `training/common/warm_start.py`).
- `search_reference.safetensors` values positions, for `greedy:policy=reference`,
  `alphabeta:policy=reference` and `mcts:policy=reference`. It learns from nothing, by AlphaZero.

Both are then measured; their cards record how they were made and what they reached. The first
follows from the seed, on the same kind of processor with the same number of threads; the second
learns as much as the processor allows in its minutes. The cards of all games together are the page
`docs/reference_policies.md`; `--page` writes only that page.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import Progress

from tzaar_envs import list_games, load_game
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.specs import specs_of
from tzaar_envs.arena.measure_policy import measure_policy
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.policies.card import make_card
from tzaar_envs.policies.file import read_card, save_policy
from tzaar_envs.policies.network import NetworkShape, PolicyNetwork
from tzaar_envs.registry import find_spec
from tzaar_envs.training import alphazero
from tzaar_envs.training.common.run_folder import environment
from tzaar_envs.training.common.warm_start import clone_behaviour, collect_demonstrations

PAGE = Path(__file__).parents[1] / "reference_policies.md"
SEED = 1
GAMES = 500  # against each agent
SEARCH_GAMES = 40  # with 100 ms for each action
LOWEST = 3  # agents of the ladder, and the teacher, that it is measured against
OPENING_PLIES = 4
BUFFER = 400_000  # samples that AlphaZero keeps


@dataclass(frozen=True)
class Recipe:
    """How the policies of a game are made.

    Attributes:
        teacher: the agent to imitate.
        positions: number of its positions.
        passes: passes over them.
        width: of the network that imitates.
        blocks: of the network that imitates.
        minutes: CPU minutes of AlphaZero.
        strongest: the strongest baseline that the networks should beat without a search.
    """

    teacher: str
    positions: int
    passes: int
    width: int
    blocks: int
    minutes: float
    strongest: str


RECIPES = {
    "black_elephant": Recipe("mcts:simulations=100", 120_000, 6, 48, 3, 20, "alphabeta:depth=2"),
    "turm_und_waechter": Recipe("alphabeta:depth=4", 200_000, 6, 48, 3, 15, "alphabeta:depth=2"),
    "twenty_one": Recipe("expectimax", 400_000, 5, 64, 2, 5, "expectimax"),
    "tzaar": Recipe("alphabeta:depth=2", 450_000, 12, 64, 4, 58, "alphabeta:depth=2"),
    "zatre": Recipe("turn-search", 400_000, 8, 64, 3, 8, "turn-search"),
}


def imitate(name: str) -> None:
    """Make and measure the network of a game that plays without looking ahead."""
    game, spec, recipe = load_game(name), find_spec(name), RECIPES[name]
    assert spec.reference is not None
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    begun = time.monotonic()
    with Progress(console=Console(stderr=True)) as progress:
        watching = progress.add_task(f"{name}: {recipe.teacher} plays", total=recipe.positions)
        demonstrations = collect_demonstrations(
            game,
            make_agent(recipe.teacher, game),
            recipe.positions,
            SEED,
            lambda done: progress.update(watching, completed=done),
        )
        learning = progress.add_task(
            f"{name}: behaviour cloning", total=recipe.passes * len(demonstrations.returns)
        )
        network = PolicyNetwork(NetworkShape.for_game(game, recipe.width, recipe.blocks))
        clone_behaviour(
            network,
            demonstrations,
            recipe.passes,
            SEED,
            lambda done, _: progress.update(learning, advance=done),
        )
    training = {
        "algorithm": "imitation",
        "script": "docs/tools/make_reference_policies.py",
        "arguments": {**asdict(recipe), "seed": SEED},
        "minutes": round((time.monotonic() - begun) / 60, 1),
        **environment(),
    }
    save_policy(spec.reference, network, make_card(game, network.shape, training))
    against = dict.fromkeys([*spec.ladder[:LOWEST], recipe.strongest, recipe.teacher])
    measure(spec.reference, name, list(against), GAMES)


def learn_from_nothing(name: str) -> None:
    """Make and measure the network of a game that values positions."""
    spec, recipe = find_spec(name), RECIPES[name]
    assert spec.search_reference is not None
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        alphazero.train(
            alphazero.Arguments(
                game=name,
                folder=str(run),
                from_scratch=True,
                clock="cpu",
                minutes=recipe.minutes,
                threads=1,
                buffer=BUFFER,
                evaluate_every=2 * recipe.minutes,
                final_games=20,
            )
        )
        shutil.copy(run / "policy.safetensors", spec.search_reference)
    measure_values(name)


def measure_values(name: str) -> None:
    """Measure the network of a game that values positions, with searches of 100 ms as well."""
    spec, recipe = find_spec(name), RECIPES[name]
    assert spec.search_reference is not None
    measure(spec.search_reference, name, ["random", "greedy", recipe.strongest], GAMES, "greedy")
    searches = [each for each in ("alphabeta:ms=100", "mcts:ms=100") if has_agent(spec, each)]
    measure(spec.search_reference, name, searches, SEARCH_GAMES, searches[0])


def has_agent(spec: GameSpec, text: str) -> bool:
    """Whether a game has the agent that a text names."""
    return text.partition(":")[0] in specs_of(spec)


def measure(path: Path, name: str, against: list[str], games: int, search: str = "") -> None:
    """Let a policy play matches, and write the results on its card."""
    found = measure_policy(
        path,
        load_game(name),
        against,
        games,
        seed=SEED,
        opening_plies=OPENING_PLIES,
        search=search,
    )
    for agent, result in found.items():
        print(name, search, "against", agent, result, flush=True)


def page() -> str:
    """Return the page, from the cards."""
    return f"""# Reference policies

Every game has two networks, which `python docs/tools/make_reference_policies.py GAME` makes, on
one core. That command writes this page from their cards, too. Minutes are those of a busy machine,
unless they are CPU minutes. Every match has seed {SEED} and {OPENING_PLIES} random opening plies,
and both play each seat equally often; intervals are of 95 %, and Elo is the difference in favour of
the policy.

## Without search

The agent `reference` is a network that imitates a search and plays the likeliest action at once:
`tzaar-envs play GAME --opponent reference`. {GAMES} games against each agent:

| game | made from | against | wins - draws - losses | Elo |
|---|---|---|---|---|
{_rows("reference", _made_by_imitation)}

## One ply ahead, and with a search

`greedy:policy=reference`, `alphabeta:policy=reference` and `mcts:policy=reference` value positions
with a sparse network that AlphaZero learnt from nothing: without a teacher, an evaluation function
or shaping. `greedy` compares the positions after each action, and looks no further. {GAMES} games
against each agent, {SEARCH_GAMES} with 100 ms for each action:

| game | learnt from | plays with | against | wins - draws - losses | Elo |
|---|---|---|---|---|---|
{_rows("search_reference", _made_by_self_play)}
"""


def _rows(which: str, made_of: Callable[[dict[str, Any], str], str]) -> str:
    """Return the rows of a table, from the cards of all games that have such a policy."""
    rows = []
    for name in list_games():
        spec = find_spec(name)
        path: Path = getattr(spec, which)
        if not path.exists():
            continue
        card = read_card(path)
        made = made_of(card["training"], f"{path.stat().st_size / 1e6:.1f} MB")
        for agent, found in card["measured"].items():
            record = f"{found['wins']} - {found['draws']} - {found['losses']}"
            low, high = found["interval"]
            elo = f"{found['elo']:+} ({low:+} to {high:+})"
            search = f" `{found['search']}` |" if "search" in found else ""
            rows.append(f"| {spec.title} | {made} |{search} `{agent}` | {record} | {elo} |")
            made = ""
    return "\n".join(rows)


def _made_by_imitation(training: dict[str, Any], size: str) -> str:
    recipe = training["arguments"]
    return (
        f"`{recipe['teacher']}`, {recipe['positions']:,} positions, {recipe['passes']} passes; "
        f"width {recipe['width']}, blocks {recipe['blocks']}, {size}; {training['minutes']:g} min"
    )


def _made_by_self_play(training: dict[str, Any], size: str) -> str:
    minutes = training["arguments"]["minutes"]
    return f"{training['steps']:,} positions of self-play; {minutes:g} CPU min; {size}"


if __name__ == "__main__":
    if sys.argv[1:] != ["--page"]:
        for game_name in sys.argv[1:] or list_games():
            imitate(game_name)
            learn_from_nothing(game_name)
    PAGE.write_text(page(), encoding="utf-8")
