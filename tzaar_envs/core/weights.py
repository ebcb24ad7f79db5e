"""Weights of an evaluation function, stored in a JSON file beside its module."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def load_weights(module_file: str, features: Sequence[str]) -> NDArray[np.float64]:
    """Return float64 `(len(features),)` from the `weights.json` in a module's folder.

    Args:
        module_file: the module's `__file__`.
        features: the names of the features, in the order of the weights.

    Raises:
        KeyError: a feature has no weight in the file.
    """
    path = Path(module_file).with_name("weights.json")
    weights = json.loads(path.read_text(encoding="utf-8"))["weights"]
    return np.array([weights[name] for name in features])
