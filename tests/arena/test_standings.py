"""Standings and their reports, from results files."""

import dataclasses
import io
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from small_games.adding import ADDING, ADDING_FOR_TWO
from small_games.agents import Cheat, Lowest, Perfect

from tzaar_envs.arena import (
    Sprt,
    Standings,
    for_terminal,
    play_tournament,
    read_results,
    read_standings,
    tournament_report,
    write_report,
)

CHEAT, LOWEST, PERFECT = (f"small_games.agents:{name}" for name in ("Cheat", "Lowest", "Perfect"))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("standings") / "results.jsonl"
    agents = ["random", Lowest, Perfect, Cheat]
    play_tournament(ADDING_FOR_TWO, agents, path, 40, seed=1, sprt=Sprt(0, 300))
    return path


@pytest.fixture(scope="module")
def three_seats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("standings") / "three.jsonl"
    play_tournament(ADDING, ["random", "greedy", Lowest], path, 60, seed=1)
    return path


@pytest.fixture(scope="module")
def played(path: Path) -> Standings:
    return read_standings([path])


def shown(what: Standings, width: int = 120) -> str:
    output = io.StringIO()
    Console(file=output, width=width).print(for_terminal(tournament_report(what)))
    return output.getvalue()


# Numbers


def test_the_crosstable_counts_every_game(path: Path, played: Standings) -> None:
    _, games = read_results(path)
    for agent, name in enumerate(played.agents):
        for other, other_name in enumerate(played.agents):
            met = [
                line for line in games if {*line.agents} == {name, other_name} and agent != other
            ]
            won = sum((line.returns or [])[line.agents.index(name)] > 0 for line in met)
            assert played.meetings[agent, other] == len(met)
            assert played.points[agent, other] == won
            if met:
                assert played.score(agent, other) == pytest.approx(won / len(met))
            else:
                assert played.score(agent, other) is None
    assert played.points.sum() == len(games) == len(played.games)
    order = [played.agents[agent] for agent in played.ratings.order]
    assert (order[0], order[-1]) == (PERFECT, CHEAT)
    numbers = " ".join(str(rank) for rank in range(1, len(order) + 1))
    assert f"agent {numbers} " in " ".join(shown(played).split())


def test_three_seats_are_compared_in_pairs_and_rated_as_a_whole(three_seats: Path) -> None:
    found = read_standings([three_seats])
    shares = [found.shares_of(agent) for agent in range(3)]
    assert sum(own.sum() for own in shares) == pytest.approx(60)
    for agent in range(3):
        assert shares[agent].size == 60
        for other in {0, 1, 2} - {agent}:
            # Two who both lose have the same return.
            won, lost = ((shares[seat] == 1).sum() for seat in (agent, other))
            assert found.points[agent, other] == won + (60 - won - lost) / 2
            assert found.meetings[agent, other] == 60
    by_wins = np.argsort([-own.sum() for own in shares], kind="stable").tolist()
    assert found.ratings.order == by_wins


def test_files_are_rated_together(path: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonl"
    play_tournament(ADDING_FOR_TWO, [Perfect, "greedy"], more, 32, seed=2)
    one, both = read_standings([path]), read_standings([path, more])
    assert both.agents == (*one.agents, "greedy")
    assert len(both.games) == len(one.games) + 32
    assert both.shares_of(both.agents.index(PERFECT)).size == one.shares_of(2).size + 32
    # The starts of the two are not the same although their numbers are.
    assert both.ratings.starts[both.agents.index(PERFECT)] == one.ratings.starts[2] + 16
    assert len(both.groups()) == 1
    assert "never met" not in shown(both)
    longer = tmp_path / "longer.jsonl"
    play_tournament(ADDING_FOR_TWO, [Perfect, "greedy", Lowest], longer, 40, seed=2)
    with pytest.raises(ValueError, match="hold the same games: use one"):
        read_standings([more, longer])


def test_agents_that_never_met_are_told_apart(path: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonl"
    one = tmp_path / "one.jsonl"
    play_tournament(ADDING_FOR_TWO, ["random", Lowest], one, 4, seed=1)
    play_tournament(ADDING_FOR_TWO, ["greedy", Perfect], more, 4, seed=1)
    found = read_standings([one, more])
    assert found.groups() == [(0, 1), (2, 3)]
    text = " ".join(shown(found).split())
    assert f"These groups never met, so the prior alone compares them: random, {LOWEST};" in text


def test_an_anchor_is_0(path: Path) -> None:
    found = read_standings([path], anchor="random")
    assert found.ratings.elo[0] == 0
    assert "(random is 0; a draw is half a win)" in shown(found)


def test_a_tournament_without_games_has_a_report(path: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(path.read_bytes().partition(b"\n")[0] + b"\n")
    found = read_standings([empty])
    text = shown(found)
    assert "4 agents, 0 games" in text
    assert "No game was forfeited." in text


# Reports


def test_the_report_says_everything(played: Standings) -> None:
    text = shown(played)
    joined = " ".join(text.split())
    best = played.ratings.order[0]
    assert f"adding_v0 (players=2): 4 agents, {len(played.games)} games" in text
    rows = [line.strip() for line in text.splitlines()]
    [row] = [line for line in rows if f"{PERFECT}  " in line and "±" in line]
    assert f"{played.ratings.elo[best]:+.0f}" in row
    assert f"± {played.ratings.half_width(best):.0f}" in row
    difference, half = played.ratings.difference(best, played.ratings.order[1])
    assert f"{difference:+.0f} ± {half:.0f}" in row
    for heading in ("Ratings", "Crosstable", "Sequential tests", "Games", "Forfeits", "How it was"):
        assert heading in text
    forfeits = sum(line.forfeit is not None for line in played.games)
    [row] = [line for line in rows if line.startswith(f"{CHEAT}  ")]
    assert row.split()[1:] == [str(forfeits), "0", "0", "0", "0"]
    assert "action 7 is not legal in position" in text
    assert "Plies per game: mean" in text
    assert (
        f"tzaar-envs tournament adding_v0 random {LOWEST} {PERFECT} {CHEAT} -o players=2 "
        "--games 40 --seed 1 --sprt 0 300"
    ) in joined
    assert "Versions: tzaar-envs" in text
    assert "Machine: processor" in joined
    least = played.meetings[played.meetings > 0].min()
    assert f"; {least} to {played.meetings.max()} games per pair." in joined
    assert "of the games are distinct" in joined
    assert "300 Elo" in text


def test_a_markdown_report_has_whole_tables_and_takes_no_name_as_markup(
    played: Standings, tmp_path: Path
) -> None:
    odd = "[red]x|y*<b>"
    agents = (odd, *played.agents[1:])
    ratings = dataclasses.replace(played.ratings, agents=agents)
    found = dataclasses.replace(played, agents=agents, ratings=ratings)
    assert odd in shown(found, width=300)
    write_report(tmp_path / "r.html", found)
    assert "[red]x|y*&lt;b&gt;" in (tmp_path / "r.html").read_text()
    write_report(tmp_path / "r.md", found)
    lines = (tmp_path / "r.md").read_text().splitlines()
    assert lines[0].startswith("# adding\\_v0 (players=2): 4 agents")
    tables = [line for line in lines if line.startswith("|")]
    assert any(r"\[red]x\|y\*\<b>" in line for line in tables)
    assert len({line.replace(r"\|", "").count("|") for line in tables[:6]}) == 1
    assert sum("---" in line for line in tables) == 5
    command = lines[lines.index("```sh") + 1]
    assert command.startswith("tzaar-envs tournament adding_v0 random")


class Tags(HTMLParser):
    """Collects what a page refers to, and checks that its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.outside += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_an_html_report_stands_alone(played: Standings, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(path, played)
    tags = Tags()
    tags.feed(path.read_text())
    assert tags.open == []
    assert tags.outside == []
    assert path.read_text().count("<table>") == 5
