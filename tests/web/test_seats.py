"""Which agents a browser may name."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_games.adding import ADDING_FOR_TWO
from small_policies import save_new_policy

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
    path = tmp_path / "x.safetensors"
    save_new_policy(path, load_game("tzaar"))
    text = f"policy:{path}"
    rules = SeatRules(Limits(), (text, f"mcts:policy={path}", "engine:true"))
    assert rules.check(text, load_game("tzaar")) == text
    assert rules.check("engine:true", load_game("zatre")) == "engine:true"
    listed = [agent["text"] for agent in rules.listing(load_game("tzaar").spec)]
    assert {text, f"mcts:policy={path}", "engine:true"} <= {*listed}
    for other, game in ((f"{text}x", "tzaar"), (text, "zatre")):
        with pytest.raises(ValueError, match="no agent"):
            rules.check(other, load_game(game))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nobody", "no game has an agent 'nobody'"),
        ("policy:/nonexistent", "there is no policy file '/nonexistent'"),
        ("mcts:policy=/nonexistent", "there is no policy file '/nonexistent'"),
        ("alphabeta:policy=/nonexistent", "there is no policy file '/nonexistent'"),
        (f"policy:{__file__}", "is not a policy file"),
        ("policy:x.safetensors,sample=maybe", "sample='maybe' is not allowed"),
        ("engine:/nonexistent", "there is no program '/nonexistent'"),
    ],
)
def test_an_agent_that_cannot_play_is_reported_at_the_start(text: str, reason: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=reason):
        SeatRules(Limits(), (text,))


def test_a_policy_of_no_game_here_is_reported_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_new_policy(path, ADDING_FOR_TWO)
    with pytest.raises(ValueError, match="is of no game here"):
        SeatRules(Limits(), (f"policy:{path}",))


def test_sliders_stay_within_the_limits() -> None:
    sliders = {
        slider["name"]: slider
        for agent in RULES.listing(load_game("tzaar").spec)
        for slider in agent["sliders"]
    }
    assert sliders["simulations"]["most"] == 1000
    assert sliders["depth"]["most"] == 4
    assert sliders["ms"]["most"] == 2000
