"""Make the reference policies: `python docs/tools/make_reference_policies.py [GAME ...]`.

The network of a game learns to play like a strong search by behaviour cloning (see
`training/common/warm_start.py`), and is then measured. The result, `reference.safetensors` in the
folder of the game, is what the agent `reference` plays with; its card records how it was made and
what it reached. Everything follows from the seed, on the same kind of processor with the same
number of threads. The cards of all games together are the page `docs/reference_policies.md`;
`--page` writes only that page.
"""

import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import Progress

from tzaar_envs import list_games, load_game
from tzaar_envs.agents import make_agent
from tzaar_envs.arena.measure_policy import measure_policy
from tzaar_envs.policies.card import make_card
from tzaar_envs.policies.file import read_card, save_policy
from tzaar_envs.policies.network import NetworkShape, PolicyNetwork
from tzaar_envs.registry import find_spec
from tzaar_envs.training.common.run_folder import environment
from tzaar_envs.training.common.warm_start import clone_behaviour, collect_demonstrations

PAGE = Path(__file__).parents[1] / "reference_policies.md"
SEED = 1
GAMES = 500  # against each agent
LOWEST = 3  # agents of the ladder, and the teacher, that it is measured against
OPENING_PLIES = 4


@dataclass(frozen=True)
class Recipe:
    """How a policy is made.

    Attributes:
        teacher: the agent to imitate.
        positions: number of its positions.
        passes: passes over them.
        width: of the network.
        blocks: of the network.
    """

    teacher: str
    positions: int
    passes: int
    width: int
    blocks: int


RECIPES = {
    "black_elephant": Recipe("mcts:simulations=100", 120_000, 6, 48, 3),
    "turm_und_waechter": Recipe("alphabeta:depth=4", 200_000, 6, 48, 3),
    "twenty_one": Recipe("expectimax", 400_000, 5, 64, 2),
    "tzaar": Recipe("alphabeta:depth=2", 450_000, 12, 64, 4),
    "zatre": Recipe("turn-search", 400_000, 8, 64, 3),
}


def publish(name: str) -> None:
    """Make the policy of one game."""
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
    against = dict.fromkeys([*spec.ladder[:LOWEST], recipe.teacher])
    found = measure_policy(
        spec.reference, game, list(against), GAMES, seed=SEED, opening_plies=OPENING_PLIES
    )
    for agent, result in found.items():
        print(name, "against", agent, result, flush=True)


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
