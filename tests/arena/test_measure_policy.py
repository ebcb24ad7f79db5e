"""What a policy reaches against baselines, on its card."""

from pathlib import Path

import numpy as np
import pytest
from small_policies import load_policy, save_new_policy

import tzaar_envs
from tzaar_envs.agents.agent import RandomAgent
from tzaar_envs.arena import play_match
from tzaar_envs.arena.measure_policy import measure_policy, measurement
from tzaar_envs.networks.file import read_card
from tzaar_envs.system.files import write_atomically

GAME = tzaar_envs.load_game("tzaar")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "it.safetensors"
    save_new_policy(path, GAME)
    return path


def test_the_results_stand_on_the_card(path: Path) -> None:
    network, card = load_policy(path)
    found = measure_policy(path, GAME, ["random", "greedy"], games=8, seed=3)
    for baseline, reached in found.items():
        result = play_match(GAME, [f"policy:{path}", baseline], 8, seed=3, opening_plies=2)
        summary = result.summary(0)
        counts = {"games": 8, "wins": summary.wins, "draws": summary.draws}
        assert reached.items() >= (counts | {"losses": summary.losses}).items()
        low, high = reached["interval"]
        assert low < reached["elo"] < high
    after_network, after = load_policy(path)
    assert after == card | {"measured": found}
    for name, tensor in network.state_dict().items():
        assert tensor.equal(after_network.state_dict()[name])
    again = measure_policy(path, GAME, ["random"], games=4)
    assert again["random"]["games"] == 4
    assert read_card(path)["measured"] == {"random": again["random"], "greedy": found["greedy"]}


def test_a_policy_is_measured_with_a_search(tmp_path: Path) -> None:
    path = tmp_path / "it.safetensors"
    save_new_policy(path, GAME)
    search = "mcts:simulations=4"
    found = measure_policy(path, GAME, ["random"], games=4, seed=3, search=search)
    result = play_match(GAME, [f"{search},policy={path}", "random"], 4, seed=3, opening_plies=2)
    assert found["random"]["wins"] == result.summary(0).wins
    assert read_card(path)["measured"]["random"]["search"] == search
    again = measure_policy(path, GAME, ["random"], games=4)
    assert "search" not in again["random"]
    assert read_card(path)["measured"] == again
    with pytest.raises(ValueError, match="agent random has no option 'policy'"):
        measure_policy(path, GAME, ["random"], games=4, search="random")


def test_a_measurement_says_how_much_better_the_first_agent_is() -> None:
    better = measurement(play_match(GAME, ["greedy", "random"], 32, opening_plies=2))
    worse = measurement(play_match(GAME, ["random", "greedy"], 32, opening_plies=2))
    assert better["wins"] == worse["losses"] == 32
    assert 300 < better["interval"][0] < better["elo"]
    assert worse["elo"] < worse["interval"][1] < -300
    assert (better["options"], better["seed"]) == ({"setup": "random"}, 0)


def test_several_seats_are_rated_together() -> None:
    """Whoever wins a third of the games of three is as good as the others."""
    game = tzaar_envs.load_game("twenty_one", players=3)
    result = play_match(game, [RandomAgent, "random", "random"], games=300)
    found = measurement(result)
    share = result.summary(0).win_rate
    assert share == pytest.approx(1 / 3, abs=0.1)
    low, high = found["interval"]
    assert low < 0 < high
    assert np.sign(found["elo"]) == np.sign(share - 1 / 3) or abs(found["elo"]) < 20


def test_luck_is_taken_from_the_results(tmp_path: Path) -> None:
    game = tzaar_envs.load_game("twenty_one")
    path = tmp_path / "it.safetensors"
    save_new_policy(path, game)
    found = measure_policy(path, game, ["random"], games=40, luck="reference")["random"]
    result = play_match(game, [f"policy:{path}", "random"], 40, opening_plies=2)
    assert found["elo"] == round(result.standings("reference").ratings.difference(0, 1)[0])
    assert found["luck"] == "reference"
    assert read_card(path)["measured"] == {"random": found}
    assert measurement(result).items() >= {"wins": found["wins"], "losses": found["losses"]}.items()
    with pytest.raises(ValueError, match="tzaar leaves nothing to chance after the start"):
        measure_policy(path, GAME, ["random"], games=40, luck="reference")


def test_a_policy_that_is_replaced_meanwhile_keeps_its_card(path: Path) -> None:
    other = path.with_name("other.safetensors")
    save_new_policy(other, tzaar_envs.load_game("tzaar", setup="fixed"))
    content = other.read_bytes()

    def replace(done: int, games: int) -> None:
        write_atomically(path, content)

    with pytest.raises(ValueError, match="was replaced while it was measured: measure it again"):
        measure_policy(path, GAME, ["random"], games=2, progress=replace)
    assert path.read_bytes() == content


def test_an_interrupted_measurement_keeps_what_is_finished(path: Path) -> None:
    finished = []

    def interrupt(done: int, games: int) -> None:
        finished.append(done)
        if len(finished) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_policy(path, GAME, ["random", "greedy"], games=4, progress=interrupt)
    assert list(read_card(path)["measured"]) == ["random"]


def test_wrong_arguments(path: Path) -> None:
    content = path.read_bytes()
    for against in ([], "greedy"):
        with pytest.raises(ValueError, match="is not allowed: use a list of agents"):
            measure_policy(path, GAME, against, games=2)
    with pytest.raises(ValueError, match=r"is not allowed: policy:.* is what is measured"):
        measure_policy(path, GAME, [f"policy:{path}"], games=2)
    with pytest.raises(ValueError, match="did you mean 'greedy'"):
        measure_policy(path, GAME, ["gredy"], games=2)
    with pytest.raises(ValueError, match="games=3 is not allowed"):
        measure_policy(path, GAME, ["greedy"], games=3)
    with pytest.raises(FileNotFoundError, match="there is no policy file"):
        measure_policy(path.with_name("missing"), GAME, ["greedy"], games=2)
    with pytest.raises(ValueError, match="does not fit"):
        measure_policy(path, tzaar_envs.load_game("twenty_one"), ["greedy"], games=2)
    assert path.read_bytes() == content
