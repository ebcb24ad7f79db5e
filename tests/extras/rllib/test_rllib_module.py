"""Masked modules: what is illegal has probability 0, whatever the network says."""

import math

import pytest
import torch
from ray.rllib.core.columns import Columns

import tzaar_envs
from tzaar_envs.networks.network import AnyShape, NetworkShape
from tzaar_envs.networks.sparse.network import SparseShape
from tzaar_envs.training.libraries.rllib_module import (
    LearningModule,
    PolicyModule,
    UniformModule,
    spec_of,
)
from tzaar_envs.wrappers.rllib_env import RLlibEnv

KINDS = [LearningModule, PolicyModule, UniformModule]


def module_and_batch(kind: type, name: str, shape: AnyShape | None = None) -> tuple:
    game = tzaar_envs.load_game(name)
    env = RLlibEnv({"game": name})
    shape = shape or NetworkShape.for_game(game, 8, 1)
    torch.manual_seed(1)
    module = spec_of(
        kind, env.observation_spaces["player_0"], env.action_spaces["player_0"], shape
    ).build()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)  # logits of every size
    views = [env.reset(seed=seed)[0]["player_0"] for seed in range(3)]
    seen = {key: torch.stack([torch.from_numpy(view[key]) for view in views]) for key in views[0]}
    return module, {Columns.OBS: seen}


@pytest.mark.parametrize("name", tzaar_envs.list_games())
@pytest.mark.parametrize("kind", KINDS)
def test_illegal_actions_have_no_probability(kind: type, name: str) -> None:
    module, batch = module_and_batch(kind, name)
    mask = batch[Columns.OBS]["action_mask"] == 1
    passes = [module.forward_exploration, module.forward_inference]
    for forward in [*passes, module.forward_train] if kind is LearningModule else passes:
        logits = forward(batch)[Columns.ACTION_DIST_INPUTS]
        distribution = module.get_train_action_dist_cls().from_logits(logits)
        assert (logits.softmax(1)[~mask] == 0).all()
        assert torch.isfinite(distribution.entropy()).all()
        drawn = torch.stack([distribution.sample() for _ in range(50)])
        assert mask.gather(1, drawn.T).all()


def test_random_is_even_among_the_legal_actions() -> None:
    module, batch = module_and_batch(UniformModule, "turm_und_waechter")
    legal = batch[Columns.OBS]["action_mask"].sum(1)
    logits = module.forward_exploration(batch)[Columns.ACTION_DIST_INPUTS]
    entropy = module.get_train_action_dist_cls().from_logits(logits).entropy()
    assert torch.allclose(entropy, legal.float().log(), atol=1e-5)
    assert math.exp(float(entropy[0])) > 1


def test_an_all_zero_mask_gives_numbers() -> None:
    module, batch = module_and_batch(LearningModule, "tzaar")
    batch[Columns.OBS]["action_mask"].zero_()
    logits = module.forward_train(batch)[Columns.ACTION_DIST_INPUTS]
    assert torch.isfinite(module.get_train_action_dist_cls().from_logits(logits).entropy()).all()
    assert torch.isfinite(module.compute_values(batch)).all()


@pytest.mark.parametrize("kind", [NetworkShape, SparseShape])
def test_policy_and_value_are_those_of_the_network(
    kind: type[NetworkShape] | type[SparseShape],
) -> None:
    shape = kind.for_game(tzaar_envs.load_game("black_elephant"), 8, 1)
    module, batch = module_and_batch(LearningModule, "black_elephant", shape)
    seen = batch[Columns.OBS]
    logits, values = module.network(seen["observations"])
    output = module.forward_train(batch)
    legal = seen["action_mask"] == 1
    assert torch.equal(output[Columns.ACTION_DIST_INPUTS][legal], logits[legal])
    learnt = module.compute_values(batch, embeddings=output[Columns.EMBEDDINGS])
    assert torch.equal(learnt, values[:, 0])
    assert learnt.requires_grad
    alone = module.compute_values(batch)
    assert torch.equal(alone, values[:, 0])
    assert not alone.requires_grad
