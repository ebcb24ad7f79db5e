import io
from typing import Any

import msgspec
import pytest
from rich.console import Console, RenderableType

import tzaar_envs
from tzaar_envs.arena import MatchResult, match_progress, match_report, play_match


def show(renderable: RenderableType, width: int = 80) -> str:
    output = io.StringIO()
    Console(file=output, width=width).print(renderable)
    return output.getvalue()


def interrupt(done: int, games: int) -> None:
    raise KeyboardInterrupt


@pytest.fixture(scope="module")
def played() -> MatchResult:
    game = tzaar_envs.load_game("tzaar", setup="fixed")
    return play_match(game, ["greedy", "random"], games=20, seed=7, opening_plies=2)


def test_the_report_of_a_match_has_a_table_and_says_what_it_rests_on(played: MatchResult) -> None:
    text = show(match_report(played))
    assert "greedy - random: tzaar_v0 (setup=fixed)" in text
    for word in ("White", "Black", "W-D-L", "Draw %", "Mean return"):
        assert word in text
    summary = played.summary(0)
    low, high = summary.win_interval
    assert f"{summary.wins}-{summary.draws}-{summary.losses}" in text
    assert f"{100 * low:.1f}-{100 * high:.1f}" in text
    assert f"{summary.mean_return:+.2f}" in text
    assert "Mean points" not in text  # they are the returns here
    note = " ".join(text.split())
    assert "20 games, seed 7, 2 random opening plies." in note
    assert "Forfeits: none." in note
    assert "moves per second on 1 process (" in note
    assert "Plies per game: mean" in note
    assert "Intervals are 95 %: Wilson" in note
    assert "Interrupted" not in note
    assert "distinct" not in note


def test_points_have_a_column_where_they_are_no_returns() -> None:
    game = tzaar_envs.load_game("twenty_one", players=3)
    result = play_match(game, ["greedy", "random", "random"], games=6, seed=7)
    text = show(match_report(result))  # 80 columns
    assert "Mean points" in text
    for seat in game.layout.seat_names:
        assert seat in text
    for summary in result.summaries():
        assert f"{summary.wins}-{summary.draws}-{summary.losses}" in text
        assert f"{summary.mean_score:.1f}" in text
        assert summary.score_interval is not None
        assert "{:.1f} to {:.1f}".format(*summary.score_interval) in text


def test_the_report_of_a_match_warns_and_takes_no_text_as_markup(played: MatchResult) -> None:
    changes: dict[str, Any] = {
        "position": "",
        "actions": ["a", "b"],
        "outcomes": [],
        "forfeit": "illegal action",
        "culprit": 1,
        "error": "[bold]action *7*[/] is not legal",
    }
    games = [msgspec.structs.replace(game, **changes) for game in played.games]
    header = msgspec.structs.replace(played.header, games=2000)
    agents = ("[red]x[/red]", "*y*[/]|<b>")
    result = msgspec.structs.replace(played, header=header, games=games, agents=agents)
    text = " ".join(show(match_report(result)).split())
    assert "Interrupted: 20 of 2,000 games are finished." in text
    assert "Only 2 of the games are distinct" in text
    assert "Forfeits: illegal action: 20" in text
    forfeit = "random, line-up 0, start 0, rotation 0, ply 2: [bold]action *7*[/] is not legal"
    assert f"First forfeit: {forfeit}" in text
    assert all(agent in text for agent in agents)


def test_a_match_without_games_has_a_report() -> None:
    game = tzaar_envs.load_game("tzaar")
    result = play_match(game, ["random", "random"], games=2, progress=interrupt)
    text = show(match_report(result))
    assert "Interrupted: 0 of 2 games are finished." in text
    assert "0-0-0" in text


def test_the_progress_bar_counts_games() -> None:
    output = io.StringIO()
    with match_progress(Console(file=output, width=80, force_terminal=True)) as progress:
        progress(3, 12)
        progress(12, 12)
    assert "12/12" in output.getvalue()
