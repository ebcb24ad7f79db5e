"""Training on an accelerator; without one, on a stand-in."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.networks import network as networks
from tzaar_envs.networks.device import find_device
from tzaar_envs.training.ppo import PpoArguments

HELPER = Path(__file__).parents[1] / "helpers" / "stand_in_device.py"


def test_a_device_that_is_present_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    for has_cuda, has_mps, auto in (
        (False, False, "cpu"),
        (False, True, "mps"),
        (True, False, "cuda"),
    ):
        monkeypatch.setattr(torch.cuda, "is_available", lambda found=has_cuda: found)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda found=has_mps: found)
        assert (find_device("auto"), find_device("cpu")) == (auto, "cpu")
        text = PpoArguments(device="auto").agent_text(game, Path("p"))
        assert text == ("policy:p" if auto == "cpu" else f"policy:p,device={auto}")
    with pytest.raises(ValueError, match="there is no device 'mps' here: use cuda or cpu, or auto"):
        PpoArguments(device="mps").check()
    reference = make_agent("policy:reference", game)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    moved = make_agent("policy:reference,device=auto", game)
    assert moved.act(game.new_state(0)) == reference.act(game.new_state(0))


def test_networks_compute_in_bfloat16_only_where_that_is_fast(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    seen = torch.from_numpy(game.new_state(0).observation(0))[None]
    torch.manual_seed(0)
    network = PpoArguments().new_network(game)
    outputs = {}
    for precision, is_fast in (("auto", True), ("auto", False), ("float32", True)):
        monkeypatch.setattr(networks, "has_bfloat16", lambda _, found=is_fast: found)
        arguments = PpoArguments(precision=precision)  # type: ignore[arg-type]
        network.allows_bfloat16 = arguments.new_network(game).allows_bfloat16
        outputs[precision, is_fast] = logits, value = network(seen)
        assert logits.dtype == value.dtype == torch.float32
    rounded, whole, also_whole = (value for _, value in outputs.values())
    assert torch.equal(whole, also_whole)
    assert not torch.equal(rounded, whole)
    assert torch.allclose(rounded, whole, rtol=0.05, atol=0.01)


@pytest.mark.parametrize("device", ["stand-in", pytest.param("auto", marks=pytest.mark.gpu)])
def test_a_run_computes_on_its_device_and_goes_on_on_the_cpu(tmp_path: Path, device: str) -> None:
    words = [sys.executable, str(HELPER), device, str(tmp_path), "ppo", "sb3-dqn"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    copies = {}
    for line in ended.stdout.splitlines():
        if line.startswith("{"):
            copies |= json.loads(line)
    assert list(copies) == ["ppo", "sb3-dqn"]
    if device == "stand-in":  # once for each of 32 steps, and twice for each of 2 updates
        assert copies["ppo"]["ppo.py"] == 32 + 2 * 2
        assert copies["sb3-dqn"]["sb3_dqn.py"] <= 32 + 2
