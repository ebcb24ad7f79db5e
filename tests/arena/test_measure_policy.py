"""What a policy reaches against baselines, on its card."""

from pathlib import Path

import pytest
from small_policies import load_policy, save_new_policy

import tzaar_envs
from tzaar_envs.arena import play_match
from tzaar_envs.arena.measure_policy import measure_policy, measurement
from tzaar_envs.networks.file import read_card

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


def test_a_misspelt_agent_is_refused_before_the_first_match(path: Path) -> None:
    with pytest.raises(ValueError, match="there is no agent 'nobody'"):
        measure_policy(path, GAME, ["random", "nobody"], games=4)
    assert read_card(path)["measured"] == {}


def test_a_policy_is_measured_with_a_search(path: Path) -> None:
    search = "mcts:simulations=4"
    found = measure_policy(path, GAME, ["random"], games=4, seed=3, search=search)
    result = play_match(GAME, [f"{search},policy={path}", "random"], 4, seed=3, opening_plies=2)
    assert found["random"]["wins"] == result.summary(0).wins
    assert read_card(path)["measured"]["random"]["search"] == search
    again = measure_policy(path, GAME, ["random"], games=4)
    assert "search" not in again["random"]
    assert read_card(path)["measured"] == again


def test_a_measurement_says_how_much_better_the_first_agent_is() -> None:
    better = measurement(play_match(GAME, ["greedy", "random"], 32, opening_plies=2))
    assert better["wins"] == 32
    assert 300 < better["interval"][0] < better["elo"]
    assert (better["options"], better["seed"]) == ({"setup": "random"}, 0)


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


def test_an_interrupted_measurement_keeps_what_is_finished(path: Path) -> None:
    finished = []

    def interrupt(done: int, games: int) -> None:
        finished.append(done)
        if len(finished) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_policy(path, GAME, ["random", "greedy"], games=4, progress=interrupt)
    assert list(read_card(path)["measured"]) == ["random"]
