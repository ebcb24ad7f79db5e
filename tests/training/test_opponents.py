"""Opponents of a learner in one seat: their schedule, and agents that err."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.envs.opponents import OpponentPool
from tzaar_envs.training.common.opponents import (
    EPSILONS,
    RECENT_GAMES,
    SNAPSHOT_SHARE,
    EpsilonGreedyAgent,
    OpponentSchedule,
)

GAME = tzaar_envs.load_game("tzaar")
ERRING = [f"greedy ({share:.0%} random)" for share in EPSILONS]


def new_schedule(names: Sequence[str] = ("random", "greedy")) -> OpponentSchedule:
    baselines = [make_agent(name, GAME) for name in names]
    return OpponentSchedule(
        OpponentPool(GAME, ["random"]), baselines, snapshot_every=100, max_snapshots=2
    )


def record(schedule: OpponentSchedule, opponents: Sequence[str], won: bool) -> None:
    """Record a finished game."""
    schedule.record_games([{}, {"episode": {"r": won - 0.5}, "opponents": opponents}])


def names(schedule: OpponentSchedule) -> list[str]:
    return [agent.name for agent in schedule.pool.agents]


def test_the_next_baseline_joins_after_enough_wins() -> None:
    schedule = new_schedule()
    assert names(schedule) == ["random"]
    for number in range(10 * RECENT_GAMES):
        record(schedule, ["random"], won=number % 2 == 0)
    assert schedule.recent_wins == 0.5
    assert names(schedule) == ["random"]
    for _ in range(RECENT_GAMES):
        record(schedule, ["random"], won=True)
    assert names(schedule) == ["random", "greedy", *ERRING]
    assert schedule.recent_wins == 0.0
    for _ in range(RECENT_GAMES):
        record(schedule, ["random"], won=True)  # not the newest any more
        record(schedule, ERRING[:1], won=True)  # nor the newest as it is
    assert schedule.recent_wins == 0.0


def test_snapshots_join_from_the_second_baseline_on() -> None:
    schedule = new_schedule()
    snapshots = [make_agent("random", GAME) for _ in range(4)]
    for number, snapshot in enumerate(snapshots):
        snapshot.name = f"snapshot-{number}"
    schedule.add_snapshots(snapshots[:1])
    assert names(schedule) == ["random"]
    schedule.load_state_dict({"stage": 1, "last_snapshot": 100})
    schedule.add_snapshots(snapshots[1:3])
    session = SimpleNamespace(
        steps=199,
        save_snapshot=lambda: snapshots[3],
        log=lambda *values: None,
        checkpoint=lambda: None,
    )
    schedule.after_update(session, {})
    assert names(schedule)[-1] == "snapshot-2"
    session.steps = 200
    schedule.after_update(session, {})
    session.save_snapshot = pytest.fail
    session.steps = 201
    schedule.after_update(session, {})
    assert names(schedule) == ["random", "greedy", *ERRING, "snapshot-2", "snapshot-3"]
    shares = schedule.pool._probabilities
    assert shares[-2:] == pytest.approx([SNAPSHOT_SHARE / 2] * 2)
    assert shares[1:5] == pytest.approx([2 * shares[0]] * 4)


def test_the_state_of_a_schedule_comes_back() -> None:
    schedule, other = new_schedule(), new_schedule()
    schedule.load_state_dict({"stage": 1, "last_snapshot": 300})
    other.load_state_dict(schedule.state_dict())
    assert other.state_dict() == {"stage": 1, "last_snapshot": 300}
    assert names(other) == ["random", "greedy", *ERRING]


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
