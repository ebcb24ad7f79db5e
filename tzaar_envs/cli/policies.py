"""The commands about saved policies: `card`, `measure`, `export`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.types import PositiveInt
from rich.text import Text

import tzaar_envs
from tzaar_envs.cli.output import (
    assignments,
    new_console,
    print_section,
    table_of,
    working,
)
from tzaar_envs.cli.parameters import (
    Agent,
    JsonPath,
    LuckPolicy,
    MatchSeed,
    OpeningPlies,
    Workers,
    check_output,
)
from tzaar_envs.command_line import complete_game
from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import shape_in_words
from tzaar_envs.networks.file import REFERENCE, export_policy, find_policy, read_card
from tzaar_envs.registry import find_spec
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import write_atomically

PolicyPath = Annotated[
    Path,
    Parameter(
        name="POLICY",
        help="File of a saved policy, or `reference`: the one that comes with a game.",
    ),
]
PolicyGame = Annotated[
    str | None,
    Parameter(
        name="--game",
        metavar="GAME",
        help="The game whose `reference` is meant.",
        completer=complete_game,
    ),
]


def card(path: PolicyPath, /, *, game: PolicyGame = None, json_path: JsonPath = None) -> None:
    """Show the card of a saved policy: game, network, training, results.

    `card reference` shows those of all games, unless `--game` names one.
    """
    check_output("--json", json_path)
    several = str(path) == REFERENCE and game is None
    if several:
        references = [find_spec(name).reference for name in tzaar_envs.list_games()]
        paths = [file for file in references if file is not None and file.exists()]
    else:
        paths = [named_policy(path, game)]
    cards = [read_card(each) for each in paths]
    for at, (each, found) in enumerate(zip(paths, cards, strict=True)):
        if at:
            print()
        _print_card(each, found)
    if json_path is not None:
        content = cards if several else cards[0]
        write_atomically(json_path, json.dumps(content, indent=2) + "\n")
        print(f"The {'cards are' if several else 'card is'} in {json_path}")


def named_policy(path: Path, game: str | None) -> Path:
    """Return the file of a policy that is given as a path, or as `reference` with a game.

    Raises:
        ValueError: `reference` without a game, or a game with a path.
        FileNotFoundError: there is no such file, or no policy comes with the game.
    """
    if str(path) != REFERENCE:
        if game is not None:
            raise ValueError(f"--game {game!r} goes with 'reference' alone, not with {str(path)!r}")
        if not path.exists():
            raise FileNotFoundError(
                f"there is no policy file {str(path)!r}; {REFERENCE!r} names those of the games"
            )
        return path
    if game is None:
        raise ValueError("every game has a 'reference': choose one with --game")
    return find_policy(path, find_spec(game))


def measure(
    path: PolicyPath,
    /,
    *,
    against: Annotated[tuple[str, ...], Agent] = ("random", "greedy"),
    games: PositiveInt | None = None,
    search: Annotated[str, Agent] = "",
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 2,
    luck: LuckPolicy = None,
) -> None:
    """Play a saved policy against baselines, and write the results on its card.

    Ctrl-C loses no finished match: each result is written after its match.

    Args:
        against: Baseline to play against; can be repeated.
        games: Games against each baseline; a multiple of the number of seats. [default: 250 for
            each seat]
        search: Search that the policy plays with, such as alphabeta:ms=100. [default: none]
    """
    if str(path) == REFERENCE:
        raise ValueError(
            "the results are written on the card, and a 'reference' keeps its own: give the path "
            "of a policy, such as a copy"
        )
    with working():
        from tzaar_envs.arena import match_progress
        from tzaar_envs.arena.measure_policy import measure_policy

        game = game_of_card(path, read_card(path))
        game.load_rules()
    with match_progress() as progress:
        measure_policy(
            path,
            game,
            against,
            games if games is not None else 250 * game.num_players,
            seed=seed,
            workers=workers,
            opening_plies=opening_plies,
            progress=progress,
            search=search,
            luck=luck,
        )
    _print_card(path, read_card(path))
    print(f"The results are on the card of {path}")


def export(
    path: PolicyPath, output: Path, /, *, game: PolicyGame = None, positions: PositiveInt = 256
) -> None:
    """Write a saved policy in the ONNX format, and check that it plays the same.

    Args:
        output: ONNX file to write.
        positions: Number of positions on which both files are compared.
    """
    check_output(None, output)
    require_extra("sb3", "the export", "torch", "safetensors")
    with working("Exporting"):
        path = named_policy(path, game)
        difference = export_policy(path, output, game_of_card(path, read_card(path)), positions)
    print(
        f"On {positions} positions of random games logits and values differ by {difference:.1g} "
        "at most"
    )
    print(f"The policy is in {output}")


def game_of_card(path: Path, card: Mapping[str, Any]) -> Game:
    """Return the game that a policy was trained for, with its options.

    Raises:
        ValueError: there is no such game, or not with these options; names the file.
    """
    try:
        return tzaar_envs.load_game(card["game"], **card["options"])
    except ValueError as error:
        raise ValueError(f"the card of {path}: {error}") from error


def _print_card(path: Path, card: Mapping[str, Any]) -> None:
    console = new_console()
    console.print(Text(str(path), "bold"))
    sizes = ("width", "blocks", "hidden")
    network = {name: card["network"][name] for name in sizes if name in card["network"]}
    facts = [
        ("game", f"{card['game']}_v{card['version']}"),
        ("options", assignments(card["options"]) or "the game has none"),
    ]
    for name in ("observation", "actions"):
        facts.append((name, f"{shape_in_words(card[name])}, version {card[name]['version']}"))
    facts.append(("network", assignments(network)))
    run, before = card["training"], ""
    while isinstance(run, dict):  # then the one that it began with
        for name, value in run.items():
            if name != "before":
                fact = assignments(value) if isinstance(value, dict) else str(value)
                facts.append((f"{before}{name}", fact))
        run, before = run.get("before"), f"{before}before: "
    console.print(table_of(None, facts))
    if card["measured"]:
        print_section(
            console,
            "Measured, with 95 % intervals",
            ("against", "with search", "games", "won", "drawn", "lost", "Elo above it", "95 %"),
            [
                (
                    baseline,
                    found.get("search", "none"),
                    *(str(found[name]) for name in ("games", "wins", "draws", "losses")),
                    f"{found['elo']:+}",
                    "{:+} to {:+}".format(*found["interval"])
                    + (", without luck" if "luck" in found else ""),
                )
                for baseline, found in card["measured"].items()
            ],
        )
