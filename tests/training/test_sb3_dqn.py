"""DQN: values of legal actions only, the memory, and whole runs in small."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from training_runs import Script, ctrl_c, differing, evaluated_steps, nth_call, some_games

import tzaar_envs
from tzaar_envs.envs.opponents import SeatedBatch
from tzaar_envs.networks.network import ILLEGAL_LOGIT, PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape
from tzaar_envs.training.common.q_values import (
    SCALE,
    dqv_loss,
    draw_softmax,
    q_values,
)
from tzaar_envs.training.sb3_dqn import (
    MaskedDQN,
    MaskedReplayBuffer,
    Sb3DqnArguments,
    train,
)
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

SCRIPT = Script(
    train,
    Sb3DqnArguments,
    num_envs=8,
    rollout=16,
    batch_size=64,
    gradient_steps=2,
    buffer_size=256,
    learning_starts=64,
    snapshot_every=128,
)


def test_values_are_those_of_legal_actions_only() -> None:
    game = tzaar_envs.load_game("twenty_one")
    network = PolicyNetwork(NetworkShape.for_game(game, 8, 1))
    state = game.new_state(0)
    observations = torch.from_numpy(state.observation(state.current_player))[None].repeat(2, 1)
    masks = torch.zeros(2, game.num_actions, dtype=torch.bool)
    masks[0, [3, 5, 8]] = True
    logits, worth = network(observations)
    values = q_values(network, observations, masks)
    mean = logits[0, masks[0]].mean()
    for action in range(game.num_actions):
        expected = worth[0, 0] + SCALE * (logits[0, action] - mean)
        assert values[0, action].item() == pytest.approx(
            expected.item() if masks[0, action] else ILLEGAL_LOGIT
        )
    # The value head says what the legal actions are worth on average.
    assert values[0, masks[0]].mean().item() == pytest.approx(worth[0, 0].item())
    assert (values[1] == ILLEGAL_LOGIT).all()
    logits, _ = network(observations)
    chosen = torch.where(masks[0], logits[0], -torch.inf).argmax()
    assert values[0].argmax() == chosen


def table_of(
    logits: torch.Tensor, values: torch.Tensor
) -> Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
    """Return a network that knows each position by its number."""
    return lambda observations: (logits[observations[:, 0]], values[observations[:, 0]])


def test_the_loss_is_that_of_values_and_of_advantages() -> None:
    logits = torch.tensor([[3.0, 1.0, 50.0], [0.0, -2.0, 4.0]])
    values = torch.tensor([[0.25], [-0.5]])
    masks = torch.tensor([[True, True, False], [True, True, True]])
    loss = dqv_loss(
        table_of(logits, values),
        torch.tensor([[0], [1]]),
        masks,
        actions=torch.tensor([[1], [2]]),
        value_targets=torch.tensor([[1.0], [0.0]]),
        action_targets=torch.tensor([[0.05], [0.5]]),
        advantage_weight=10.0,
    )
    # Advantages are 0.1 * (1 - 2) and 0.1 * (4 - 2/3); those of the targets -0.2 and 1.
    errors = [(0.75**2 + 0.5**2) / 2, (0.1**2 + (2 / 3) ** 2) / 2]
    assert loss.item() == pytest.approx(errors[0] + 10.0 * errors[1])


def test_actions_are_drawn_from_the_softmax_of_their_values() -> None:
    values = torch.tensor([0.3, 0.3 + 0.2 * np.log(2), ILLEGAL_LOGIT, 0.3]).repeat(8000, 1)
    drawn = draw_softmax(values, 0.2, np.random.default_rng(0))
    shares = torch.bincount(drawn, minlength=4) / 8000
    assert shares.tolist() == pytest.approx([0.25, 0.5, 0.0, 0.25], abs=0.02)
    # Illegal actions are never drawn, however high the temperature is.
    drawn = draw_softmax(values, 1e4, np.random.default_rng(0))
    assert torch.bincount(drawn, minlength=4)[2] == 0
    assert (draw_softmax(values, 0.0, np.random.default_rng(0)) == 1).all()


def test_the_memory_keeps_what_belongs_together() -> None:
    space = spaces.Box(0, 120, (1,), np.int8)
    buffer = MaskedReplayBuffer(
        10, space, spaces.Discrete(9), n_envs=2, seed=0, n_steps=1, gamma=0.5
    )

    def masks(number: int) -> np.ndarray:
        """Return masks that tell the number: the observation of row r is `2 * number + r`."""
        return np.array([[(2 * number + row) >> bit & 1 for bit in range(9)] for row in (0, 1)]) > 0

    for number in range(17):  # more than thrice round
        ends = np.array([number % 3 == 0, False])
        observations = np.array([[2 * number], [2 * number + 1]], np.int8)
        buffer.add_masks(masks(number))
        cut = [{"TimeLimit.truncated": True}, {}]
        actions = np.array([number % 9, 8])
        buffer.add(observations, observations + 2, actions, -observations[:, 0], ends, cut)
        found, samples, _ = buffer.sample(400)
        seen = samples.observations[:, 0].long()
        assert len(seen.unique()) == 2 * min(number + 1, 4)
        assert (samples.next_observations[:, 0] == seen + 2).all()
        assert (samples.rewards[:, 0] == -seen).all()
        bits = 2 ** torch.arange(9)
        assert ((found * bits).sum(1) == seen).all()
        numbers, rows = seen // 2, seen % 2
        assert (samples.actions[:, 0] == torch.where(rows == 1, 8, numbers % 9)).all()
        assert (samples.dones[:, 0] == ((numbers % 3 == 0) & (rows == 0))).all()
        assert (samples.discounts == 0.5).all()


def test_rewards_of_several_steps_add_up_to_the_end_of_a_game_or_of_the_memory() -> None:
    space = spaces.Box(0, 120, (1,), np.int8)
    buffer = MaskedReplayBuffer(
        14, space, spaces.Discrete(9), n_envs=2, seed=0, n_steps=3, gamma=0.5
    )
    masks = np.ones((2, 9), np.bool_)
    for number in range(25):  # more than thrice round
        observations = np.array([[2 * number], [2 * number + 1]], np.int8)  # they tell their row
        ends = np.array([number % 5 == 0, False])
        rewards = np.array([number, 10 * number])
        buffer.add_masks(masks)
        buffer.add(observations, observations + 2, np.zeros(2, int), rewards, ends, [{}, {}])
        lengths = set()
        _, _, samples = buffer.sample(400)
        for sample in range(400):
            begin, row = divmod(int(samples.observations[sample, 0]), 2)
            length = int(samples.next_observations[sample, 0]) // 2 - begin
            steps = range(begin, begin + length)
            added = sum(0.5**place * step for place, step in enumerate(steps))
            assert samples.rewards[sample, 0] == (10 * added if row else added)
            assert samples.discounts[sample, 0] == 0.5**length
            is_over = row == 0 and steps[-1] % 5 == 0
            assert samples.dones[sample, 0] == is_over
            assert length == 3 or is_over or begin + length == number + 1
            lengths.add(length)
        assert lengths == set(range(1, min(number + 1, 3) + 1))


@some_games
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    step, sample = SingleAgentVecEnv.step_async, MaskedReplayBuffer.sample
    counts = {"played": 0, "learnt": 0}

    def checked_step(self: SingleAgentVecEnv, actions: np.ndarray) -> None:
        assert self.action_masks()[np.arange(self.num_envs), actions].all()
        counts["played"] += len(actions)
        step(self, actions)

    def checked_sample(self: MaskedReplayBuffer, *args: Any) -> Any:
        masks, samples, later = sample(self, *args)
        assert masks.gather(1, samples.actions).all()
        counts["learnt"] += len(samples.actions)
        return masks, samples, later

    monkeypatch.setattr(SingleAgentVecEnv, "step_async", checked_step)
    monkeypatch.setattr(MaskedReplayBuffer, "sample", checked_sample)
    folder = tmp_path / "run"
    SCRIPT.train(folder, **changes)

    assert counts == {"played": 512, "learnt": 4 * 2 * 64}
    assert evaluated_steps(folder) == [0, 512]
    SCRIPT.assert_left_a_policy_that_plays(folder, **changes)


@pytest.mark.usefixtures("unmeasured")
def test_an_interrupted_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    # In the middle of the third rollout: the run is saved as it was after the second update.
    with ctrl_c(SeatedBatch, "step", nth_call(40)):
        stored = SCRIPT.train_until_stopped(folder, capsys, game="tzaar")
    assert stored["steps"] == 256

    learnt_at = []
    learn = MaskedDQN.train

    def watch(self: MaskedDQN, gradient_steps: int, batch_size: int) -> None:
        learnt_at.append((self.num_timesteps, self.replay_buffer.pos))
        learn(self, gradient_steps, batch_size)

    monkeypatch.setattr(MaskedDQN, "train", watch)
    after = SCRIPT.resume_after(stored, folder, capsys)
    assert learnt_at == [(384, 16), (512, 0)]  # with a memory of its own
    assert after["steps"] == 512
    assert differing(after["learner"]["network"], stored["learner"]["network"])
