"""Functions that make an environment by name: AEC, vector and parallel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tzaar_envs.registry import find_spec

if TYPE_CHECKING:
    from tzaar_envs.envs.aec import GameEnv
    from tzaar_envs.envs.parallel import ParallelGameEnv
    from tzaar_envs.envs.vector import VectorGameEnv


def make(name: str, **options: Any) -> GameEnv:
    """Return the PettingZoo AEC environment of a game.

    Args:
        name: An id of `list_envs`, or the name of a game.
        **options: Options of the environment (`render_mode`, `viewer`, `illegal`, `reward`, `dtype`
            and so on) and of the game, see `tzaar-envs info NAME`.

    Raises:
        UnknownOptionError: An option that does not exist.
        UnknownGameError: An unknown name.
        ValueError: A value that is not allowed.
    """
    from tzaar_envs.envs.aec import GameEnv

    return GameEnv(find_spec(name), **options)


def make_vec(
    name: str,
    num_envs: int = 1,
    num_threads: int = 1,
    seed: int | Sequence[int | None] | None = None,
    **options: Any,
) -> VectorGameEnv:
    """Return many games as one Gymnasium vector environment, for self-play.

    Args:
        name: Name of the game, as in `make`.
        num_envs: The number of games played at once.
        num_threads: The number of threads that share a step.
        seed: The seed of the first `reset` if that call gets none; row i gets `seed + i`.
        **options: `autoreset`, `copy`, `illegal`, `reward` and `dtype`, see `VectorGameEnv`, and
            those of the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        UnknownGameError: An unknown name.
        ValueError: A value that is not allowed.
    """
    from tzaar_envs.envs.vector import VectorGameEnv

    spec = find_spec(name)
    return VectorGameEnv(spec, seed, num_envs=num_envs, num_threads=num_threads, **options)


def make_parallel(name: str, **options: Any) -> ParallelGameEnv:
    """Return the PettingZoo parallel environment of a game with simultaneous choices.

    Args:
        name: Name of the game, as in `make`.
        **options: Options, as in `make`.

    Raises:
        UnknownOptionError: An option that does not exist.
        UnknownGameError: An unknown name.
        ValueError: A value that is not allowed, or a game without simultaneous choices.
    """
    from tzaar_envs.envs.parallel import ParallelGameEnv

    return ParallelGameEnv(find_spec(name), **options)
