"""Which agents a browser may name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tzaar_envs import load_game
from tzaar_envs.web.limits import Limits
from tzaar_envs.web.seats import SeatRules

RULES = SeatRules(Limits(simulations=1000, depth=4, seconds=2))


@pytest.mark.parametrize(
    "text",
    ["human", "random", "greedy", "mcts:simulations=1000", "mcts:ms=2000", "alphabeta:depth=4"],
)
def test_agents_without_files_are_allowed(text: str) -> None:
    assert RULES.check(text, load_game("tzaar")) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("policy:/etc/passwd", "no agent"),
        ("policy:x.safetensors,sample=true", "no agent"),
        ("mcts:policy=/etc/passwd", "can name a file"),
        ("alphabeta:policy=x", "can name a file"),
        ("mcts:simulations=1001", "above the limit of 1000"),
        ("mcts:ms=2001", "above the limit of 2000"),
        ("mcts:threads=2", "above the limit of 1"),
        ("alphabeta:depth=5", "above the limit of 4"),
        ("mcts:", "expected"),
        ("mcts:simulations", "NAME=VALUE"),
        ("nobody", "no agent"),
        ("", "no agent"),
    ],
)
def test_others_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        RULES.check(text, load_game("tzaar"))


def test_the_server_may_name_files(tmp_path: Path) -> None:
    text = f"policy:{tmp_path / 'x.safetensors'}"
    rules = SeatRules(Limits(), (text,))
    assert rules.check(text, load_game("tzaar")) == text
    assert text in [agent["text"] for agent in rules.listing(load_game("tzaar").spec)]
    with pytest.raises(ValueError, match="no agent"):
        rules.check(f"{text}x", load_game("tzaar"))


def test_an_unknown_agent_is_reported_at_the_start() -> None:
    with pytest.raises(ValueError, match="no game has an agent 'nobody'"):
        SeatRules(Limits(), ("nobody",))


def test_sliders_stay_within_the_limits() -> None:
    sliders = {
        slider["name"]: slider
        for agent in RULES.listing(load_game("tzaar").spec)
        for slider in agent["sliders"]
    }
    assert sliders["simulations"]["most"] == 1000
    assert sliders["depth"]["most"] == 4
    assert sliders["ms"]["most"] == 2000
