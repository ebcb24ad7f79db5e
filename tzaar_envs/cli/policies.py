"""The commands about saved policies: `card`, `measure`, `export`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt

import tzaar_envs
from tzaar_envs.cli import common
from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import shape_in_words
from tzaar_envs.networks.file import POSITIONS, REFERENCE, export_policy, find_policy, read_card
from tzaar_envs.registry import find_spec
from tzaar_envs.system.extras import require_extra

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
        completer=common.complete_game,
    ),
]


def card(path: PolicyPath, /, *, game: PolicyGame = None) -> None:
    """Show the card of a saved policy: game, network, training, results.

    `card reference` shows those of all games, unless `--game` names one.
    """
    if str(path) == REFERENCE and game is None:
        references = [find_spec(name).reference for name in tzaar_envs.list_games()]
        paths = [file for file in references if file is not None and file.exists()]
    else:
        paths = [named_policy(path, game)]
    for file in paths:
        _print_card(file, read_card(file))


def named_policy(path: Path, game: str | None) -> Path:
    """Return the file of a policy that is given as a path, or as `reference` with a game.

    Raises:
        ValueError: `reference` without a game, or a game with a path.
        FileNotFoundError: No policy comes with the game.
    """
    if str(path) == REFERENCE and game is not None:
        return find_policy(path, find_spec(game))
    if str(path) == REFERENCE:
        raise ValueError("every game has a 'reference': choose one with --game")
    if game is not None:
        raise ValueError(f"--game {game!r} goes with 'reference' alone, not with {str(path)!r}")
    return path


@dataclass(frozen=True, kw_only=True)
class _Settings(common.MatchSettings):
    opening_plies: NonNegativeInt = 2


def measure(
    path: Annotated[Path, Parameter(name="POLICY", help="File of a saved policy.")],
    /,
    *,
    against: Annotated[tuple[str, ...], common.Agent] = ("random", "greedy"),
    games: PositiveInt | None = None,
    search: Annotated[str, common.Agent] = "",
    settings: _Settings | None = None,
    luck: common.LuckPolicy = None,
) -> None:
    """Play a saved policy against baselines, and write the results on its card.

    Ctrl-C loses no finished match: each result is written after its match.

    Args:
        against: Baseline to play against; can be repeated.
        games: Games against each baseline; a multiple of the number of seats. [default: 250 for
            each seat]
        search: Search that the policy plays with, such as alphabeta:ms=100. [default: none]
    """
    with common.working():
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
            progress=progress,
            search=search,
            luck=luck,
            **vars(settings or _Settings()),
        )
    _print_card(path, read_card(path))
    print(f"The results are on the card of {path}")


def export(path: PolicyPath, output: Path, /, *, game: PolicyGame = None) -> None:
    """Write a saved policy in the ONNX format, and check that it plays the same.

    Args:
        output: ONNX file to write.
    """
    common.check_output(None, output)
    require_extra("sb3", "the export", "torch", "safetensors")
    with common.working("Exporting"):
        path = named_policy(path, game)
        difference = export_policy(path, output, game_of_card(path, read_card(path)))
    print(
        f"On {POSITIONS} positions of random games logits and values differ by {difference:.1g} "
        "at most"
    )
    print(f"The policy is in {output}")


def game_of_card(path: Path, card: Mapping[str, Any]) -> Game:
    """Return the game that a policy was trained for, with its options.

    Raises:
        ValueError: There is no such game, or not with these options; names the file.
    """
    try:
        return tzaar_envs.load_game(card["game"], **card["options"])
    except ValueError as error:
        raise ValueError(f"the card of {path}: {error}") from error


def _print_card(path: Path, card: Mapping[str, Any]) -> None:
    console = common.new_console()
    network = {name: card["network"].get(name) for name in ("width", "blocks", "hidden")}
    facts = {
        "game": f"{card['game']}_v{card['version']}",
        "options": common.assignments(card["options"]) or "the game has none",
        "observation": f"{shape_in_words(card['observation'])}, version "
        f"{card['observation']['version']}",
        "actions": f"{shape_in_words(card['actions'])}, version {card['actions']['version']}",
        "network": common.assignments(
            {name: size for name, size in network.items() if size is not None}
        ),
        "shaping": f"{card.get('shaping', 0):g}",
    }
    run, before = card["training"], ""
    while isinstance(run, dict):  # then the one that it began with
        for name, value in run.items():
            if name != "before":
                fact = common.assignments(value) if isinstance(value, dict) else str(value)
                facts[f"{before}{name}"] = fact
        run, before = run.get("before"), f"{before}before: "
    common.print_section(console, str(path), None, facts.items())
    rows = []
    for baseline, found in card["measured"].items():
        counts = (str(found[name]) for name in ("games", "wins", "draws", "losses"))
        interval = "{:+} to {:+}".format(*found["interval"])
        interval += ", without luck" if "luck" in found else ""
        search = found.get("search", "none")
        rows.append((baseline, search, *counts, f"{found['elo']:+}", interval))
    if rows:
        columns = (
            "against",
            "search",
            "games",
            "won",
            "drawn",
            "lost",
            "Elo lead",
            "95 %",
        )
        common.print_section(console, "Measured, with 95 % intervals", columns, rows)
