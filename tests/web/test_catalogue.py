"""What the page offers, and which agents may take a seat."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_policies import save_new_policy

from tzaar_envs import load_game
from tzaar_envs.web.catalogue import Catalogue


def agents_of(catalogue: Catalogue, game: str) -> dict[str, dict[str, dict[str, int]]]:
    """Return the sliders of the listed agents of a game, by name."""
    [found] = [each for each in catalogue.games if each["name"] == game]
    return {
        agent["text"]: {slider["name"]: slider for slider in agent["sliders"]}
        for agent in found["agents"]
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("engine:true", "runs code of its own"),
        ("mcts:", "there is no agent"),
        ("mcts:simulations", "NAME=VALUE"),
        ("nobody", "there is no agent"),
        ("", "there is no agent"),
    ],
)
def test_others_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Catalogue().check(text, load_game("tzaar"))


def test_further_agents_are_offered_for_their_games(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    save_new_policy(path, load_game("tzaar"))
    texts = f"policy:{path}", f"mcts:policy={path}", "engine:true"
    catalogue = Catalogue(texts)
    assert catalogue.check("engine:true", load_game("zatre")) == "engine:true"
    assert {*texts} <= {*agents_of(catalogue, "tzaar")}
    assert {*texts} & {*agents_of(catalogue, "zatre")} == {"engine:true"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nobody", "no game here has an agent 'nobody'"),
        ("policy:/nonexistent", "there is no policy file '/nonexistent'"),
        ("mcts:policy=/nonexistent", "there is no policy file '/nonexistent'"),
        ("alphabeta:policy=/nonexistent", "there is no policy file '/nonexistent'"),
        (f"policy:{__file__}", "is not a policy file"),
        ("policy:x.safetensors,sample=maybe", "sample='maybe' is not allowed"),
        ("engine:/nonexistent", "there is no program '/nonexistent'"),
    ],
)
def test_an_agent_that_cannot_play_is_reported_at_the_start(text: str, reason: str) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=reason):
        Catalogue([text])


def test_budgets_have_sliders() -> None:
    agents = agents_of(Catalogue(), "tzaar")
    assert {"simulations", "ms"} == {*agents["mcts"]}
    assert {"depth", "ms"} == {*agents["alphabeta"]}
    for sliders in agents.values():
        assert all(each["least"] <= each["value"] <= each["most"] for each in sliders.values())


def test_a_network_is_used_where_it_fits_the_options() -> None:
    catalogue = Catalogue()
    assert catalogue.network(load_game("zatre")) == "policy:reference"
    for options in ({"players": 3}, {"players": 4}):
        game = load_game("zatre", **options)
        assert (catalogue.network(game), catalogue.adviser(game)) == (None, "mcts:simulations=400")
