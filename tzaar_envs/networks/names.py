"""Names of policies: the path of a file, or `reference`."""

from __future__ import annotations

from pathlib import Path

from tzaar_envs.core.spec import GameSpec

REFERENCE = "reference"
"""The name of the policy that comes with a game."""


def find_policy(name: str | Path, spec: GameSpec) -> Path:
    """Return the file of a policy.

    Args:
        name: the path of the file, or `reference`; `./reference` is a file of this name.
        spec: the game whose reference is meant.

    Raises:
        FileNotFoundError: no policy comes with the game.
    """
    if str(name) != REFERENCE:
        return Path(name)
    if spec.reference is None or not spec.reference.exists():
        raise FileNotFoundError(f"no trained policy comes with {spec.name}: give the path of one")
    return spec.reference
