"""Opponents of a learner in one seat: their schedule, and agents that err."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.envs.opponents import RECENT_GAMES, OpponentPool
from tzaar_envs.training.common.opponents import (
    EPSILONS,
    SNAPSHOT_SHARE,
    EpsilonGreedyAgent,
    OpponentSchedule,
)

GAME = tzaar_envs.load_game("tzaar")
ERRING = [f"greedy ({share:.0%} random)" for share in EPSILONS]


def new_schedule(names: Sequence[str] = ("random", "greedy")) -> OpponentSchedule:
    baselines = [make_agent(name, GAME) for name in names]
    return OpponentSchedule(OpponentPool(GAME, "random"), baselines, snapshot_every=100)


def after_games(
    schedule: OpponentSchedule, wins: Sequence[bool], against: str = "random", steps: int = 0
) -> list[str]:
    """Return the names of the opponents after an update that follows some games."""
    (agent,) = (each for each in schedule.pool.agents if each.name == against)
    for won in wins:
        schedule.pool.record([None, agent], won)
    snapshot = make_agent("random", GAME)
    snapshot.name = f"snapshot-{steps}"
    session = SimpleNamespace(
        steps=steps,
        save_snapshot=lambda: snapshot,
        log=lambda *values: None,
        checkpoint=lambda: None,
    )
    schedule.after_update(session, {})
    return [agent.name for agent in schedule.pool.agents]


def test_each_agent_of_a_mixture_errs() -> None:
    schedule = new_schedule(["random", "elo:1200"])
    many = after_games(schedule, [True] * RECENT_GAMES)
    mixture = schedule.agents[1]
    assert len(many) == 2 + len(EPSILONS) * len(mixture.agents)
    shares = np.array(schedule.pool.probabilities()[2:]).reshape(len(EPSILONS), -1)
    assert shares[0].tolist() == pytest.approx(shares[2].tolist())
    assert shares[0] / shares[0].sum() == pytest.approx(mixture.probabilities)
    assert shares.sum() == pytest.approx(2 * len(EPSILONS) / (1 + 2 + 2 * len(EPSILONS)))


def test_the_next_baseline_joins_after_enough_wins_and_then_snapshots() -> None:
    schedule = new_schedule()
    assert after_games(schedule, [True, False] * RECENT_GAMES, steps=100) == ["random"]
    assert after_games(schedule, [True] * 100, steps=200) == ["random"]
    second = ["random", "greedy", *ERRING]
    assert after_games(schedule, [True] * 30, steps=99) == second
    many = [True] * RECENT_GAMES
    assert after_games(schedule, many, steps=99) == second
    assert after_games(schedule, many, ERRING[0], 100) == [*second, "snapshot-100"]
    assert after_games(schedule, many, "greedy", 199) == [*second, "snapshot-100"]
    assert after_games(schedule, [], steps=200) == [*second, "snapshot-100", "snapshot-200"]
    shares = schedule.pool.probabilities()
    assert shares[-2:] == pytest.approx([SNAPSHOT_SHARE / 2] * 2)
    assert shares[1:5] == pytest.approx([2 * shares[0]] * 4)
    alone = new_schedule(["random"])
    assert after_games(alone, [], steps=100) == ["random", "snapshot-100"]
    assert alone.pool.probabilities() == pytest.approx([0.5, 0.5])


def test_the_state_of_a_schedule_comes_back() -> None:
    schedule, other = new_schedule(), new_schedule()
    schedule.load_state_dict({"stage": 1, "last_snapshot": 300})
    other.load_state_dict(schedule.state_dict())
    assert other.state_dict() == {"stage": 1, "last_snapshot": 300}
    assert after_games(other, [], steps=399) == ["random", "greedy", *ERRING]


def test_an_agent_errs_as_often_as_it_shall() -> None:
    batch = Batch(GAME, 400)
    for row in range(400):
        batch.seed(row, row)
    batch.reset(np.ones(400, np.bool_))
    rows = np.arange(0, 400, 2)
    first = OpponentPool(GAME, "random").agents[0]

    class Lowest(type(first)):  # type: ignore[misc]
        """Plays the first legal action."""

        def act(self, position: object) -> int:
            return int(position.legal_actions()[0])  # type: ignore[attr-defined]

        def act_rows(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
            return batch.masks[rows].argmax(axis=1)

    lowest = batch.masks[rows].argmax(axis=1)
    for share, least, most in ((0.0, 0, 0), (0.3, 30, 90), (1.0, 180, 200)):
        agent = EpsilonGreedyAgent(Lowest(GAME), share, seed=5)
        actions = agent.act_rows(batch, rows)
        assert batch.masks[rows, actions].all()
        assert least <= (actions != lowest).sum() <= most
        agent.seed(5)
        assert (agent.act_rows(batch, rows) == actions).all()
        assert GAME.new_state(0).is_legal(agent.act(GAME.new_state(0)))
