"""DQN: values of legal actions only, the memory, and whole runs in small."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from training_runs import Script, ctrl_c, differing, evaluated_steps, some_games

import tzaar_envs
from tzaar_envs.policies.network import NetworkShape, PolicyNetwork
from tzaar_envs.training.common.q_values import NO_VALUE, SCALE, q_values, random_legal
from tzaar_envs.training.libraries.sb3_callback import SessionCallback
from tzaar_envs.training.libraries.sb3_masked_dqn import MaskedDQN, MaskedReplayBuffer, Samples
from tzaar_envs.training.sb3_dqn import Arguments, train
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

SCRIPT = Script(
    train,
    Arguments,
    num_envs=8,
    rollout=16,
    batch_size=64,
    gradient_steps=2,
    buffer_size=256,
    learning_starts=64,
    target_every=128,
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
    best = logits[0, masks[0]].max()
    for action in range(game.num_actions):
        expected = worth[0, 0] + SCALE * (logits[0, action] - best)
        assert values[0, action].item() == pytest.approx(
            expected.item() if masks[0, action] else NO_VALUE
        )
    # What greedy play is worth is what the value head says.
    assert values[0].max().item() == pytest.approx(worth[0, 0].item())
    assert (values[1] == NO_VALUE).all()
    logits, _ = network(observations)
    chosen = torch.where(masks[0], logits[0], -torch.inf).argmax()
    assert values[0].argmax() == chosen


def test_exploration_draws_all_legal_actions_alike() -> None:
    masks = np.zeros((3000, 5), np.bool_)
    masks[:, [1, 4]] = True
    masks[::3] = [False, False, True, False, False]
    drawn = random_legal(masks, np.random.default_rng(0))
    assert masks[np.arange(3000), drawn].all()
    counts = np.bincount(drawn, minlength=5)
    assert counts[2] == 1000
    assert counts[1] == pytest.approx(1000, abs=80)
    assert counts[4] == 2000 - counts[1]


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
        buffer.add_masks(masks(number), masks(number + 1))
        cut = [{"TimeLimit.truncated": True}, {}]
        actions = np.array([number % 9, 8])
        buffer.add(observations, observations + 2, actions, -observations[:, 0], ends, cut)
        samples = buffer.sample(400)
        seen = samples.observations[:, 0].long()
        assert len(seen.unique()) == 2 * min(number + 1, 4)
        assert (samples.next_observations[:, 0] == seen + 2).all()
        assert (samples.rewards[:, 0] == -seen).all()
        bits = 2 ** torch.arange(9)
        assert ((samples.masks * bits).sum(1) == seen).all()
        assert ((samples.next_masks * bits).sum(1) == seen + 2).all()
        numbers, rows = seen // 2, seen % 2
        assert (samples.actions[:, 0] == torch.where(rows == 1, 8, numbers % 9)).all()
        assert (samples.ends[:, 0] == ((numbers % 3 == 0) & (rows == 0))).all()
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
        buffer.add_masks(masks, masks)
        buffer.add(observations, observations + 2, np.zeros(2, int), rewards, ends, [{}, {}])
        lengths = set()
        samples = buffer.sample(400)
        for sample in range(400):
            begin, row = divmod(int(samples.observations[sample, 0]), 2)
            length = int(samples.next_observations[sample, 0]) // 2 - begin
            steps = range(begin, begin + length)
            added = sum(0.5**place * step for place, step in enumerate(steps))
            assert samples.rewards[sample, 0] == (10 * added if row else added)
            assert samples.discounts[sample, 0] == 0.5**length
            is_over = row == 0 and steps[-1] % 5 == 0
            assert samples.ends[sample, 0] == is_over
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

    def checked_sample(self: MaskedReplayBuffer, *args: Any) -> Samples:
        samples = sample(self, *args)
        assert samples.masks.gather(1, samples.actions).all()
        assert (samples.next_masks.any(dim=1) | samples.ends[:, 0]).all()
        counts["learnt"] += len(samples.actions)
        return samples

    monkeypatch.setattr(SingleAgentVecEnv, "step_async", checked_step)
    monkeypatch.setattr(MaskedReplayBuffer, "sample", checked_sample)
    folder = tmp_path / "run"
    SCRIPT.train(folder, **changes)

    assert counts == {"played": 512, "learnt": 3 * 2 * 64}  # the end comes before the last update
    assert evaluated_steps(folder) == [0, 512]
    SCRIPT.assert_left_a_policy_that_plays(folder, **changes)


@pytest.mark.usefixtures("unmeasured")
def test_an_interrupted_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    # In the middle of the third rollout: the run is saved as it was after the second update.
    with ctrl_c(SessionCallback, "_on_step", lambda callback: callback.num_timesteps == 320):
        stored = SCRIPT.train_until_stopped(folder, capsys, game="tzaar")
    assert stored["steps"] == 256

    learnt_at = []
    learn = MaskedDQN.train

    def watch(self: MaskedDQN, gradient_steps: int, batch_size: int) -> None:
        learnt_at.append((self.num_timesteps, self.replay_buffer.pos))
        learn(self, gradient_steps, batch_size)

    monkeypatch.setattr(MaskedDQN, "train", watch)
    after = SCRIPT.resume_after(stored, folder, capsys)
    assert learnt_at == [(384, 16)]  # with a memory of its own
    assert after["steps"] == 512
    assert differing(after["learner"]["policy"], stored["learner"]["policy"])


@pytest.mark.usefixtures("unmeasured")
def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    other = SCRIPT.train(folder, game="twenty_one", steps=128)
    other["learner"]["schedule"]["stage"] = 9
    SCRIPT.assert_refuses_damaged_checkpoints(folder, other)


@pytest.mark.usefixtures("unmeasured")
def test_the_same_seed_gives_the_same_policy(tmp_path: Path) -> None:
    one, two = SCRIPT.train_twice(tmp_path, game="twenty_one")
    assert not differing(one["policy"], two["policy"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "tzar"}, "did you mean 'tzaar'"),
        ({"game": "tzaar", "exploration": 1.5}, "exploration=1.5 is not allowed: use more than 0"),
        ({"game": "tzaar", "buffer_size": 0}, "buffer_size=0 is not allowed: use more than 0"),
    ],
)
def test_wrong_arguments(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    SCRIPT.assert_refuses(tmp_path / "run", changes, words)
