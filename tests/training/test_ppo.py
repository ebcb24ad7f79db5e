"""PPO in self-play: advantages by hand, masks, and whole runs in small."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_runs import (
    Script,
    ctrl_c,
    differing,
    evaluated_steps,
    nth_call,
    read_checkpoint,
    some_games,
)

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.envs.vector import VectorGameEnv
from tzaar_envs.networks.evaluator import load_evaluator
from tzaar_envs.networks.file import read_card
from tzaar_envs.training import ppo
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.ppo import Decisions, LegalActions, PpoArguments, advantages, train

GAMMA, LAMBDA = 0.5, 0.8
SCRIPT = Script(train, PpoArguments, num_envs=8, rollout=16, batch_size=64, epochs=2)


def advantages_of(
    players: list[int], values: list[float], rewards: dict[int, list[float]], seats: int = 2
) -> tuple[list[float], list[bool]]:
    """Return the advantages of one game after another in one row; a reward ends a game."""
    slots = len(players)
    given = np.zeros((slots, 1, seats))
    ends = np.zeros((slots, 1), np.bool_)
    for slot, row in rewards.items():
        given[slot, 0] = row
        ends[slot] = True
    columns = np.array(players)[:, None], np.array(values, np.float32)[:, None]
    result, known = advantages(*columns, given, ends, GAMMA, LAMBDA)
    return result[:, 0].tolist(), known[:, 0].tolist()


def test_advantages_of_seats_that_alternate() -> None:
    # Seat 0 makes the last move and wins; seat 1 receives its loss all the same.
    result, known = advantages_of([0, 1, 0, 1, 0], [0.2, 0.1, 0.4, -0.6, 0.8], {4: [1.0, -1.0]})
    last0 = 1.0 - 0.8
    middle0 = (0.5 * 0.8 - 0.4) + 0.4 * last0
    first0 = (0.5 * 0.4 - 0.2) + 0.4 * middle0
    last1 = -1.0 + 0.6
    first1 = (0.5 * -0.6 - 0.1) + 0.4 * last1
    assert result == pytest.approx([first0, first1, middle0, last1, last0])
    assert known == [True] * 5


def test_advantages_of_seats_that_move_twice_in_a_row() -> None:
    # As in Tzaar. The discount goes from a seat's decision to its next, however near that is.
    result, known = advantages_of(
        [0, 1, 1, 0, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], {5: [-1.0, 1.0]}
    )
    fifth = -1.0 - 0.5
    fourth = (0.5 * 0.5 - 0.4) + 0.4 * fifth
    first = (0.5 * 0.4 - 0.1) + 0.4 * fourth
    sixth = 1.0 - 0.6
    third = (0.5 * 0.6 - 0.3) + 0.4 * sixth
    second = (0.5 * 0.3 - 0.2) + 0.4 * third
    assert result == pytest.approx([first, second, third, fourth, fifth, sixth])
    assert known == [True] * 6


def test_advantages_of_three_seats() -> None:
    result, known = advantages_of(
        [0, 1, 2, 0, 2], [0.1, 0.2, 0.3, 0.4, 0.5], {4: [-0.5, -0.5, 1.0]}, seats=3
    )
    last0, last2 = -0.5 - 0.4, 1.0 - 0.5
    first0 = (0.5 * 0.4 - 0.1) + 0.4 * last0
    first2 = (0.5 * 0.5 - 0.3) + 0.4 * last2
    assert result == pytest.approx([first0, -0.5 - 0.2, first2, last0, last2])
    assert known == [True] * 5


def test_what_is_open_at_the_end_bootstraps_and_waits() -> None:
    # An empty slot first. The last decisions of both seats have no known future.
    result, known = advantages_of([-1, 0, 1, 1, 0], [9.0, 0.1, 0.2, 0.3, 0.4], {})
    assert result == pytest.approx([0.0, 0.5 * 0.4 - 0.1, 0.5 * 0.3 - 0.2, 0.0, 0.0])
    assert known == [False, True, True, False, False]


def test_open_decisions_move_to_the_slots_of_their_seats() -> None:
    env = tzaar_envs.make_vec("twenty_one", num_envs=2, players=3)
    decisions = Decisions(env, rollout=4, generator=torch.Generator())
    decisions.players[3:] = [[0, 1], [1, 1], [2, 1], [0, 2]]
    decisions.actions[3:] = torch.tensor([[1, 2], [3, 4], [5, 6], [7, 8]])
    values, rewards, ends = decisions.values.numpy(), decisions.rewards, decisions.ends
    _, known = advantages(decisions.players, values, rewards, ends, GAMMA, LAMBDA)
    decisions.carry(known)
    assert decisions.players[:3].tolist() == [[0, -1], [1, 1], [2, 2]]
    assert decisions.actions[:3].tolist() == [[7, 0], [3, 6], [5, 8]]
    assert (decisions.players[3:] == -1).all()


def test_illegal_actions_have_no_probability_and_no_gradient() -> None:
    logits = torch.tensor([[50.0, 1.0, 2.0], [0.0, 3.0, -2.0]], requires_grad=True)
    masks = torch.tensor([[False, True, True], [False, True, False]])
    legal = LegalActions.of(masks)
    assert legal.actions.tolist() == [[1, 2], [1, 0]]
    assert legal.present.tolist() == [[True, True], [True, False]]
    logs = legal.log_policy(logits)
    probabilities = logs.exp()
    share = 1 / (1 + np.exp(1.0))
    assert probabilities[0].tolist() == pytest.approx([share, 1 - share])
    assert probabilities[1].tolist() == [1, 0]
    entropy = -(probabilities * logs).sum(dim=1)
    assert entropy[0].item() == pytest.approx(
        -share * np.log(share) - (1 - share) * np.log(1 - share), abs=1e-6
    )
    assert entropy[1].item() == 0
    (entropy.sum() + logs[0, 1]).backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~masks] == 0).all()
    assert logits.grad[0, 1] != 0


@some_games
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder, **changes)
    assert f"{folder}/policy.safetensors" in capsys.readouterr().out.replace("\n", "")
    assert evaluated_steps(folder) == [0, 512]
    SCRIPT.assert_left_a_policy_that_plays(folder, **changes)


@pytest.mark.usefixtures("unmeasured")
def test_only_what_was_legal_and_has_a_known_future_is_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry = Decisions.carry
    counts = []

    def checked(self: Decisions, known: np.ndarray) -> None:
        taken = self.players != -1
        assert self.masks[taken].gather(1, self.actions[taken][:, None]).all()
        assert (self.log_probabilities[taken] <= 0).all()
        carry(self, known)
        counts.append((int(taken.sum()), int((self.players != -1).sum())))

    monkeypatch.setattr(Decisions, "carry", checked)
    SCRIPT.train(tmp_path / "run", game="tzaar")
    waiting = 0
    for taken, still_open in counts:
        assert taken == 8 * 16 + waiting  # nothing is lost, nothing counts twice
        assert 8 <= still_open <= 2 * 8
        waiting = still_open
    assert len(counts) == 4


@pytest.mark.usefixtures("unmeasured")
def test_games_begin_with_random_plies_that_are_not_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry, rollouts = Decisions.carry, []

    def checked(self: Decisions, known: np.ndarray) -> None:
        is_random = self.players[2:] == -1
        legal = self.masks[2:].sum(dim=-1)[is_random]
        torch.testing.assert_close(self.log_probabilities[2:][is_random], -legal.float().log())
        assert not known[2:][is_random].any()
        rollouts.append((is_random, self.ends[2:].copy()))
        carry(self, known)

    monkeypatch.setattr(Decisions, "carry", checked)
    SCRIPT.train(tmp_path / "run", game="turm_und_waechter", opening=3, rollout=64, steps=2048)
    is_random, ends = (np.concatenate(arrays) for arrays in zip(*rollouts, strict=True))
    begins = np.roll(ends, 1, axis=0)
    begins[0] = True
    assert not (is_random & ~begins & ~np.roll(is_random, 1, axis=0)).any()
    lengths = np.bincount(begins.T.ravel().cumsum(), is_random.T.ravel())
    assert set(lengths[1:]) == {0, 1, 2, 3}


@pytest.mark.usefixtures("unmeasured")
def test_shaping_adds_evaluations_to_values_and_draws_have_a_reward_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tzaar_envs.load_game("turm_und_waechter").new_state(0)  # of the first game
    estimate, carry, step = ppo.advantages, Decisions.carry, VectorGameEnv.step
    given: list[np.ndarray] = []
    ends: list[int] = []

    def without_winners(self: VectorGameEnv, actions: np.ndarray) -> Any:
        *others, infos = step(self, actions)
        return *others, infos | {"rewards": 0 * infos["rewards"]}

    def estimated(players: np.ndarray, values: np.ndarray, *others: Any) -> Any:
        given.append(values)
        return estimate(players, values, *others)

    def checked(self: Decisions, known: np.ndarray) -> None:
        nonlocal state
        for slot in self.rollout_slots:
            assert self.potentials[slot, 0] == pytest.approx(state.evaluate(state.current_player))
            state.apply(int(self.actions[slot, 0]))
            if state.is_terminal:
                state = state.game.new_state(0)
        np.testing.assert_allclose(given[-1], self.values.numpy() + 2 * self.potentials)
        assert (self.rewards == np.where(self.ends, -0.25, 0)[:, :, None]).all()
        ends.append(int(self.ends.sum()))
        carry(self, known)

    monkeypatch.setattr(ppo, "advantages", estimated)
    monkeypatch.setattr(Decisions, "carry", checked)
    monkeypatch.setattr(VectorGameEnv, "step", without_winners)
    changes = {"game": "turm_und_waechter", "rollout": 64, "steps": 3 * 8 * 64}
    SCRIPT.train(tmp_path / "run", shaping=2.0, draw=-0.25, **changes)
    assert len(given) == 3
    assert sum(ends) > 0
    assert vars(load_evaluator(tmp_path / "run/policy.safetensors", state.game))["shaping"] == 2.0


@pytest.mark.parametrize(
    ("game", "owner", "name"),
    [("tzaar", ppo, "advantages"), ("twenty_one", Decisions, "carry")],
    ids=["before the update", "after the update"],
)
@pytest.mark.usefixtures("unmeasured")
def test_an_interrupted_run_ends_as_one_that_was_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, owner: Any, name: str
) -> None:
    whole = SCRIPT.train(tmp_path / "whole", game=game, opening=2)
    folder = tmp_path / "run"
    with ctrl_c(owner, name, nth_call(3)):
        stored = SCRIPT.train_until_stopped(folder, capsys, game=game, opening=2)
    assert stored["steps"] == 256
    make_agent(f"policy:{folder}/policy.safetensors", tzaar_envs.load_game(game))

    resumed = SCRIPT.resume_after(stored, folder, capsys)
    assert resumed["steps"] == whole["steps"] == 512
    before, after, expected = (run["learner"] for run in (stored, resumed, whole))
    assert torch.equal(after["games"]["positions"], expected["games"]["positions"])
    assert not differing(after["network"], expected["network"])
    assert differing(after["network"], before["network"])
    # Once the budget is used, there is nothing more to learn.
    assert SCRIPT.resume(folder)["steps"] == 512


@pytest.mark.usefixtures("unmeasured")
def test_more_steps_or_minutes_extend_a_run_that_is_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder, game="twenty_one", steps=128)
    with pytest.raises(ValueError, match=r"steps=100 are not allowed: .* has already trained for"):
        SCRIPT.resume(folder, steps=100)
    with ctrl_c(ppo, "advantages", nth_call(2)), pytest.raises(KeyboardInterrupt):
        SCRIPT.resume(folder, steps=384)
    assert read_checkpoint(folder)["steps"] == 256
    assert SCRIPT.resume(folder)["steps"] == 384  # the new budget is kept
    assert SCRIPT.resume(folder, minutes=1e6, steps=512)["steps"] == 512
    assert read_card(folder / "policy.safetensors")["training"]["arguments"]["minutes"] == 1e6


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (70.0, [0.0] * 9),
        (25.0, [0.0, 25.0] * 4 + [0.0]),
        (15.0, [0.0, 15.0, 30.0, 45.0] * 2 + [0.0]),
    ],
)
def test_the_file_of_a_checkpoint_is_at_most_a_minute_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, expected: Sequence[float]
) -> None:
    updates = 0  # each takes so many seconds
    ages = []  # of the file after each update
    checkpoint = Session.checkpoint

    def log(session: Session[Any], *args: Any) -> None:
        nonlocal updates
        updates += 1

    def checked(session: Session[Any]) -> None:
        checkpoint(session)
        ages.append(seconds * (updates - read_checkpoint(session.folder.path)["steps"] // 128))

    monkeypatch.setattr(Session, "_clocks", lambda _: np.full(2, seconds * updates))
    monkeypatch.setattr(Session, "log", log)
    monkeypatch.setattr(Session, "checkpoint", checked)
    SCRIPT.train(tmp_path / "run", game="twenty_one", steps=128 * 8)
    assert ages == expected


@pytest.mark.usefixtures("unmeasured")
def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder, game="twenty_one", steps=128)
    SCRIPT.assert_refuses_damaged_checkpoints(folder)


@pytest.mark.parametrize("network", ["residual", "sparse"])
@pytest.mark.parametrize("rate", [1e36, 1e5])
def test_a_network_that_diverges_ends_the_run_with_its_last_checkpoint(
    tmp_path: Path, network: str, rate: float
) -> None:
    folder = tmp_path / "run"
    said = (
        r"the network of the run '.*run' has diverged: after \d+ steps .* try a lower learning rate"
    )
    with pytest.raises(ValueError, match=said):
        SCRIPT.train(folder, game="tzaar", network=network, learning_rate=rate, steps=2048)
    assert read_checkpoint(folder)["steps"] < 2048
    agent = make_agent(f"policy:{folder / 'policy.safetensors'}", tzaar_envs.load_game("tzaar"))
    agent.act(tzaar_envs.load_game("tzaar").new_state(0))  # the last network that was not broken
