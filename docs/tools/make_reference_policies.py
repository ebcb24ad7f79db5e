"""Make the reference policies: `python docs/tools/make_reference_policies.py [GAME ...]`.

A game has two networks, in its folder. `reference.safetensors` plays without search, as the agent
`reference`. `search_reference.safetensors` guides searches, as `alphabeta:policy=reference` and
`mcts:policy=reference`.

The network of searches learns from nothing, by AlphaZero. The other one then learns to play like a
search with it, by behaviour cloning (see `training/common/warm_start.py`): first in games of that
search, then in its own, where it meets its own mistakes. Where a hand-made search is the better
teacher, the recipe names that. Everything follows from the seeds, except that AlphaZero learns as
much as the processor allows in its minutes. The cards of all games together are the page
`docs/reference_policies.md`; `--page` writes only that page.
"""

import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import Progress

from tzaar_envs import list_games, load_game
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.policy import PolicyAgent
from tzaar_envs.arena.measure_policy import measure_policy
from tzaar_envs.policies.card import make_card
from tzaar_envs.policies.file import read_card, save_policy
from tzaar_envs.policies.network import NetworkShape, PolicyNetwork
from tzaar_envs.registry import find_spec
from tzaar_envs.training import alphazero
from tzaar_envs.training.common.run_folder import environment
from tzaar_envs.training.common.warm_start import (
    Demonstrations,
    clone_behaviour,
    collect_demonstrations,
)

PAGE = Path(__file__).parents[1] / "reference_policies.md"
SEED = 1
GAMES = 500  # against each agent
LOWEST = 3  # agents of the ladder, and the teacher, that it is measured against
OPENING_PLIES = 4
BUFFER = 400_000  # samples that AlphaZero keeps


@dataclass(frozen=True)
class Recipe:
    """How the policies of a game are made.

    Attributes:
        teacher: the agent to imitate.
        positions: number of positions from its games.
        passes: passes over them.
        width: of the network.
        blocks: of the network.
        own_positions: number of positions from the network's own games after that.
        own_passes: passes over all positions then.
        search_minutes: CPU minutes that AlphaZero learns the network of searches; 0: there is none.
    """

    teacher: str
    positions: int
    passes: int
    width: int
    blocks: int
    own_positions: int = 0
    own_passes: int = 0
    search_minutes: float = 0.0


RECIPES = {
    "black_elephant": Recipe("mcts:simulations=100", 120_000, 6, 48, 3),
    "turm_und_waechter": Recipe(
        "alphabeta:policy=reference,depth=4", 120_000, 4, 48, 3, 120_000, 5, search_minutes=15
    ),
    "twenty_one": Recipe("expectimax", 400_000, 5, 64, 2),
    "tzaar": Recipe("alphabeta:depth=2", 450_000, 12, 64, 4),
    "zatre": Recipe("turn-search", 400_000, 8, 64, 3),
}


def publish_search_network(name: str, minutes: float) -> None:
    """Make the network that searches in one game use."""
    path = find_spec(name).search_reference
    assert path is not None
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        alphazero.train(
            alphazero.Arguments(
                game=name,
                folder=str(run),
                from_scratch=True,
                clock="cpu",
                minutes=minutes,
                threads=1,
                buffer=BUFFER,
                evaluate_every=2 * minutes,
                final_games=20,
            )
        )
        shutil.copy(run / "policy.safetensors", path)


def publish(name: str) -> None:
    """Make the policies of one game."""
    game, spec, recipe = load_game(name), find_spec(name), RECIPES[name]
    assert spec.reference is not None
    if recipe.search_minutes:
        publish_search_network(name, recipe.search_minutes)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    begun = time.monotonic()
    network = PolicyNetwork(NetworkShape.for_game(game, recipe.width, recipe.blocks))
    with Progress(console=Console(stderr=True)) as progress:
        seen = _watch(progress, name, recipe.teacher, recipe.positions)
        _clone(progress, name, network, seen, recipe.passes)
        if recipe.own_positions:
            own = _watch(progress, name, recipe.teacher, recipe.own_positions, network)
            _clone(progress, name, network, seen + own, recipe.own_passes)
    training = {
        "algorithm": "imitation",
        "script": "docs/tools/make_reference_policies.py",
        "arguments": {**asdict(recipe), "seed": SEED},
        "minutes": round((time.monotonic() - begun) / 60, 1),
        **environment(),
    }
    save_policy(spec.reference, network, make_card(game, network.shape, training))
    against = dict.fromkeys([*spec.ladder[:LOWEST], recipe.teacher])
    found = measure_policy(
        spec.reference, game, list(against), GAMES, seed=SEED, opening_plies=OPENING_PLIES
    )
    for agent, result in found.items():
        print(name, "against", agent, result, flush=True)


def _watch(
    progress: Progress,
    name: str,
    teacher: str,
    positions: int,
    network: PolicyNetwork | None = None,
) -> Demonstrations:
    """Return what the teacher plays in its own games, or would play in those of a network."""
    game = load_game(name)
    verb = "plays" if network is None else "comments"
    task = progress.add_task(f"{name}: {teacher} {verb}", total=positions)
    return collect_demonstrations(
        game,
        make_agent(teacher, game),
        positions,
        SEED if network is None else SEED + 1,
        lambda done: progress.update(task, completed=done),
        player=None if network is None else PolicyAgent(game, network),
    )


def _clone(
    progress: Progress, name: str, network: PolicyNetwork, seen: Demonstrations, passes: int
) -> None:
    """Fit a network to demonstrations."""
    task = progress.add_task(f"{name}: behaviour cloning", total=passes * len(seen.returns))
    clone_behaviour(
        network, seen, passes, SEED, lambda done, _: progress.update(task, advance=done)
    )


def page() -> str:
    """Return the page, from the cards."""
    rows = []
    for name in list_games():
        path = find_spec(name).reference
        if path is None or not path.exists():
            continue
        card = read_card(path)
        recipe = card["training"]["arguments"]
        made = (
            f"`{recipe['teacher']}`, {recipe['positions']:,} positions, {recipe['passes']} passes; "
            f"width {recipe['width']}, blocks {recipe['blocks']}, {path.stat().st_size / 1e6:.1f} "
            f"MB; {card['training']['minutes']:g} min"
        )
        for agent, found in card["measured"].items():
            record = f"{found['wins']} - {found['draws']} - {found['losses']}"
            low, high = found["interval"]
            elo = f"{found['elo']:+} ({low:+} to {high:+})"
            rows.append(f"| {find_spec(name).title} | {made} | `{agent}` | {record} | {elo} |")
            made = ""
    return (
        "# Reference policies\n\n"
        "The agent `reference` of a game is a network trained to imitate a search; it plays "
        "without search: `tzaar-envs play GAME --opponent reference`. "
        "`python docs/tools/make_reference_policies.py` makes all of them, on one core each, and "
        "writes this page from their cards. The minutes were measured on a machine that was busy "
        "with other work.\n\n"
        f"{GAMES} games against each agent, with {OPENING_PLIES} random opening plies, in both "
        "seats equally often, seed 1, with 95 % intervals; Elo is the difference in favour of the "
        "policy.\n\n"
        "| game | made from | against | wins - draws - losses | Elo |\n|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


if __name__ == "__main__":
    if sys.argv[1:] != ["--page"]:
        for game_name in sys.argv[1:] or list_games():
            publish(game_name)
    PAGE.write_text(page(), encoding="utf-8")
