"""Learning of sparse networks: compiled gradients and PyTorch's agree, weights go to and fro."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse import layout
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.sparse.learner import Learner
from tzaar_envs.networks.sparse.replay_buffer import Samples, samples_of
from tzaar_envs.search.self_play import Records

GAMES = {
    "turm_und_waechter": tzaar_envs.load_game("turm_und_waechter"),
    "tzaar": tzaar_envs.load_game("tzaar"),
    "twenty_one-3": tzaar_envs.load_game("twenty_one", players=3),
}
every_game = pytest.mark.parametrize("name", GAMES)


def new_network(game: Game, pattern: int = 0) -> SparseNetwork:
    """Return a network in which every weight matters, whose rows do not end with a vector."""
    torch.manual_seed(0)
    network = SparseNetwork(SparseShape.for_game(game, 20, 9, lines=True, pattern=pattern), game)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return network.eval()


def some_positions(game: Game, count: int = 30) -> Records:
    """Return positions of a random game, with targets drawn at random."""
    rng = np.random.default_rng(5)
    states: list[NDArray[np.int64]] = []
    actions: list[NDArray[np.int64]] = []
    policies, values = [], []
    state = game.new_state(4)
    while len(states) < count and not state.is_terminal:
        legal = state.legal_actions()
        states.append(state.words.copy())
        actions.append(legal)
        policies.append(rng.dirichlet(np.full(len(legal), 0.3)))
        value = rng.uniform(-1, 1, game.num_players)
        values.append(value - value.mean())
        state.apply(int(rng.choice(legal)))
    return Records(
        np.stack(states),
        np.array([words[SEAT] for words in states]),
        np.cumsum([0, *map(len, actions)]),
        np.concatenate(actions).astype(np.int32),
        np.concatenate(policies).astype(np.float32),
        np.stack(values),
        games=1,
    )


def learnt_from(game: Game, network: SparseNetwork, positions: Records) -> Samples:
    return samples_of(CompiledNetwork(game, network), positions)


def losses_by_pytorch(
    game: Game, network: SparseNetwork, positions: Records
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the policy loss and the value loss, from observations as users see them."""
    seen = np.zeros((len(positions.states), *game.observation_shape), np.int8)
    for words, observation in zip(positions.states, seen, strict=True):
        game.rules.observe(words, int(words[0]), observation.reshape(-1))
    observations = torch.from_numpy(seen)
    logits, values = network(observations)
    if game.num_players > 2:
        values = network.values(network.first_layer(observations.flatten(1)))
    policy_losses, value_losses = [], []
    for place, words in enumerate(positions.states):
        listed = slice(positions.first_action[place], positions.first_action[place + 1])
        log_policy = logits[place, positions.actions[listed].tolist()].log_softmax(dim=0)
        policy_losses.append(-(torch.from_numpy(positions.policy[listed]) * log_policy).sum())
        in_turn = (int(words[0]) + np.arange(values.shape[1])) % game.num_players
        expected = torch.from_numpy(positions.values[place, in_turn].astype(np.float32))
        value_losses.append((values[place] - expected).square().mean())
    return torch.stack(policy_losses).mean(), torch.stack(value_losses).mean()


@every_game
def test_gradients_are_those_of_pytorch(name: str) -> None:
    game = GAMES[name]
    network, positions = new_network(game), some_positions(game)
    learner = Learner(game, network, policy_weight=0.5, value_weight=3.0)
    count = len(positions.states)
    learner.add_gradients(
        learnt_from(game, network, positions), np.arange(count), np.zeros(count, np.int64)
    )
    policy_loss, value_loss = losses_by_pytorch(game, network, positions)
    (0.5 * policy_loss + 3.0 * value_loss).backward()
    for place, (parameter_name, shape) in enumerate(network.shape.weights.items()):
        parameter = network.get_parameter(parameter_name)
        found = layout.unpacked(place, learner.gradients[place], shape)
        assert parameter.grad is not None
        expected = parameter.grad.numpy()
        assert np.abs(expected).max() > 0
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5, err_msg=parameter_name)
    losses = learner.mean_losses()
    assert losses["policy_loss"] == pytest.approx(policy_loss.item(), abs=1e-5)
    assert losses["value_loss"] == pytest.approx(value_loss.item(), abs=1e-5)
    entropy = -(positions.policy * np.log(np.maximum(positions.policy, 1e-30))).sum() / count
    assert losses["policy_loss"] - losses["policy_divergence"] == pytest.approx(entropy, abs=1e-4)
    assert learner.mean_losses() == {}


def test_steps_are_those_of_adam_in_pytorch() -> None:
    game = GAMES["tzaar"]
    network, other = new_network(game), new_network(game)
    positions = some_positions(game, count=1)
    sample = learnt_from(game, network, positions)
    learner = Learner(game, network, policy_weight=1.0, value_weight=1.0)
    rows, actions = learner.images
    learner.images = rows[:1], actions[:1]
    optimizer = torch.optim.Adam(other.parameters(), 1e-3)
    for _ in range(5):
        learner.step(sample, 8, np.random.default_rng(0), 1e-3)
        optimizer.zero_grad()
        sum(losses_by_pytorch(game, other, positions)).backward()  # type: ignore[union-attr]
        optimizer.step()
    learner.store(network)
    for found, expected in zip(network.parameters(), other.parameters(), strict=True):
        np.testing.assert_allclose(
            found.detach().numpy(), expected.detach().numpy(), rtol=0, atol=1e-4
        )


@pytest.mark.parametrize(
    ("name", "pattern"), [("turm_und_waechter", 0), ("tzaar", 0), ("turm_und_waechter", 2)]
)
def test_all_images_of_a_position_are_learnt(name: str, pattern: int) -> None:
    """Learns one position only, whatever image of it is drawn."""
    game = GAMES[name]
    network = new_network(game, pattern)
    state = game.new_state(0)
    for _ in range(5):  # to a position that is not an image of itself, of player 1
        state.apply(int(state.legal_actions()[2]))
    legal = state.legal_actions()
    policy = np.zeros(len(legal), np.float32)
    policy[[1, 5]] = 1 / 3, 2 / 3
    values = np.full((1, 2), -0.25)
    values[0, state.current_player] = 0.25
    first = np.array([0, len(legal)])
    positions = Records(
        state.words[None],
        state.words[SEAT : SEAT + 1],
        first,
        legal.astype(np.int32),
        policy,
        values,
        1,
    )
    sample = learnt_from(game, network, positions)
    learner = Learner(game, network, 1.0, 1.0)
    rng = np.random.default_rng(0)
    for _ in range(300):
        learner.step(sample, 64, rng, 1e-2)
    learner.store(network)
    seen = state.observation(state.current_player)
    for symmetry in game.symmetries:
        with torch.no_grad():
            image = symmetry.apply_to_observations(seen)
            logits, value = network(torch.from_numpy(image[None]))
        actions = symmetry.images_of(legal)
        found = logits[0, actions.tolist()].softmax(dim=0).numpy()
        assert found[[1, 5]] == pytest.approx([1 / 3, 2 / 3], abs=0.1)
        assert value.item() == pytest.approx(0.25, abs=0.1)


def test_a_state_continues_as_if_nothing_had_happened() -> None:
    game = GAMES["twenty_one-3"]
    network = new_network(game)
    sample = learnt_from(game, network, some_positions(game))
    one = Learner(game, network, 1.0, 1.0)
    rng = np.random.default_rng(0)
    for _ in range(3):
        one.step(sample, 16, rng, 1e-2)
    one.store(network)
    other = Learner(game, new_network(game), 1.0, 1.0)
    other.load(network)
    other.load_state_dict(one.state_dict())
    draws = np.random.default_rng(1), np.random.default_rng(1)
    for learner, draw in zip((one, other), draws, strict=True):
        learner.step(sample, 16, draw, 1e-2)
    networks = new_network(game), new_network(game)
    for learner, stored in zip((one, other), networks, strict=True):
        learner.store(stored)
    for weights, same in zip(*(each.parameters() for each in networks), strict=True):
        assert torch.equal(weights, same)
