"""Policies in the ONNX format: exported, compared, played."""

import dataclasses
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from command_line import run_cli
from hostile import damaged, refusals, wrong_documents
from onnx import helper
from processes import run_python
from small_policies import save_new_policy, save_new_sparse_policy

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.core.game import Game
from tzaar_envs.networks import file
from tzaar_envs.networks.card import FORMAT, make_card, metadata_of
from tzaar_envs.networks.file import TOLERANCE, export_policy, load_network, read_card
from tzaar_envs.networks.network import PolicyNetwork
from tzaar_envs.networks.onnx import OnnxNetwork

GAME = tzaar_envs.load_game("tzaar")
FLAT = tzaar_envs.load_game("twenty_one", players=3)


@dataclasses.dataclass(frozen=True)
class Exported:
    game: Game
    policy: Path
    onnx: Path
    difference: float


@pytest.fixture(scope="module", params=[GAME, FLAT], ids=["board", "flat"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """A policy and its export; to export takes seconds, so the tests share them."""
    folder = tmp_path_factory.mktemp("exported")
    policy, output = folder / "it.safetensors", folder / "it.onnx"
    save_new_policy(policy, request.param)
    return Exported(request.param, policy, output, export_policy(policy, output, request.param))


# --- what is exported -----------------------------------------------------------------------------


def test_an_export_says_what_the_policy_says(exported: Exported) -> None:
    assert exported.difference < TOLERANCE
    assert read_card(exported.onnx) == read_card(exported.policy)
    assert exported.game.spec.env_id in run_cli("card", str(exported.onnx))[1]
    network = load_network(exported.policy, exported.game)
    state = exported.game.new_state(1)
    seen, mask = state.observation(0)[None], state.legal_mask()[None].view(np.bool_)
    logits, values = OnnxNetwork.load(exported.onnx)(seen, mask)
    with torch.no_grad():
        expected, expected_values = (each.numpy() for each in network(torch.from_numpy(seen)))
    assert logits[mask] == pytest.approx(expected[mask], abs=TOLERANCE)
    assert values == pytest.approx(expected_values, abs=TOLERANCE)
    assert (logits[~mask] == -np.inf).all()


def test_it_plays_as_the_policy_does(exported: Exported) -> None:
    game, paths = exported.game, (exported.onnx, exported.policy)
    agents = [make_agent(f"policy:{path}", game) for path in paths]
    assert agents[0].name == "it"
    random = make_agent("random", game, seed=1)
    state = game.new_state(1)
    states = []
    while not state.is_terminal:
        states.append(state.clone())
        state.apply(random.act(state))
    copied = pickle.loads(pickle.dumps(agents[0]))
    chosen = [agent.act_batch(states).tolist() for agent in (*agents, copied)]
    assert chosen[0] == chosen[1] == chosen[2]
    samples = [
        type(agent).load(path, game, seed=5, sample=True).act_batch(states).tolist()
        for agent, path in zip(agents, paths, strict=True)
    ]
    assert samples[0] == samples[1] != chosen[0]


@pytest.mark.parametrize("name", ["turm_und_waechter", "tzaar"])
def test_a_sparse_network_is_exported(tmp_path: Path, name: str) -> None:
    """With a symmetry that swaps the players and without, so turned for player 1 or not."""
    game, output = tzaar_envs.load_game(name), tmp_path / "it.onnx"
    save_new_sparse_policy(tmp_path / "it.safetensors", game)
    assert export_policy(tmp_path / "it.safetensors", output, game) < TOLERANCE
    state = game.new_state(1)
    assert make_agent(f"policy:{output}", game).act(state) in state.legal_actions()


def test_others_can_use_the_file(exported: Exported) -> None:
    """With nothing of the suite: names, types, a batch of any size, illegal actions masked."""
    onnx.checker.check_model(onnx.load(exported.onnx))
    session = onnxruntime.InferenceSession(exported.onnx)
    state = exported.game.new_state(0)
    for batch in (1, 3):
        inputs = {
            "observation": np.stack([state.observation(0)] * batch),
            "action_mask": np.stack([state.legal_mask()] * batch),
        }
        logits, value = session.run(["logits", "value"], inputs)
        assert logits.shape == (batch, exported.game.num_actions)
        assert value.shape == (batch, 1)
        assert (np.isfinite(logits) == (inputs["action_mask"] == 1)).all()


def test_pytorch_is_not_needed(exported: Exported) -> None:
    code = f"""
import sys
sys.modules["torch"] = None
import tzaar_envs
from tzaar_envs.agents import make_agent
game = tzaar_envs.load_game({exported.game.name!r}, **{dict(exported.game.options)!r})
state = game.new_state(0)
print(state.is_legal(make_agent("policy:{exported.onnx}", game).act(state)))
"""
    package = Path(tzaar_envs.__file__).parent.parent
    assert run_python(code, path=package).split() == ["True"]


def test_the_command_says_how_well_both_agree(tmp_path: Path) -> None:
    save_new_policy(tmp_path / "it.safetensors", GAME)
    code, out, err = run_cli("export", f"{tmp_path}/it.safetensors", f"{tmp_path}/it.onnx")
    assert (code, err) == (0, "")
    assert "On 256 positions of random games" in out
    assert out.endswith(f"The policy is in {tmp_path}/it.onnx\n")


# --- what is refused ------------------------------------------------------------------------------


def test_an_export_that_differs_or_fits_nothing_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, output = tmp_path / "it.safetensors", tmp_path / "it.onnx"
    save_new_policy(path, GAME)
    with pytest.raises(ValueError, match=r"is not allowed: use a name that ends in \.onnx"):
        export_policy(path, tmp_path / "it.pt", GAME)
    with pytest.raises(ValueError, match="does not fit"):
        export_policy(path, output, FLAT)
    convert = file._to_onnx

    def convert_another(network: PolicyNetwork, *others: Any) -> bytes:
        with torch.no_grad():
            network.value.value.bias += 1
        model = convert(network, *others)
        with torch.no_grad():
            network.value.value.bias -= 1
        return model

    monkeypatch.setattr(file, "_to_onnx", convert_another)
    with pytest.raises(ValueError, match=r"it.onnx was not written: on 256 positions .* up to 1 "):
        export_policy(path, output, GAME)
    assert not output.exists()


@pytest.mark.parametrize("other", ["zatre", "tournament"])
def test_another_game_is_refused(exported: Exported, other: str) -> None:
    game = tzaar_envs.load_game("zatre")
    if other == "tournament":
        game = tzaar_envs.load_game("tzaar", setup="tournament")
    with pytest.raises(ValueError, match="does not fit"):
        make_agent(f"policy:{exported.onnx}", game)


def test_hostile_files_are_refused_in_one_sentence(exported: Exported, tmp_path: Path) -> None:
    """Files that are cut off, changed or mixed up: in all their parts, and in the card alone."""
    game, whole = exported.game, exported.onnx.read_bytes()
    states = [game.new_state(seed) for seed in range(2)]

    def read(path: Path) -> None:
        PolicyAgent.load(path, game).act_batch(states)

    def cards() -> Iterator[tuple[str, bytes]]:
        for what, document in [*wrong_documents(read_card(exported.policy))][::20]:
            model = onnx.load(exported.onnx)
            helper.set_model_props(model, {"format": FORMAT, "card": document.decode()})
            yield what, model.SerializeToString()

    for documents in (damaged(whole, 100, 1), damaged(whole[:2000], 60, 2), cards()):
        _, wrong = refusals(read, tmp_path / "it.onnx", documents)
        assert not wrong


def test_a_network_that_has_diverged_is_refused(exported: Exported, tmp_path: Path) -> None:
    model = onnx.load(exported.onnx)
    for part in model.graph.initializer:
        weights = onnx.numpy_helper.to_array(part)
        if weights.dtype == np.float32:
            nan = np.full_like(weights, np.nan)
            part.CopyFrom(onnx.numpy_helper.from_array(nan, part.name))
    onnx.save(model, tmp_path / "it.onnx")
    with pytest.raises(ValueError, match=r"the network of '.*it.onnx' has diverged"):
        make_agent(f"policy:{tmp_path}/it.onnx", exported.game)


def test_a_card_that_does_not_fit_its_network_is_refused(
    exported: Exported, tmp_path: Path
) -> None:
    """A card can be put on anything; the sizes of the network are looked at too."""
    game, layout = exported.game, exported.game.layout
    wide = dataclasses.replace(layout, actions=(dataclasses.replace(layout.actions[0], planes=7),))
    other = Game(dataclasses.replace(game.spec, layout=lambda options: wide), **game.options)
    card = make_card(other, load_network(exported.policy, game).shape, {})
    model = onnx.load(exported.onnx)
    helper.set_model_props(model, metadata_of(card))
    onnx.save(model, tmp_path / "it.onnx")
    with pytest.raises(ValueError, match="its network has another shape"):
        make_agent(f"policy:{tmp_path}/it.onnx", other)
