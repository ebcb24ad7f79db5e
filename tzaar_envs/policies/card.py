"""The card of a policy: plain values that say what it is and where it fits.

| entry         | content                                                                  |
|---------------|--------------------------------------------------------------------------|
| `game`        | the name of the game that it was trained for                             |
| `version`     | of the game's rules                                                      |
| `options`     | the value of every option that it was trained with                       |
| `observation` | shape and planes of what it sees, and their version                      |
| `actions`     | number and blocks of its actions, and their version                      |
| `network`     | the shape of its network, see `agents.network.NetworkShape`              |
| `training`    | how it was trained, free in form                                         |
| `measured`    | for each baseline what it reached against it, see `arena.measure_policy` |

The versions of observations and actions are digests of all that stands beside them: two games with
the same versions show and number the same things in the same places. Options by which neither
changes, such as the set-up of a board, are no obstacle.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import ActionBlock, Plane

if TYPE_CHECKING:
    from tzaar_envs.policies.network import NetworkShape

FORMAT = "tzaar-envs policy 2"
"""The format that stands beside a card in a file."""

Card: TypeAlias = dict[str, Any]

_ENTRIES: Mapping[str, type] = {
    "game": str,
    "version": int,
    "options": dict,
    "observation": dict,
    "actions": dict,
    "network": dict,
    "training": dict,
    "measured": dict,
}
_PARTS = {"observation": "planes", "actions": "blocks"}


def make_card(game: Game, shape: NetworkShape, training: dict[str, Any]) -> Card:
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
    """Return the card that stands in the metadata of a file, as `metadata_of` made them.

    Raises:
        ValueError: there is none, or it lacks something; says what.
    """
    if metadata.get("format") != FORMAT:
        raise ValueError(
            f"{path} is no policy: its format is {metadata.get('format')!r}, expected {FORMAT!r}"
        )
    try:
        card = json.loads(metadata["card"])
        _check_entries(card)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no policy: its card cannot be read ({error})") from error
    return card


def _check_entries(card: Card) -> None:
    """Raise a KeyError, TypeError or ValueError if a card lacks something."""
    for entry, kind in _ENTRIES.items():
        if not isinstance(card[entry], kind):
            raise TypeError(f"{entry} is {card[entry]!r}")
    for entry, parts in _PARTS.items():
        found = card[entry]
        whole = isinstance(found["version"], str) and isinstance(found["shape"], list)
        if not whole or not all(isinstance(part, dict) for part in found[parts]):
            raise TypeError(f"{entry} is {found!r}")
    for found in card["measured"].values():
        low, high = found["interval"]
        counts = [found[name] for name in ("games", "wins", "draws", "losses", "elo")]
        if not all(isinstance(number, int) for number in (low, high, *counts)):
            raise TypeError(f"measured is {card['measured']!r}")


def metadata_of(card: Card) -> dict[str, str]:
    """Return a card as the metadata of a file."""
    return {"format": FORMAT, "card": json.dumps(card)}


def check_card(card: Card, game: Game, path: str | Path) -> None:
    """Refuse a policy that was trained for something else.

    Raises:
        ValueError: says what differs.
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
        trained = f"; it was trained with {options}" if options else ""
        raise ValueError(f"the policy {path} does not fit {game!r}: {difference}{trained}")


def _requirements(game: Game) -> Card:
    """Return what a policy and the game that it plays must agree in."""
    layout = game.layout
    return {
        "game": game.name,
        "version": game.spec.version,
        "observation": _with_version(
            {"shape": [*layout.observation_shape], "planes": _without_meanings(layout.planes)}
        ),
        "actions": _with_version(
            {"shape": [layout.num_actions], "blocks": _without_meanings(layout.actions)}
        ),
    }


def _without_meanings(parts: Sequence[Plane | ActionBlock]) -> list[dict[str, Any]]:
    records = [dataclasses.asdict(part) for part in parts]
    for record in records:
        del record["description"]  # words for people may become better
    return records


def _with_version(entry: dict[str, Any]) -> dict[str, Any]:
    return {"version": hashlib.sha256(json.dumps(entry).encode()).hexdigest()[:8]} | entry


def _difference(entry: str, found: dict[str, Any], needed: dict[str, Any]) -> str:
    """Return in words where the observations or actions of a policy and of a game part."""
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
