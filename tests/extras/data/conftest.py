"""Tests of the extra `data`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("minari", "h5py", "PIL")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
