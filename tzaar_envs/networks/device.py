"""Where PyTorch computes: on the CPU, or on an accelerator."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from tzaar_envs.system.extras import require_extra

DEVICES = ("auto", "cpu", "cuda", "mps")
"""What users can name; auto: an accelerator where one is present."""


def find_device(name: str) -> str:
    """Return the name of a device that is present, as PyTorch has it.

    Args:
        name: One of `DEVICES`.

    Raises:
        ValueError: It is not present; names those that are.
        ModuleNotFoundError: The extra `sb3` is not installed, and an accelerator is named.
    """
    # Not for the CPU: PyTorch takes a second to import.
    if name == "cpu" or (name == "auto" and find_spec("torch") is None):
        return "cpu"
    require_extra("sb3", f"device={name}", "torch")
    import torch

    accelerators = [
        each
        for each, is_present in (
            ("cuda", torch.cuda.is_available),
            ("mps", torch.backends.mps.is_available),
        )
        if is_present()
    ]
    present = [*accelerators, "cpu"]
    if name == "auto":
        return present[0]
    if name not in present:
        raise ValueError(f"there is no device {name!r} here: use {' or '.join(present)}, or auto")
    return name


def refuse_accelerator(name: str, what: str) -> None:
    """Refuse an accelerator for what runs on the CPU alone.

    Args:
        name: One of `DEVICES`.
        what: What runs, for the error.

    Raises:
        ValueError: It is an accelerator.
    """
    if name not in ("auto", "cpu"):
        raise ValueError(f"device={name} is not allowed: {what} runs on the CPU")


def device_title(device: str) -> str:
    """Return a device for people: `cpu`, or `cuda (NVIDIA H100)`."""
    if device != "cuda":
        return device
    import torch

    return f"{device} ({torch.cuda.get_device_name()})"


@cache
def has_bfloat16(device: str) -> bool:
    """Return whether a device has instructions that multiply in bfloat16."""
    import torch

    if device == "cpu":
        capabilities = torch.cpu.get_capabilities()
        return any(capabilities.get(name) for name in ("amx_bf16", "avx512_bf16"))
    return device == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
