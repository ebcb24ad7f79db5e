"""Tests of the extra `onnx`: collected where it is installed."""

from importlib.util import find_spec

NEEDED = ("torch", "safetensors", "onnxscript", "onnxruntime")
collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
