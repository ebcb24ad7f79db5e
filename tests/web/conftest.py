"""Tests of the extra `web`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("starlette", "uvicorn", "websockets")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
