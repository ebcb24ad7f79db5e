"""Tests of the extra `openspiel`: collected where it is installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pyspiel") else ["test_*.py"]
