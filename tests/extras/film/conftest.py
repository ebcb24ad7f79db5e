"""Tests of the extra `film`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("imageio_ffmpeg", "moviepy", "resvg_py")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
