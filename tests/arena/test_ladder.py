"""The ladders: what is published is what the records name, and `info` shows it."""

import dataclasses
import itertools
import json
from pathlib import Path

import pytest
from command_line import run_cli
from make_ladders import save_ratings

import tzaar_envs
from tzaar_envs.agents import agent_specs, make_agent
from tzaar_envs.arena import play_tournament, read_standings
from tzaar_envs.registry import find_spec
from tzaar_envs.search.control import SearchControl, SearchLimits

every_name = pytest.mark.parametrize("name", tzaar_envs.list_games())


@every_name
def test_a_ladder_has_agents_among_them_the_network_alone_and_with_each_search(name: str) -> None:
    game = tzaar_envs.load_game(name)
    ladder = game.spec.ladder
    assert [make_agent(text, game).name for text in ladder] == list(ladder)
    timed = [agent for agent in ladder if "ms=100" in agent and "policy=reference" in agent]
    assert "reference" in ladder
    searches = {"alphabeta", "mcts"} & {*agent_specs(game.spec)}
    level = {"mcts"} if name == "black_elephant" else set()  # with the strongest, so left out
    assert {agent.partition(":")[0] for agent in timed} == searches - level


@every_name
def test_every_step_of_a_published_ladder_is_stronger_than_the_one_below(name: str) -> None:
    spec = find_spec(name)
    ratings = spec.published_ratings()
    assert list(ratings) == list(reversed(spec.ladder))
    *steps, last = ratings.values()
    assert len(last) == 2
    for (elo, _, lead, *_), below in itertools.pairwise(ratings.values()):
        assert lead == pytest.approx(elo - below[0], abs=1)  # all are rounded
    for _, _, lead, half_width in steps:
        assert lead > half_width


def test_info_shows_the_ladder() -> None:
    _, out, _ = run_cli("info", "tzaar")
    lines = out[out.index("Ladder") :].splitlines()[2:]
    shown = [line.split() for line in lines if line.strip()]
    assert [words[0] for words in shown] == list(reversed(find_spec("tzaar").ladder))
    assert [len(words) for words in shown] == [*[7] * (len(shown) - 1), 4]


def test_ratings_are_kept_with_the_way_to_them(tmp_path: Path) -> None:
    game = tzaar_envs.load_game("twenty_one")
    result = play_tournament(game, ["random", "greedy"], tmp_path / "games.jsonl", 20, seed=3)
    standings = read_standings([result.path], "greedy")
    path = tmp_path / "ratings.json"
    spec = dataclasses.replace(game.spec, ratings=path)
    assert spec.published_ratings() == {}
    save_ratings(path, standings)
    ratings = spec.published_ratings()
    assert list(ratings) == ["greedy", "random"]
    lead, half_width = standings.ratings.difference(1, 0)
    assert ratings["greedy"] == [0, 0, round(lead), round(half_width)]
    elo, half_width = ratings["random"]
    assert elo < 0 < half_width
    content = json.loads(path.read_text())
    assert (content["anchor"], content["luck"]) == ("greedy", None)
    assert "--games 20 --seed 3" in content["commands"][0]
    assert content["headers"][0]["versions"]["numpy"]


def test_a_mixture_searches_as_its_agents_do() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    agent = make_agent(f"elo:{game.spec.published_ratings()['alphabeta:depth=6'][0]}", game)
    agent.control = SearchControl(SearchLimits(nodes=300))
    agent.act(game.new_state(1))
    search = agent.last_search
    assert search is not None
    assert 300 <= (search.simulations or search.nodes) <= 300 + 2048
