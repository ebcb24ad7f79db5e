"""Library versions recorded with a result."""

from __future__ import annotations

import platform
import sys

import numba
import numpy as np

from tzaar_envs.version import __version__


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that the suite computes with."""
    found = {
        "python": platform.python_version(),
        "tzaar_envs": __version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
    if "torch" in sys.modules:
        found["torch"] = str(sys.modules["torch"].__version__)
    return found
