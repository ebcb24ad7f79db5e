"""All names of the suite that a package with a game of its own needs.

Names that load Numba are imported at first use, so that a module which only defines a spec stays
cheap to import. docs/adding_a_game.md shows how they are used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tzaar_envs.core.game import standard_files as standard_files
from tzaar_envs.core.layout import ActionBlock as ActionBlock
from tzaar_envs.core.layout import Layout as Layout
from tzaar_envs.core.layout import Plane as Plane
from tzaar_envs.core.layout import Symmetry as Symmetry
from tzaar_envs.core.layout import identity as identity
from tzaar_envs.core.layout import joined as joined
from tzaar_envs.core.layout import plane_numbers as plane_numbers
from tzaar_envs.core.layout import plane_table as plane_table
from tzaar_envs.core.spec import Baseline as Baseline
from tzaar_envs.core.spec import ChanceMode as ChanceMode
from tzaar_envs.core.spec import Dynamics as Dynamics
from tzaar_envs.core.spec import EndReason as EndReason
from tzaar_envs.core.spec import GameSpec as GameSpec
from tzaar_envs.core.spec import Information as Information
from tzaar_envs.core.spec import Option as Option
from tzaar_envs.render.scene import Circle as Circle
from tzaar_envs.render.scene import Group as Group
from tzaar_envs.render.scene import Path as Path
from tzaar_envs.render.scene import Polygon as Polygon
from tzaar_envs.render.scene import Rect as Rect
from tzaar_envs.render.scene import Scene as Scene
from tzaar_envs.render.scene import Stop as Stop
from tzaar_envs.render.scene import Text as Text
from tzaar_envs.render.scene import Trace as Trace
from tzaar_envs.render.scene import View as View

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import HEADER as HEADER
    from tzaar_envs.core.kernel import NOBODY as NOBODY
    from tzaar_envs.core.kernel import RUNNING as RUNNING
    from tzaar_envs.core.kernel import SEAT as SEAT
    from tzaar_envs.core.kernel import STATUS as STATUS
    from tzaar_envs.core.kernel import TERMINATED as TERMINATED
    from tzaar_envs.core.kernel import TRUNCATED as TRUNCATED
    from tzaar_envs.core.kernel import Rules as Rules
    from tzaar_envs.core.notation import CellNames as CellNames
    from tzaar_envs.core.notation import Field as Field
    from tzaar_envs.core.notation import parse_number as parse_number
    from tzaar_envs.core.notation import parse_symbol as parse_symbol
    from tzaar_envs.core.notation import split_list as split_list
    from tzaar_envs.core.notation import split_position as split_position
    from tzaar_envs.core.toolkit import fill_plane as fill_plane
    from tzaar_envs.core.toolkit import load_weights as load_weights
    from tzaar_envs.core.toolkit import lowest_bit as lowest_bit
    from tzaar_envs.core.toolkit import popcount as popcount
    from tzaar_envs.core.toolkit import share as share
    from tzaar_envs.core.toolkit import share_win as share_win
    from tzaar_envs.jit.arrays import Mask as Mask
    from tzaar_envs.jit.arrays import Observation as Observation
    from tzaar_envs.jit.arrays import RngState as RngState
    from tzaar_envs.jit.arrays import StateArray as StateArray
    from tzaar_envs.jit.compile import compiled as compiled
    from tzaar_envs.jit.rng import below as below
    from tzaar_envs.jit.rng import between as between
    from tzaar_envs.jit.rng import pick as pick
    from tzaar_envs.jit.rng import shuffle as shuffle

# The modules of the names that are imported at first use.
_LAZY = (
    *("core.kernel", "core.notation", "core.toolkit"),
    *("jit.arrays", "jit.compile", "jit.rng"),
)


def __getattr__(name: str) -> Any:
    for module in _LAZY if not name.startswith("_") else ():
        found = importlib.import_module(f"tzaar_envs.{module}")
        if hasattr(found, name):
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
