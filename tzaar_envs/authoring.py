"""All names of the suite that a package with a game of its own needs.

Names that load Numba are imported at first use, so that a module which only defines a spec stays
cheap to import. docs/adding_a_game.md shows how they are used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tzaar_envs.core.game import standard_files
from tzaar_envs.core.layout import (
    ActionBlock,
    Layout,
    Plane,
    Symmetry,
    identity,
    joined,
    plane_numbers,
    plane_table,
)
from tzaar_envs.core.spec import Baseline, ChanceMode, Dynamics, GameSpec, Information, Option

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import (
        HEADER,
        NOBODY,
        RUNNING,
        SEAT,
        STATUS,
        TERMINATED,
        TRUNCATED,
        Rules,
    )
    from tzaar_envs.core.notation import (
        CellNames,
        Field,
        parse_number,
        parse_symbol,
        split_list,
        split_position,
    )
    from tzaar_envs.core.toolkit import (
        fill_plane,
        load_weights,
        lowest_bit,
        popcount,
        share,
        share_win,
    )
    from tzaar_envs.jit.arrays import Mask, Observation, RngState, StateArray
    from tzaar_envs.jit.compile import compiled
    from tzaar_envs.jit.rng import below, between, pick, shuffle

__all__ = [
    "HEADER",
    "NOBODY",
    "RUNNING",
    "SEAT",
    "STATUS",
    "TERMINATED",
    "TRUNCATED",
    "ActionBlock",
    "Baseline",
    "CellNames",
    "ChanceMode",
    "Dynamics",
    "Field",
    "GameSpec",
    "Information",
    "Layout",
    "Mask",
    "Observation",
    "Option",
    "Plane",
    "RngState",
    "Rules",
    "StateArray",
    "Symmetry",
    "below",
    "between",
    "compiled",
    "fill_plane",
    "identity",
    "joined",
    "load_weights",
    "lowest_bit",
    "parse_number",
    "parse_symbol",
    "pick",
    "plane_numbers",
    "plane_table",
    "popcount",
    "share",
    "share_win",
    "shuffle",
    "split_list",
    "split_position",
    "standard_files",
]

# The modules of the names above that are imported at first use.
_LAZY = (
    *("core.kernel", "core.notation", "core.toolkit"),
    *("jit.arrays", "jit.compile", "jit.rng"),
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _LAZY:
            found = importlib.import_module(f"tzaar_envs.{module}")
            if hasattr(found, name):
                return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
