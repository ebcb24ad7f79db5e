"""The card of a policy: plain values that say what it is and which games it fits.

The versions of observations and actions are digests of everything beside them: two games with the
same versions show and number the same things in the same places. Options that change neither, such
as the set-up of a board, do not matter.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Protocol, TypedDict

import msgspec

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import ActionBlock, Plane

if TYPE_CHECKING:
    from tzaar_envs.networks.network import AnyShape

FORMAT = "tzaar-envs policy 2"
"""The entry `format` of a file's metadata, beside its card."""


class ObservationCard(TypedDict):
    """What a policy sees: shape, planes with name, high and count, and their version."""

    version: str
    shape: list[int]
    planes: list[dict[str, Any]]


class ActionsCard(TypedDict):
    """What a policy can do: number of actions, blocks with name and sizes, and their version."""

    version: str
    shape: list[int]
    blocks: list[dict[str, Any]]


class MeasuredMatch(TypedDict):
    """What a policy reached against one baseline, see `arena.measure_policy`."""

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
        game: the name of the game that the policy was trained for.
        version: the version of the game's rules.
        options: the value of every option that it was trained with.
        observation: what it sees.
        actions: what it can do.
        network: the shape of its network, see `NetworkShape` and `SparseShape`.
        training: how it was trained, free in form.
        measured: its result against each baseline.
    """

    game: str
    version: int
    options: dict[str, Any]
    observation: ObservationCard
    actions: ActionsCard
    network: dict[str, Any]
    training: dict[str, Any]
    measured: dict[str, MeasuredMatch]


class Network(Protocol):
    """A network that can be asked which games it fits."""

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""


def make_card(game: Game, shape: AnyShape, training: dict[str, Any]) -> Card:
    """Return the card of a policy that has not been measured yet.

    Args:
        game: the game that it was trained for.
        shape: the shape of its network.
        training: how it was trained, free in form.
    """
    return Card(
        game=game.name,
        version=game.spec.version,
        observation=_observation_of(game),
        actions=_actions_of(game),
        options=dict(game.options),
        network=dataclasses.asdict(shape),
        training=training,
        measured={},
    )


def metadata_of(card: Card) -> dict[str, str]:
    """Return a card as the metadata of a file.

    Raises:
        ValueError: the card holds NaN or an infinity.
    """
    return {"format": FORMAT, "card": json.dumps(card, allow_nan=False)}


def read_metadata(metadata: Mapping[str, str], path: str | Path) -> Card:
    """Return the card from the metadata of a file, as `metadata_of` made them.

    Raises:
        ValueError: there is no card, or it is not valid; says why.
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


def check_fit(card: Card, network: Network, game: Game, path: str | Path) -> None:
    """Check that a policy fits a game.

    Raises:
        ValueError: the policy was trained for something else; says what differs.
    """
    difference = _difference(card, game)
    if difference is not None:
        options = ", ".join(
            f"{name}={value!r}"
            for name, value in card["options"].items()
            if name in game.options and game.options[name] != value
        )
        trained = f"; it was trained with {options}" if options else ""
        raise ValueError(f"the policy {path} does not fit {game!r}: {difference}{trained}")
    if not network.fits(game):
        raise ValueError(f"the policy {path} does not fit {game!r}: its network has another shape")


def _difference(card: Card, game: Game) -> str | None:
    """Return in words where a policy and the game that it is to play do not agree."""
    observation, actions = _observation_of(game), _actions_of(game)
    if card["game"] != game.name:
        return f"the game that it was trained for is {card['game']!r}, needed is {game.name!r}"
    if card["version"] != game.spec.version:
        return (
            f"the version that it was trained for is {card['version']!r}, needed is "
            f"{game.spec.version!r}"
        )
    if card["observation"] != observation:
        return _difference_of("observation", card["observation"], observation, "planes")
    if card["actions"] != actions:
        return _difference_of("actions", card["actions"], actions, "blocks")
    return None


def _difference_of(
    entry: str, found: Mapping[str, Any], needed: Mapping[str, Any], parts: str
) -> str:
    has, needs = (f"{side['version']} ({shape_in_words(side)})" for side in (found, needed))
    text = f"the version of its {entry} is {has}, needed is {needs}"
    for number, pair in enumerate(itertools.zip_longest(found[parts], needed[parts])):
        if pair[0] != pair[1]:
            has, needs = map(_in_words, pair)
            return f"{text}: item {number} of its {parts} is {has}, needed is {needs}"
    return text


def shape_in_words(entry: Mapping[str, Any]) -> str:
    """Return the shape of a card's observation or actions, for people."""
    return " x ".join(map(str, entry["shape"]))


def _in_words(part: Mapping[str, Any] | None) -> str:
    if part is None:
        return "nothing"
    sizes = ", ".join(f"{key} {value}" for key, value in part.items() if key != "name")
    return f"{part.get('name')!r} ({sizes})"


def _observation_of(game: Game) -> ObservationCard:
    shape, planes = [*game.observation_shape], _without_descriptions(game.layout.planes)
    version = _version_of({"shape": shape, "planes": planes})
    return ObservationCard(version=version, shape=shape, planes=planes)


def _actions_of(game: Game) -> ActionsCard:
    shape, blocks = [game.num_actions], _without_descriptions(game.layout.actions)
    version = _version_of({"shape": shape, "blocks": blocks})
    return ActionsCard(version=version, shape=shape, blocks=blocks)


def _without_descriptions(parts: Sequence[Plane | ActionBlock]) -> list[dict[str, Any]]:
    entries = [dataclasses.asdict(part) for part in parts]
    for entry in entries:
        del entry["description"]  # words for people may improve
    return entries


def _version_of(entry: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry).encode()).hexdigest()[:8]
