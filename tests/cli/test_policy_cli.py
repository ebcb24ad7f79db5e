"""The commands about saved policies: card, measure, export."""

from pathlib import Path

import pytest
from command_line import run_cli as run
from small_policies import save_new_policy

import tzaar_envs
from tzaar_envs.networks.file import read_card


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "it.safetensors"
    save_new_policy(path, tzaar_envs.load_game("tzaar", setup="fixed"))
    return path


def test_card_shows_the_card(path: Path) -> None:
    code, out, err = run("card", str(path))
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines() if line]
    card = read_card(path)
    assert lines[:3] == [str(path), "game tzaar_v0", "options setup=fixed"]
    assert f"observation 21 x 9 x 9, version {card['observation']['version']}" in lines
    assert f"actions 487, version {card['actions']['version']}" in lines
    at = lines.index("network width=8, blocks=1")
    assert lines[at + 1 : at + 3] == ["shaping 0", "steps 5"]
    assert "Measured" not in out


def test_measure_writes_what_the_policy_reaches(path: Path) -> None:
    code, out, err = run("measure", str(path), "--against", "greedy", "--games", "4")
    assert (code, err) == (0, "")
    found = read_card(path)["measured"]["greedy"]
    assert (found["games"], found["options"]) == (4, {"setup": "fixed"})
    [row] = [line.split() for line in out.splitlines() if line.startswith("greedy")]
    counts = [str(found[name]) for name in ("games", "wins", "draws", "losses")]
    assert row[:6] == ["greedy", "none", *counts]
    assert run("card", str(path))[1] in out
    words = ["--against", "random", "--games", "2", "--search", "mcts:simulations=4"]
    code, out, err = run("measure", str(path), *words)
    assert (code, err) == (0, "")
    assert read_card(path)["measured"]["random"]["search"] == "mcts:simulations=4"
