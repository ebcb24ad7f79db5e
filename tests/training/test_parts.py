"""The parts of training that stand alone."""

from pathlib import Path

import numpy as np
import pytest
import torch

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.greedy import action_values
from tzaar_envs.agents.network import BoardNetwork, NetworkShape
from tzaar_envs.agents.policy import PolicyAgent
from tzaar_envs.core.game import Game
from tzaar_envs.core.rng import new_generator
from tzaar_envs.core.state import State
from tzaar_envs.training.imitation import collect_lessons, imitate
from tzaar_envs.training.learning_curve import draw_learning_curve
from tzaar_envs.training.opponent_schedule import RECENT_GAMES, OpponentSchedule
from tzaar_envs.training.run_folder import RunFolder
from tzaar_envs.wrappers.opponents import OpponentPool

GAME = tzaar_envs.load_game("tzaar")


def new_schedule() -> OpponentSchedule:
    baselines = [make_agent("random", GAME), make_agent("greedy", GAME)]
    return OpponentSchedule(OpponentPool(GAME, ["random"]), baselines, most_snapshots=2)


def names(schedule: OpponentSchedule) -> list[str]:
    return [agent.name for agent in schedule.pool.agents]


def test_the_next_baseline_joins_after_enough_wins() -> None:
    schedule = new_schedule()
    assert names(schedule) == ["random"]
    for number in range(10 * RECENT_GAMES):
        schedule.record(["random"], won=number % 2 == 0)
    assert schedule.recent_wins == 0.5
    assert names(schedule) == ["random"]
    for _ in range(RECENT_GAMES):
        schedule.record(["random"], won=True)
    assert names(schedule) == ["random", "greedy"]
    assert schedule.recent_wins == 0.0
    for _ in range(RECENT_GAMES):
        schedule.record(["random"], won=True)  # not the newest any more
    assert schedule.recent_wins == 0.0


def test_snapshots_join_from_the_second_baseline_on() -> None:
    schedule = new_schedule()
    snapshots = [make_agent("random", GAME) for _ in range(4)]
    for number, snapshot in enumerate(snapshots):
        snapshot.name = f"snapshot-{number}"
    schedule.add_snapshot(snapshots[0])
    assert names(schedule) == ["random"]
    schedule.stage = 1
    schedule.apply()
    for snapshot in snapshots[1:]:
        schedule.add_snapshot(snapshot)
    assert names(schedule) == ["random", "greedy", "snapshot-2", "snapshot-3"]
    assert schedule.pool._probabilities == pytest.approx([0.1, 0.4, 0.25, 0.25])


def test_lessons_show_what_greedy_prefers() -> None:
    lessons = collect_lessons(GAME, 500, seed=1, report=lambda done: None)
    assert 500 <= len(lessons.returns) == len(lessons.observations) == len(lessons.targets)
    masks = np.unpackbits(lessons.masks, axis=1, count=GAME.num_actions).astype(bool)
    assert not lessons.targets[~masks].any()
    assert lessons.targets.astype(np.float64).sum(axis=1) == pytest.approx(1.0, abs=0.01)
    assert set(lessons.returns) == {-1.0, 1.0}


def test_imitation_brings_the_network_near_greedy() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    torch.manual_seed(0)
    network = BoardNetwork(NetworkShape.for_game(game, width=16, blocks=1))
    states = [random_position(game, seed) for seed in range(200)]
    values = action_values(states, new_generator(0))

    def agreement() -> float:
        """How often the network takes one of the actions that greedy likes best."""
        chosen = PolicyAgent(game, network).act_batch(states)
        return float((values[np.arange(len(states)), chosen] == values.max(axis=1)).mean())

    before = agreement()
    lessons = collect_lessons(game, 8000, seed=1, report=lambda done: None)
    course: list[float] = []
    imitate(network, lessons, 4, seed=0, report=lambda done, divergence: course.append(divergence))
    assert len(course) == 4 * (len(lessons.returns) // 256)
    assert np.mean(course[-5:]) < 0.9 * np.mean(course[:5])
    assert agreement() > before + 0.15


def random_position(game: Game, seed: int) -> State:
    """Return a position after ten random plies."""
    agent = make_agent("random", game, seed)
    state = game.new_state(seed)
    for _ in range(10):
        state.apply(agent.act(state))
    return state


def test_the_learning_curve_is_a_picture(tmp_path: Path) -> None:
    by_seat = [[5, 1, 4], [7, 0, 3]]
    records = [{"steps": steps, "results": {"random": by_seat}} for steps in (0, 1000)]
    draw_learning_curve(tmp_path / "curve.png", "a title", ("White", "Black"), records)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_torn_last_evaluation_is_left_out(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert folder.read_evaluations() == []
    folder.append_evaluation({"steps": 1})
    folder.append_evaluation({"steps": 2})
    with folder.evaluations.open("a") as file:
        file.write('{"steps": 3, "win')
    assert folder.read_evaluations() == [{"steps": 1}, {"steps": 2}]
