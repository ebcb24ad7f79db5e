"""Numeric precision of networks in training."""

from __future__ import annotations

from typing import Literal, TypeAlias

Precision: TypeAlias = Literal["auto", "bfloat16", "float32"]


def uses_bfloat16(precision: Precision) -> bool:
    """Return whether to train in bfloat16.

    With `auto`, that is where the processor has matrix instructions for it (AMX), which make a
    network three times as fast.
    """
    import torch

    has_amx = bool(torch.cpu.get_capabilities().get("amx_bf16"))
    return precision == "bfloat16" or (precision == "auto" and has_amx)
