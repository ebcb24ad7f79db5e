"""Registry of all games, by name.

Third parties add a game with `register`, or through the entry-point group `tzaar_envs.games`: the
entry point is a `GameSpec`, or a function without arguments that returns one.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import warnings
from typing import Any

from tzaar_envs.core.errors import UnknownGameError
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec

ENTRY_POINT_GROUP = "tzaar_envs.games"
NAMESPACE = "tzaar_envs"

_BUILT_IN = ("black_elephant", "turm_und_waechter", "twenty_one", "tzaar", "zatre")

_specs: dict[str, GameSpec] = {}
_plugins_loaded = False


def register(spec: GameSpec) -> None:
    """Add a game, also to the registries of PettingZoo and Gymnasium.

    Registering the same spec again does nothing.

    Raises:
        TypeError: `spec` is not a GameSpec.
        ValueError: Another game has this name.
    """
    if not isinstance(spec, GameSpec):
        raise TypeError(f"register takes a GameSpec, not {spec!r}")
    known = _specs.get(spec.name)
    if known == spec:
        return
    if known is not None:
        raise ValueError(f"a game {spec.name!r} is already registered: {known.title}")
    if not spec.name.isidentifier() or spec.name != spec.name.lower():
        raise ValueError(
            f"game name {spec.name!r} is not allowed: use lower-case letters, digits and "
            "underscores, starting with a letter"
        )
    _specs[spec.name] = spec
    import gymnasium
    import pettingzoo

    pettingzoo.register(
        "aec",
        f"{NAMESPACE}/{spec.name}-v{spec.version}",
        entry_point="tzaar_envs.make_env:make",
        kwargs={"name": spec.name},
    )
    gymnasium.register(
        f"{NAMESPACE}/{camel_case(spec.name)}-v{spec.version}",
        entry_point="tzaar_envs.envs.single_agent:SingleAgentEnv",
        vector_entry_point="tzaar_envs.envs.single_agent:SingleAgentVectorEnv",
        kwargs={"game": spec.name},
    )
    if spec.simultaneous:
        pettingzoo.register(
            "parallel",
            f"{NAMESPACE}/{spec.name}-v{spec.version}",
            entry_point="tzaar_envs.make_env:make_parallel",
            kwargs={"name": spec.name},
        )


def camel_case(name: str) -> str:
    """Return `turm_und_waechter` as `TurmUndWaechter`, the style of Gymnasium's ids."""
    return "".join(word.capitalize() for word in name.split("_"))


def _load_plugins() -> None:
    """Register the games of installed packages; warn about a package that fails."""
    global _plugins_loaded
    if _plugins_loaded:
        return
    _plugins_loaded = True
    for entry_point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        try:
            found = entry_point.load()
            register(found if isinstance(found, GameSpec) else found())
        except (Exception, SystemExit) as error:
            warnings.warn(
                f"the game of entry point {entry_point.name!r} ({entry_point.value}) could not "
                f"be registered: {str(error) or type(error).__name__}",
                stacklevel=3,
            )


def list_games() -> list[str]:
    """Return the names of all games in alphabetical order."""
    _load_plugins()
    return sorted(_specs)


def list_envs() -> list[str]:
    """Return the ids of all environments in alphabetical order, for instance `tzaar_v0`."""
    return [_specs[name].env_id for name in list_games()]


def find_spec(name: str) -> GameSpec:
    """Return the spec of a game by its name or by the id of its environment.

    `tzaar`, `tzaar_v0`, `tzaar-v0` and Gymnasium's `tzaar_envs/Tzaar-v0` all name the same spec.

    Raises:
        UnknownGameError: An unknown name or version; the message suggests a similar one.
    """
    wanted = str(name).removeprefix(f"{NAMESPACE}/").replace("-", "_")
    if wanted not in _specs:
        _load_plugins()
    for spec in _specs.values():
        if wanted in (spec.name, spec.env_id, f"{camel_case(spec.name)}_v{spec.version}"):
            return spec
    known = {text: text for text in (*_specs, *list_envs())}
    known |= {spec.title.casefold(): spec.name for spec in _specs.values()}
    close = difflib.get_close_matches(wanted.casefold(), known, n=1)
    hint = f"did you mean {known[close[0]]!r}? " if close else ""
    raise UnknownGameError(
        f"there is no game {name!r}: {hint}the games are {', '.join(list_games())}"
    )


def load_game(name: str, /, **options: Any) -> Game:
    """Return a game with its options.

    Args:
        name: A name of `list_games`, or an id of `list_envs`.
        **options: The game's options, see `tzaar-envs info NAME`.

    Raises:
        UnknownOptionError: An option that does not exist.
        UnknownGameError: An unknown name.
        ValueError: A value that is not allowed.
    """
    return Game(find_spec(name), **options)


for _name in _BUILT_IN:
    register(importlib.import_module(f"tzaar_envs.games.{_name}").SPEC)
