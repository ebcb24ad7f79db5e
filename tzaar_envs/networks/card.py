"""The card of a policy: plain values that say what it is and which games it fits.

The versions of observations and actions are digests of everything beside them: two games with the
same versions show and number the same things in the same places. Options that change neither, such
as the set-up of a board, do not matter.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypeAlias, TypedDict

import msgspec

from tzaar_envs.core.game import Game
from tzaar_envs.networks.shapes import AnyShape

FORMAT = "tzaar-envs policy 2"
"""The entry `format` of a file's metadata, beside its card."""


Version: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8}\Z")]
"""The digest of an observation or of actions."""


class ObservationCard(TypedDict):
    """The observation of a policy: shape, planes with name, high and count, and their version."""

    version: Version
    shape: list[int]
    planes: list[dict[str, Any]]


class ActionsCard(TypedDict):
    """The actions of a policy: number of actions, blocks with name and sizes, and their version."""

    version: Version
    shape: list[int]
    blocks: list[dict[str, Any]]


class MeasuredMatch(TypedDict):
    """The results of a policy against one baseline, see `arena.measure_policy`."""

    games: int
    wins: int
    draws: int
    losses: int
    elo: int
    interval: Annotated[list[int], msgspec.Meta(min_length=2, max_length=2)]
    options: NotRequired[dict[str, Any]]
    seed: NotRequired[int]
    opening_plies: NotRequired[int]
    search: NotRequired[str]
    luck: NotRequired[str]


class Card(TypedDict):
    """The entries of a card.

    Attributes:
        game: The name of the game that the policy was trained for.
        version: The version of the game's rules.
        options: The value of every option that it was trained with.
        observation: The observation that it needs.
        actions: The actions that it chooses from.
        network: The shape of its network, see `NetworkShape` and `SparseShape`.
        training: The training, free in form.
        measured: Its result against each baseline.
        shaping: The weight of the game's evaluation that its values lack, since they were learnt
            from shaped rewards. Missing where they lack nothing.
    """

    game: str
    version: int
    options: dict[str, Any]
    observation: ObservationCard
    actions: ActionsCard
    network: dict[str, Any]
    training: dict[str, Any]
    measured: dict[str, MeasuredMatch]
    shaping: NotRequired[float]


def make_card(game: Game, shape: AnyShape, training: dict[str, Any], shaping: float = 0.0) -> Card:
    """Return the card of a policy that has not been measured yet.

    Args:
        game: The game that it was trained for.
        shape: The shape of its network.
        training: The training, free in form.
        shaping: The weight of reward shaping, see `Card`.
    """
    layout = _layout_of(game)
    card = Card(
        game=game.name,
        version=game.spec.version,
        observation=layout["observation"],
        actions=layout["actions"],
        options=dict(game.options),
        network=dataclasses.asdict(shape),
        training=training,
        measured={},
    )
    if shaping:
        card["shaping"] = shaping
    return card


def metadata_of(card: Card) -> dict[str, str]:
    """Return a card as the metadata of a file.

    Raises:
        ValueError: The card holds NaN or an infinity.
    """
    return {"format": FORMAT, "card": json.dumps(card, allow_nan=False)}


def read_metadata(metadata: Mapping[str, str], path: str | Path) -> Card:
    """Return the card from the metadata of a file, as `metadata_of` made them.

    Raises:
        ValueError: There is no card, or it is not valid; says why.
    """
    if metadata.get("format") != FORMAT:
        raise ValueError(
            f"{path} is not a policy file: its format is {metadata.get('format')!r:.80}, expected "
            f"{FORMAT!r}"
        )
    try:
        return msgspec.json.decode(metadata["card"].encode(), type=Card)
    except (KeyError, ValueError, RecursionError) as error:
        raise card_error(path, error) from error


def card_error(path: str | Path, error: Exception) -> ValueError:
    """Return the error to raise for a file whose card is not valid."""
    return ValueError(f"{path} is not a policy file: its card is not valid ({error})")


def check_fit(card: Mapping[str, Any], game: Game, network_fits: bool, path: str | Path) -> None:
    """Check that a policy fits a game.

    Args:
        card: The card of the policy.
        game: The game.
        network_fits: Whether its network has the shape of the game's observations and actions.
        path: The file of the policy, for messages.

    Raises:
        ValueError: The policy was trained for something else; says what differs.
    """
    trained_with, players = card["options"], game.options.get("players")
    own_players = trained_with.get("players", players)
    if card["game"] == game.name and own_players != players:
        raise ValueError(
            f"the policy {path} does not fit {game!r}: it is for {own_players} players"
        )
    differences = [
        f"the {name} that it was trained for is {card[name]!r}, needed is {needed!r}"
        for name, needed in (("game", game.name), ("version", game.spec.version))
        if card[name] != needed
    ]
    for name, needed in _layout_of(game).items():
        if (found := card[name]) != needed:
            has, needs = (f"{side['version']} ({shape_in_words(side)})" for side in (found, needed))
            differences.append(f"the version of its {name} is {has}, needed is {needs}")
    if not network_fits:
        differences.append("its network has another shape")
    if differences:
        options = ", ".join(
            f"{name}={value!r}"
            for name, value in trained_with.items()
            if name in game.options and game.options[name] != value
        )
        trained = f"; it was trained with {options}" if options else ""
        raise ValueError(f"the policy {path} does not fit {game!r}: {differences[0]}{trained}")


def shape_in_words(entry: Mapping[str, Any]) -> str:
    """Return the shape of a card's observation or actions, for people."""
    return " x ".join(map(str, entry["shape"]))


def _layout_of(game: Game) -> dict[str, Any]:
    """Return the card's entries about the observation and the actions of a game."""
    layout, found = game.layout, {}
    for name, shape, parts, members in (
        ("observation", game.observation_shape, "planes", layout.planes),
        ("actions", (game.num_actions,), "blocks", layout.actions),
    ):
        entries = [dataclasses.asdict(member) for member in members]
        for entry in entries:
            del entry["description"]  # words for people may improve
        beside = {"shape": [*shape], parts: entries}
        version = hashlib.sha256(json.dumps(beside).encode()).hexdigest()[:8]
        found[name] = {"version": version} | beside
    return found
