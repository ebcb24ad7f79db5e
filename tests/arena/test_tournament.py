"""Tournaments: who meets whom, what stands in the file, interruptions, early ends."""

import codecs
import math
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import pytest
from small_games.adding import ADDING_FOR_TWO
from small_games.agents import Lowest, Perfect

import tzaar_envs
from tzaar_envs.agents import AgentObservation
from tzaar_envs.arena import Sprt, play_tournament, read_results, read_standings
from tzaar_envs.arena.plan import STARTS_PER_CHUNK, line_ups, load_book
from tzaar_envs.arena.records import GameId, GameRecord
from tzaar_envs.arena.reports import command_of
from tzaar_envs.arena.standings import ladder_rating
from tzaar_envs.arena.tournament import pair_counts
from tzaar_envs.core.state import State


def lines_of(path: Path) -> list[str]:
    """Return the header and, in any order of playing the same, the games."""
    header, *games = path.read_text().splitlines()
    return [header, *sorted(games)]


def start_of(game: GameRecord) -> int:
    assert game.match is not None
    return game.match.start


# Who meets whom


def test_every_pair_plays_every_start_in_both_rotations(tmp_path: Path) -> None:
    agents = ["random", Lowest, Perfect]
    result = play_tournament(ADDING_FOR_TWO, agents, tmp_path / "r.jsonl", 40, seed=1)
    assert len(result.games) == 3 * 40
    assert not result.interrupted
    games = {line.match: line for line in result.games}
    for line_up, first, second in [(0, 0, 1), (1, 0, 2), (2, 1, 2)]:
        names = [result.header.agents[first], result.header.agents[second]]
        for start in range(20):
            pair = [games[GameId(line_up, start, rotation)] for rotation in range(2)]
            assert pair[0].agents == names
            assert pair[1].agents == names[::-1]
            assert {line.position for line in pair} == {games[GameId(0, start, 0)].position}
    assert len({line.position for line in result.games}) == 4


def test_line_ups_are_all_choices_of_agents_for_the_seats() -> None:
    assert line_ups(["a", "b", "c"], 3) == ((0, 1, 2),)
    assert len(line_ups([*"abcdef"], 3)) == 20
    assert line_ups(["a", "b", "b"], 3) == ((0, 1, 2),)
    assert line_ups(["a", "a", "b", "b"], 3) == ((0, 1, 2), (0, 2, 3))


def test_more_games_and_further_agents_continue_a_tournament(tmp_path: Path) -> None:
    agents, path = ["random", Lowest, Perfect], tmp_path / "r.jsonl"
    numbers = line_ups([*"abcde"], 2)
    assert line_ups([*"abcd"], 2) == numbers[:6]
    few = play_tournament(ADDING_FOR_TWO, agents, path, 40, seed=1)
    more = play_tournament(ADDING_FOR_TWO, [*agents, "greedy"], path, 80, seed=1)
    assert more.games[: len(few.games)] == few.games
    assert len({game.match for game in more.games}) == len(more.games) == 6 * 80
    header, games = read_results(path)
    assert (header.games, header.agents, games) == (80, more.header.agents, more.games)
    whole = play_tournament(
        ADDING_FOR_TWO, [*agents, "greedy"], tmp_path / "whole.jsonl", 80, seed=1
    )
    starts = {game.match: game.position for game in whole.games}
    assert starts == {game.match: game.position for game in more.games}


def test_in_a_gauntlet_the_first_agent_meets_all_others(tmp_path: Path) -> None:
    result = play_tournament(
        ADDING_FOR_TWO, ["random", Lowest, Perfect], tmp_path / "r.jsonl", 40, seed=1, gauntlet=True
    )
    assert len(result.games) == 2 * 40
    assert all("random" in game.agents for game in result.games)
    assert "evaluate" in command_of(result.header)
    standings = read_standings([result.path])
    # Against an agent of 1000 Elo that is met in half of the games, as strong as its score says.
    elo, half_width = ladder_rating(standings, 0, {result.header.agents[1]: 1000.0})
    score = standings.score(0, 1)
    assert abs(elo - (1000 + 400 * math.log10(score / (1 - score)))) < 20
    assert 30 < half_width < 200
    assert ladder_rating(standings, 0, {"greedy": 1000.0}) is None


def test_every_game_can_be_replayed_from_its_record(tmp_path: Path) -> None:
    game, path = tzaar_envs.load_game("zatre", players=3), tmp_path / "r.jsonl"
    play_tournament(game, ["greedy", "random", "random"], path, 6, seed=1, opening_plies=2)
    header, games = read_results(path)
    assert header.seats == [*game.layout.seat_names]
    assert [line.agents.index("greedy") for line in games] == [0, 0, 1, 1, 2, 2]
    for line in games:
        assert len(line.check(game)) == line.plies + 1
        assert line.opening == 2


def test_what_searches_find_is_recorded(tmp_path: Path) -> None:
    path, searching = tmp_path / "r.jsonl", "mcts:simulations=16"
    play_tournament(ADDING_FOR_TWO, [searching, Lowest], path, 2, seed=1)
    for record in read_results(path)[1]:
        positions = record.check(ADDING_FOR_TWO)
        for position, action, data in zip(
            positions, record.actions, record.move_data, strict=False
        ):
            assert (data is not None) == (record.agents[position.current_player] == searching)
            if data is not None:
                assert data.value is not None
                assert data.line[0] == action
                assert data.visits[action] > 0
                assert data.seconds is not None


def test_the_number_of_workers_does_not_matter(tmp_path: Path) -> None:
    games = 2 * (STARTS_PER_CHUNK + 3)
    for workers in (1, 2):
        path = tmp_path / f"{workers}.jsonl"
        agents = ["random", "greedy", Lowest]
        play_tournament(ADDING_FOR_TWO, agents, path, games, seed=5, workers=workers)
    assert lines_of(tmp_path / "1.jsonl") == lines_of(tmp_path / "2.jsonl")
    assert len(lines_of(path)) == 1 + 3 * games


def test_a_book_gives_the_starts(tmp_path: Path) -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    state = game.new_state(seed=1)
    book = tmp_path / "book.txt"
    positions = []
    for _ in range(3):
        state.apply(int(state.legal_actions()[0]))
        positions.append(str(state))
    book.write_text("# three\n\n" + "\n".join(positions) + "\n")
    assert load_book(book, game) == tuple(positions)
    book.write_bytes(codecs.BOM_UTF8 + "\r\n".join(positions).encode())
    assert load_book(book, game) == tuple(positions)
    result = play_tournament(game, ["greedy", "random"], tmp_path / "r.jsonl", 12, book=book)
    zatre = tzaar_envs.load_game("zatre")  # whose positions begin with #
    book.write_text(f"# one\n{zatre.new_state(seed=1)}\n#\n")
    assert load_book(book, zatre) == (str(zatre.new_state(seed=1)),)
    by_start = sorted(result.games, key=start_of)
    assert [line.position for line in by_start[::2]] == [line.position for line in by_start[1::2]]
    used = [line.position for line in by_start[::2]]
    assert set(used) == set(positions)
    assert used[:3] == used[3:]
    assert result.header.book is not None
    assert result.header.book.positions == 3
    book.write_text("\n".join(positions[:2]))
    with pytest.raises(ValueError, match=r"book .*positions=3.* there, .*positions=2.* here"):
        play_tournament(game, ["greedy", "random"], tmp_path / "r.jsonl", 12, book=book)


# Interruptions


class Noting(Lowest):
    """Counts the plies that it was asked for, in all tournaments since it was last read."""

    plies: ClassVar[int] = 0

    def act(self, position: State | AgentObservation) -> int:
        Noting.plies += 1
        return super().act(position)

    @classmethod
    def plies_of_games(cls) -> int:
        plies, cls.plies = cls.plies, 0
        return plies


@pytest.mark.parametrize("count", [20, 101])
def test_ctrl_c_keeps_what_is_finished_and_the_same_call_goes_on(
    count: int, tmp_path: Path
) -> None:
    def interrupt(done: int, games: int) -> None:
        assert games == 102
        if done == count:
            raise KeyboardInterrupt

    path, agents = tmp_path / "r.jsonl", ["random", "greedy", Lowest]
    first = play_tournament(ADDING_FOR_TWO, agents, path, 34, seed=1, progress=interrupt)
    assert first.interrupted
    assert len(first.games) == count
    rated = Counter((game.match.line_up, game.match.start) for game in read_standings(path).games)
    assert {*rated.values()} == {2}  # else an agent would have the better seat more often
    path.write_bytes(path.read_bytes()[:-10])  # as if the machine had failed, too
    assert read_results(path)[1] == first.games[:-1]
    again = play_tournament(ADDING_FOR_TWO, agents, path, 34, seed=1)
    assert not again.interrupted
    assert again.games[: count - 1] == first.games[:-1]
    other = tmp_path / "other.jsonl"
    play_tournament(ADDING_FOR_TWO, agents, other, 34, seed=1)
    assert lines_of(path) == lines_of(other)


def test_only_batches_with_missing_games_are_played(tmp_path: Path) -> None:
    path, calls = tmp_path / "r.jsonl", []

    def tournament() -> int:
        play_tournament(
            ADDING_FOR_TWO,
            ["random", Noting],
            path,
            2 * STARTS_PER_CHUNK,
            seed=2,
            progress=lambda *at: calls.append(at),
        )
        return Noting.plies_of_games()

    whole = tournament()
    assert len(calls) == 2 * STARTS_PER_CHUNK
    header, *games = path.read_text().splitlines(keepends=True)
    first_batch = [game for game in games if '"rotation":0' in game]
    assert len(first_batch) == STARTS_PER_CHUNK
    path.write_text("".join([header, *first_batch]))
    assert 0 < tournament() < whole
    calls.clear()
    before = path.read_bytes()
    assert tournament() == 0
    assert calls == []
    assert path.read_bytes() == before


# Early stop


def test_a_test_ends_a_pairing_after_the_same_games(tmp_path: Path) -> None:
    agents, test = ["random", Lowest, Perfect], Sprt(0, 100)
    games, path = 2 * STARTS_PER_CHUNK * 8, tmp_path / "again.jsonl"
    totals: list[int] = []

    def lines(path: Path, workers: int = 1) -> list[str]:
        play_tournament(
            ADDING_FOR_TWO,
            agents,
            path,
            games,
            seed=1,
            workers=workers,
            sprt=test,
            progress=lambda done, games: totals.append(games),
        )
        return lines_of(path)

    whole = lines(tmp_path / "1.jsonl")
    assert whole == lines(tmp_path / "2.jsonl", workers=2)
    _, records = read_results(tmp_path / "1.jsonl")
    numbers = [line.match.line_up for line in records if line.match]
    sizes = [numbers.count(number) for number in range(3)]
    assert len(records) < totals[-1] == 3 * games
    for line_up, size in enumerate(sizes):
        assert size % (2 * STARTS_PER_CHUNK) == 0
        looks = [
            test.decision(pair_counts(records, line_up, starts))
            for starts in range(0, size // 2 + 1, STARTS_PER_CHUNK)
        ]
        assert all(look is None for look in looks[:-1])
        assert looks[-1] is not None or size == games
    assert min(sizes) < games
    content = (tmp_path / "1.jsonl").read_bytes()
    for part in (1, 4):
        path.write_bytes(content[: part * len(content) // 7])
        assert lines(path) == whole


# Ray


def test_ray_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match="needs the extra 'ray'"):
        play_tournament(ADDING_FOR_TWO, ["random", Lowest], tmp_path / "r.jsonl", 4, ray=True)


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_ray_plays_the_same_games(tmp_path: Path) -> None:
    agents, games = ["random", "greedy"], 2 * STARTS_PER_CHUNK * 3
    game = tzaar_envs.load_game("turm_und_waechter")
    play_tournament(game, agents, tmp_path / "one.jsonl", games, seed=1)
    path = tmp_path / "ray.jsonl"
    play_tournament(game, agents, path, games, seed=1, workers=2, ray=True)
    assert lines_of(path) == lines_of(tmp_path / "one.jsonl")
