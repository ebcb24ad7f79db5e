"""Tests of the extra `torchrl`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("torchrl", "tensordict", "torch", "safetensors")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
