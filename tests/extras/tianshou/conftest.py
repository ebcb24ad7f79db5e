"""Tests of the extra `tianshou`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("tianshou", "torch", "stable_baselines3", "safetensors")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
