"""Functions that make an environment by name: AEC, vector and parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from tzaar_envs.registry import find_spec

if TYPE_CHECKING:
    from tzaar_envs.envs.aec import GameEnv
    from tzaar_envs.envs.opponents import OpponentPool, Opponents
    from tzaar_envs.envs.parallel import ParallelGameEnv
    from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
    from tzaar_envs.envs.vector import Seeds, VectorGameEnv


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


@overload
def make_vec(
    name: str,
    num_envs: int = 1,
    num_threads: int = 1,
    seed: Seeds = None,
    *,
    opponent: None = None,
    **options: Any,
) -> VectorGameEnv: ...


@overload
def make_vec(
    name: str,
    num_envs: int = 1,
    num_threads: int = 1,
    seed: Seeds = None,
    *,
    opponent: Opponents | OpponentPool,
    **options: Any,
) -> SingleAgentVectorEnv: ...


def make_vec(
    name: str,
    num_envs: int = 1,
    num_threads: int = 1,
    seed: Seeds = None,
    *,
    opponent: Opponents | OpponentPool | None = None,
    **options: Any,
) -> VectorGameEnv | SingleAgentVectorEnv:
    """Return many games as one Gymnasium vector environment.

    Args:
        name: Name of the game, as in `make`.
        num_envs: The number of games played at once.
        num_threads: The number of threads that share a step.
        seed: The seed of the first `reset` if that call gets none; row i gets `seed + i`.
        opponent: Opponents, or a pool of them, which play all seats but one, see
            `SingleAgentVectorEnv`; None: actions are those of whoever has to act, for self-play.
        **options: `autoreset`, `copy`, `illegal`, `reward` and `dtype`, see `VectorGameEnv`; with
            opponents `seat`; and those of the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        UnknownGameError: An unknown name.
        ValueError: A value that is not allowed.
    """
    from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
    from tzaar_envs.envs.vector import VectorGameEnv

    options |= {"num_envs": num_envs, "num_threads": num_threads}
    if opponent is not None:
        return SingleAgentVectorEnv(find_spec(name).name, opponent, seed=seed, **options)
    return VectorGameEnv(find_spec(name), seed, **options)


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
