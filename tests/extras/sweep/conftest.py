"""Tests of the extra `sweep`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("optuna", "torch", "safetensors", "tensorboard", "matplotlib")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
