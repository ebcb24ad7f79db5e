"""Tests of the extra `notebook`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("ipykernel", "nbclient", "nbformat")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
