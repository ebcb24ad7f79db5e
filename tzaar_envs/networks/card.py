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
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Protocol, TypeAlias, TypedDict

import msgspec

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import ActionBlock, Plane
from tzaar_envs.system.terminal import printable_line

if TYPE_CHECKING:
    from tzaar_envs.networks.kinds import AnyShape

FORMAT = "tzaar-envs policy 2"
"""The entry `format` of a file's metadata, beside its card."""

Card: TypeAlias = dict[str, Any]
"""A card that was checked against `CardSchema`; it may hold further entries."""


class ObservationSchema(TypedDict):
    """What a policy sees: shape, planes with name, high and count, and their version."""

    version: str
    shape: list[int]
    planes: list[dict[str, Any]]


class ActionsSchema(TypedDict):
    """What a policy can do: number of actions, blocks with name and sizes, and their version."""

    version: str
    shape: list[int]
    blocks: list[dict[str, Any]]


class MeasurementSchema(TypedDict):
    """What a policy reached against one baseline, see `arena.measure_policy`."""

    games: int
    wins: int
    draws: int
    losses: int
    elo: int
    interval: Annotated[list[int], msgspec.Meta(min_length=2, max_length=2)]
    search: NotRequired[str]
    luck: NotRequired[str]


class CardSchema(TypedDict):
    """The entries of a card.

    Attributes:
        game: the name of the game that the policy was trained for.
        version: of the game's rules.
        options: the value of every option that it was trained with.
        observation: what it sees.
        actions: what it can do.
        network: the shape of its network, see `policies.network.NetworkShape` and
            `policies.sparse.shape.SparseShape`.
        training: how it was trained, free in form.
        measured: its result against each baseline.
    """

    game: str
    version: int
    options: dict[str, Any]
    observation: ObservationSchema
    actions: ActionsSchema
    network: dict[str, Any]
    training: dict[str, Any]
    measured: dict[str, MeasurementSchema]


_PARTS = {"observation": "planes", "actions": "blocks"}


class Network(Protocol):
    """A network that can be asked which games it fits."""

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""


def make_card(game: Game, shape: AnyShape, training: dict[str, Any]) -> Card:
    """Return the card of a policy that has not been measured yet.

    Args:
        game: what it was trained for.
        shape: of its network.
        training: how it was trained, free in form.
    """
    return _requirements(game) | {
        "options": dict(game.options),
        "network": dataclasses.asdict(shape),
        "training": training,
        "measured": {},
    }


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
        # Unlike `json` it refuses infinities, and texts that cannot be written.
        card: Card = msgspec.json.decode(metadata["card"].encode())
        msgspec.convert(card, CardSchema)
    except (KeyError, ValueError, RecursionError) as error:
        raise card_error(path, error) from error
    return card


def card_error(path: str | Path, error: Exception) -> ValueError:
    """Return the error to raise for a file whose card is not valid."""
    reason = printable_line(str(error))
    return ValueError(f"{path} is not a policy file: its card is not valid ({reason})")


def metadata_of(card: Card) -> dict[str, str]:
    """Return a card as the metadata of a file.

    Raises:
        ValueError: the card holds NaN or an infinity.
    """
    return {"format": FORMAT, "card": json.dumps(card, allow_nan=False)}


def check_fit(card: Card, network: Network, game: Game, path: str | Path) -> None:
    """Check that a policy fits a game.

    Raises:
        ValueError: the policy was trained for something else; says what differs.
    """
    for entry, needed in _requirements(game).items():
        found = card[entry]
        if found == needed:
            continue
        if isinstance(needed, dict):
            difference = _difference(entry, found, needed)
        else:
            difference = f"the {entry} that it was trained for is {found!r}, needed is {needed!r}"
        options = ", ".join(
            f"{name}={value!r}"
            for name, value in card["options"].items()
            if name in game.options and game.options[name] != value
        )
        trained = f"; it was trained with {printable_line(options)}" if options else ""
        shown = printable_line(difference)
        raise ValueError(f"the policy {path} does not fit {game!r}: {shown}{trained}")
    if not network.fits(game):
        raise ValueError(f"the policy {path} does not fit {game!r}: its network has another shape")


def _requirements(game: Game) -> Card:
    """Return the entries in which a policy and the game that it plays must agree."""
    layout = game.layout
    return {
        "game": game.name,
        "version": game.spec.version,
        "observation": _with_version(
            {"shape": [*layout.observation_shape], "planes": _without_descriptions(layout.planes)}
        ),
        "actions": _with_version(
            {"shape": [layout.num_actions], "blocks": _without_descriptions(layout.actions)}
        ),
    }


def _without_descriptions(parts: Sequence[Plane | ActionBlock]) -> list[dict[str, Any]]:
    entries = [dataclasses.asdict(part) for part in parts]
    for entry in entries:
        del entry["description"]  # words for people may improve
    return entries


def _with_version(entry: dict[str, Any]) -> dict[str, Any]:
    return {"version": hashlib.sha256(json.dumps(entry).encode()).hexdigest()[:8]} | entry


def _difference(entry: str, found: dict[str, Any], needed: dict[str, Any]) -> str:
    """Return in words where the observations or actions of a policy and of a game differ."""
    has, needs = (f"{side['version']} ({shape_in_words(side)})" for side in (found, needed))
    text = f"the version of its {entry} is {has}, needed is {needs}"
    parts = _PARTS[entry]
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
