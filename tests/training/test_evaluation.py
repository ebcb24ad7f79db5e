"""Evaluations in training: how many games there is time for, and what a run has learnt."""

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tzaar_envs
from tzaar_envs.arena import MatchResult
from tzaar_envs.training.common import evaluation
from tzaar_envs.training.common.evaluation import Evaluation, draw_learning_curve, learning_speed
from tzaar_envs.training.ppo import PpoArguments, train

GAME = tzaar_envs.load_game("tzaar")
MATCHES = {name: ("policy", name) for name in ("random", "greedy")}


class SlowEvaluation(Evaluation):
    """Games that take as long as they are told to, on a clock of their own."""

    seconds_per_game = 1.0
    now = 0.0

    def play_match(self, game: Any, agents: Any, games: int, **settings: Any) -> Any:
        self.now += self.seconds_per_game * games
        self.played = games = games // GAME.num_players
        return SimpleNamespace(
            summary=lambda player, seat: SimpleNamespace(wins=games, draws=0, losses=0),
            interrupted=False,
        )


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowEvaluation:
    result = SlowEvaluation(GAME, opening_plies=2)
    monkeypatch.setattr("tzaar_envs.arena.play_match", result.play_match)
    monkeypatch.setattr(evaluation, "time", SimpleNamespace(monotonic=lambda: result.now))
    return result


def test_an_evaluation_has_as_many_games_as_there_is_time_for(slow: SlowEvaluation) -> None:
    slow.scores(MATCHES, 50, seconds=200.0)
    begun = slow.now
    scores = slow.scores(MATCHES, 50, seconds=200.0)
    assert slow.now - begun == 200.0
    assert scores == {name: [[50, 0, 0]] * 2 for name in ("random", "greedy")}

    slow.seconds_per_game = 10.0  # the machine gets busy: that is noticed after a match
    slow.scores(MATCHES, 50, seconds=200.0)
    begun = slow.now
    assert slow.scores(MATCHES, 50, seconds=200.0)["greedy"] == [[5, 0, 0]] * 2
    assert slow.now - begun == 200.0


def test_a_learning_curve_is_a_picture_of_all_evaluations(tmp_path: Path) -> None:
    records = [
        {"steps": steps, "minutes": steps / 60, "results": {"greedy": [[won, 0, 9], [1, 2, 3]]}}
        for steps, won in ((0, 0), (100, 5), (200, 90))
    ]
    drawn = set()
    for count in (1, 2, 3):
        draw_learning_curve(tmp_path / "c.png", "Title", ("White", "Black"), records[:count])
        drawn.add((tmp_path / "c.png").read_bytes())
    assert len(drawn) == 3
    assert all(picture.startswith(b"\x89PNG") for picture in drawn)


def test_a_whole_run_says_what_it_learnt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = PpoArguments(
        game="tzaar", folder=tmp_path / "run", minutes=1e-6, steps=64, num_envs=4,
        rollout=4, width=4, blocks=0, evaluation_games=30, final_games=30, threads=1,
    )  # fmt: skip
    train(arguments)
    assert "untrained -> after" in capsys.readouterr().out
    # Hardly any time: as few games as there may be, two in each seat.
    assert len(MatchResult.load(tmp_path / "run" / "result_greedy.json").games) == 4


@pytest.mark.usefixtures("unmeasured")
def test_the_policy_with_the_best_evaluation_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wins = itertools.chain([0, 3], itertools.repeat(2))
    policies = []

    def scores(*_: object) -> dict[str, list[list[int]]]:
        policies.append((tmp_path / "run" / "policy.safetensors").read_bytes())
        return {"greedy": [[next(wins), 0, 1]] * 2}

    monkeypatch.setattr(Evaluation, "scores", scores)
    arguments = PpoArguments(
        game="tzaar", folder=tmp_path / "run", evaluate_every=1e-6, steps=64, num_envs=4,
        rollout=4, width=4, blocks=0, threads=1,
    )  # fmt: skip
    train(arguments)
    assert len({*policies}) > 3
    assert (tmp_path / "run" / "best.safetensors").read_bytes() == policies[1]


def scored(minutes: float, wins: int, losses: int) -> dict[str, Any]:
    """Return an evaluation with a score against one baseline, and 100 % against another."""
    return {
        "steps": 0,
        "minutes": minutes,
        "results": {"greedy": [(wins, 0, losses), (wins, 0, losses)], "random": [(3, 0, 0)] * 2},
    }


def test_the_learning_speed_is_the_area_under_the_curve() -> None:
    always = [scored(0.0, 4, 0), scored(2.0, 4, 0)]
    assert learning_speed(always) == 1.0
    never = [scored(0.0, 0, 4), scored(2.0, 0, 4)]
    assert learning_speed(never) == 0.5  # against random
    rising = [scored(0.0, 0, 4), scored(2.0, 4, 0)]
    assert learning_speed(rising) == pytest.approx(0.75)
    early = [scored(0.0, 0, 4), scored(0.5, 4, 0), scored(2.0, 4, 0)]
    assert learning_speed(early) > learning_speed(rising)
    late = [scored(1.0, 4, 0), scored(2.0, 4, 0)]
    assert learning_speed(late) == pytest.approx(0.5)
    assert learning_speed([scored(0.0, 2, 2)]) == pytest.approx(0.75)
