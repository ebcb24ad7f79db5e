"""Tests of an extra are collected where it is installed."""

from importlib.util import find_spec

NEEDED = {
    "data": ("minari", "h5py", "PIL", "torch"),
    "film": ("imageio_ffmpeg", "moviepy", "resvg_py"),
    "notebook": ("ipykernel", "nbclient", "nbformat"),
    "onnx": ("torch", "onnxscript", "onnxruntime"),
    "openspiel": ("pyspiel",),
    "ray": ("ray", "torch", "tensorboard", "matplotlib"),
    "rllib": ("ray", "tree", "torch"),  # Ray comes without RLlib too, dm-tree with it
    "sweep": ("optuna", "torch", "tensorboard", "matplotlib"),
    "tianshou": ("tianshou", "torch", "stable_baselines3"),
    "torchrl": ("torchrl", "tensordict", "torch"),
}
collect_ignore_glob = [
    f"{extra}/test_*.py" for extra, modules in NEEDED.items() if not all(map(find_spec, modules))
]
