"""In what precision a network calculates while it learns."""

from __future__ import annotations

from typing import Literal, TypeAlias

Precision: TypeAlias = Literal["auto", "bfloat16", "float32"]


def uses_bfloat16(precision: Precision) -> bool:
    """Return whether to calculate in bfloat16.

    Where the processor multiplies matrices in it, a network is three times as fast.
    """
    import torch

    suited = bool(torch.cpu.get_capabilities().get("amx_bf16"))
    return precision == "bfloat16" or (precision == "auto" and suited)
