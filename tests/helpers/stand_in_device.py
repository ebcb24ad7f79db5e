"""Trains with scripts on a device in a process of its own, and goes on on the CPU.

    python tests/helpers/stand_in_device.py DEVICE FOLDER SCRIPT ...

Where DEVICE is `stand-in`, it is one that this file adds to PyTorch: its tensors are on the CPU,
but an operation of a tensor of the CPU with one of the device fails, as it does on an accelerator.
What is printed is, for each script, how often which file has waited for the device.
"""

import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend as set_up

from tzaar_envs.networks import device as devices

NAME = "standin"
MIXED = (
    "_to_copy",
    "copy_",
    "_copy_from",
    "index",
    "index_put_",
)  # operations that may mix devices

contents: dict[int, torch.Tensor] = {}  # of tensors of the device, by their storages
waited: Counter[str] = Counter()


class OnDevice(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


def on_device(content: torch.Tensor) -> torch.Tensor:
    content = content.contiguous()
    tensor: torch.Tensor = torch._C._acc.create_empty_tensor(tuple(content.shape), content.dtype)
    tensor.__class__ = OnDevice
    contents[tensor.untyped_storage()._cdata] = content
    return tensor


def kernel(name: str) -> Callable[..., Any]:
    packet, _, overload = name.removeprefix("aten::").partition(".")
    operation = getattr(getattr(torch.ops.aten, packet), overload or "default")

    def call(*args: Any, **options: Any) -> Any:
        known: dict[int, torch.Tensor] = {}

        def content(each: Any) -> Any:
            if isinstance(each, torch.device):
                return torch.device("cpu")
            if not isinstance(each, torch.Tensor):
                return each
            if each.device.type == NAME:
                found = contents[each.untyped_storage()._cdata]
                known[id(found)] = each
                return found
            assert not each.dim() or packet in MIXED, f"{name} of tensors on two devices"
            return each

        goes_to_cpu = options.get("device") == torch.device("cpu")
        if goes_to_cpu or packet == "_local_scalar_dense":
            frame = sys._getframe(1)
            while "/torch/" in frame.f_code.co_filename and frame.f_back is not None:
                frame = frame.f_back
            waited[Path(frame.f_code.co_filename).name] += 1

        def result(each: Any) -> Any:
            if not isinstance(each, torch.Tensor) or goes_to_cpu:
                return each
            return known[id(each)] if id(each) in known else on_device(each)

        found = operation(*tree_map(content, args), **tree_map(content, options))
        return args[1] if packet == "_copy_from" else tree_map(result, found)

    return call


def add_device() -> torch.library.Library:
    """Add the device to PyTorch, and let `find_device` find it."""
    set_up(NAME)
    library = torch.library.Library("aten", "IMPL")
    for name in torch._C._dispatch_get_all_op_names():
        composed = torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd")
        if name.startswith("aten::") and not composed:
            library.impl(name, kernel(name), "PrivateUse1")
    torch.inference_mode = torch.no_grad  # which PyTorch does not know of it
    devices.DEVICES += (NAME,)
    devices.find_device = lambda name: "cpu" if name == "cpu" else NAME
    return library


def train(algorithm: str, folder: Path) -> None:
    from tzaar_envs.training import arguments_of, script_of
    from tzaar_envs.training.common import run, session

    session.draw_learning_curve = lambda *_: None  # which takes a second
    kind, script = arguments_of(algorithm), script_of(algorithm)
    kind.baselines = lambda *_: ["random"]  # type: ignore[method-assign]
    sizes = {"steps": 256, "num_envs": 8, "rollout": 16, "batch_size": 64, "width": 8}
    games = {"evaluation_games": 1, "final_games": 1, "minutes": 0.0, "threads": 1}
    more = {} if algorithm == "ppo" else {"snapshot_every": 128}
    more |= {"learning_starts": 64} if algorithm == "sb3-dqn" else {}
    script.train(kind(game="tzaar", folder=folder, **sizes, **games, **more))
    copies = dict(waited)
    settings = run.RunFolder(folder).settings(kind)
    script.train(dataclasses.replace(settings, device="cpu", steps=300))
    print(json.dumps({algorithm: copies}))


if __name__ == "__main__":
    device, folder, *algorithms = sys.argv[1:]
    library = add_device() if device == "stand-in" else None
    for algorithm in algorithms:
        waited.clear()
        train(algorithm, Path(folder) / algorithm)
