"""Responses to an agent: the games they are learnt from, runs."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_runs import Script

import tzaar_envs
from tzaar_envs.arena import MatchResult
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.search.self_play import GameSettings, Records
from tzaar_envs.training.alphazero import AlphaZeroArguments, train
from tzaar_envs.training.common.against_agent import GamesAgainstAgent

GAME = tzaar_envs.load_game("turm_und_waechter")
SCRIPT = Script(
    train,
    AlphaZeroArguments,
    game="turm_und_waechter",
    opponent="random",
    steps=96,
    round=32,
    batch_size=32,
    width=8,
    hidden=4,
    final_games=2,
)


def games_against(
    opponent: str = "random", game: Game = GAME, positions: int = 200, **play: Any
) -> Callable[[list[int]], Records]:
    """Return what plays games of an untrained network against an agent."""
    torch.manual_seed(1)
    network = SparseNetwork(SparseShape.for_game(game, 8, 4), game)
    settings = GameSettings(**{"epsilon": 0.0, "td_lambda": 1.0, "opening": 4} | play)
    evaluator = CompiledNetwork(game, network)
    games = GamesAgainstAgent(game, opponent, 2, settings, positions)
    return partial(games.play, evaluator)


# --- games ---------------------------------------------------------------------------------------


def test_positions_after_the_learners_actions_are_learnt() -> None:
    found = games_against()([5])
    assert len(found.states) >= 200
    assert found.games > 1
    assert (found.states[:, STATUS] == RUNNING).all()
    # With a lambda of 1, all of them are worth the result of their game, a draw half a loss.
    assert (np.abs(found.values) > 0.4).all()
    np.testing.assert_allclose(2 * found.values, np.rint(2 * found.values), atol=1e-9)
    np.testing.assert_array_equal(found.values.sum(axis=1), 0)
    # In Turm & Wächter the other seat acts next, and each seat is the learner's in some games.
    assert set(found.states[:, SEAT]) == {0, 1}
    changes = (np.abs(np.diff(found.states[:, SEAT])) > 0).sum()
    assert changes < found.games


@pytest.mark.parametrize("name", ["twenty_one", "zatre"])
@pytest.mark.parametrize("players", [2, 3])
def test_a_seat_learns_what_it_sees_after_its_action(name: str, players: int) -> None:
    game = tzaar_envs.load_game(name, players=players)
    found = games_against(game=game, positions=1000)([5])
    assert found.games > 5
    assert found.values.shape == (len(found.states), players)
    np.testing.assert_allclose(found.values.sum(axis=1), 0, atol=1e-9)
    # Each seat is the learner's in some games, and one game after the other is recorded.
    assert set(found.observers) == set(range(players))
    changes = (np.diff(found.observers) != 0).sum()
    assert changes < found.games
    assert (found.observers != found.states[:, SEAT]).any()


# --- runs ----------------------------------------------------------------------------------------


def test_only_the_opponent_counts(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder)
    (line, *_) = (folder / "evaluations.jsonl").read_text().splitlines()
    assert set(json.loads(line)["results"]) == {"random", "random (without search)"}
    assert {path.name for path in folder.glob("result_*")} == {
        f"result_random{ending}.json" for ending in ("", "-without-search")
    }
    result = MatchResult.load(folder / "result_random.json")
    searching = f"alphabeta:depth={SCRIPT.small().evaluation_depth},policy={folder}/"
    assert result.agents == (f"{searching}policy.safetensors", "random")
