"""Tournaments: who meets whom, what stands in the file, interruptions, and bad agents."""

import codecs
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from processes import eventually, members
from small_games.adding import ADDING, ADDING_FOR_TWO
from small_games.agents import (
    Broken,
    Cheat,
    Lowest,
    Panicking,
    Perfect,
)

import tzaar_envs
from tzaar_envs.agents import AgentObservation
from tzaar_envs.arena import Sprt, play_tournament, read_results
from tzaar_envs.arena.plan import STARTS_PER_CHUNK, line_ups, load_book
from tzaar_envs.arena.records import GameId, GameRecord
from tzaar_envs.arena.tournament import pair_counts
from tzaar_envs.core.state import State


def lines_of(path: Path) -> list[str]:
    """Return the header and, in any order of playing the same, the games."""
    header, *games = path.read_text().splitlines()
    return [header, *sorted(games)]


def start_of(game: GameRecord) -> int:
    assert game.match is not None
    return game.match.start


def forfeits_of(games: Sequence[GameRecord]) -> set[tuple[str, str]]:
    return {(line.agents[line.culprit or 0], line.forfeit) for line in games if line.forfeit}


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


def test_line_ups_of_several_seats() -> None:
    assert line_ups(["a", "b", "c"], 3) == ((0, 1, 2),)
    assert len(line_ups([*"abcdef"], 3)) == 20
    assert line_ups(["a", "b", "b"], 3) == ((0, 1, 2),)
    assert line_ups(["a", "a", "b", "b"], 3) == ((0, 1, 2), (0, 2, 3))
    with pytest.raises(ValueError, match="'a' is named 2 times: with 2 seats use it once"):
        line_ups(["a", "b", "a"], 2)
    with pytest.raises(ValueError, match="'a' is named 3 times: with 3 seats use it at most 2"):
        line_ups(["a", "a", "a"], 3)
    with pytest.raises(ValueError, match="1 agents are not allowed: there are 2 seats"):
        line_ups(["a"], 2)


@pytest.mark.parametrize(
    ("name", "options"), [("tzaar", {}), ("zatre", {"players": 3}), ("twenty_one", {"players": 2})]
)
def test_every_game_can_be_replayed_from_its_record(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    game = tzaar_envs.load_game(name, **options)
    agents = ["greedy", "random", "random"][: game.num_players]
    path = tmp_path / "r.jsonl"
    play_tournament(game, agents, path, 2 * game.num_players, seed=1, opening_plies=2)
    header, games = read_results(path)
    assert len(games) == 2 * game.num_players
    for line in games:
        positions = line.check(game)
        assert len(positions) == line.plies + 1
        assert line.opening == 2
        assert header.seats == [*game.layout.seat_names]
    first = games[0]
    cut = msgspec.structs.replace(first, actions=first.actions[:-1], outcomes=first.outcomes[:-1])
    with pytest.raises(ValueError, match="the game is not over after its last move"):
        cut.check(game)
    assert first.returns is not None
    if first.returns[::-1] != first.returns:
        with pytest.raises(ValueError, match="is recorded, but the moves give"):
            msgspec.structs.replace(first, returns=first.returns[::-1]).check(game)


def test_the_number_of_workers_does_not_matter(tmp_path: Path) -> None:
    games = 2 * (STARTS_PER_CHUNK + 3)
    for workers in (1, 2):
        path = tmp_path / f"{workers}.jsonl"
        agents = ["random", "greedy", Lowest]
        play_tournament(ADDING_FOR_TWO, agents, path, games, seed=5, workers=workers)
    assert lines_of(tmp_path / "1.jsonl") == lines_of(tmp_path / "2.jsonl")
    assert len(lines_of(path)) == 1 + 3 * games


# Openings


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
    by_start = sorted(result.games, key=start_of)
    used = [line.position for line in by_start if line.match and line.match.rotation == 0]
    assert set(used) == set(positions)
    assert used[:3] == used[3:]
    for start in range(6):
        assert len({line.position for line in result.games if start_of(line) == start}) == 1
    assert result.header.book is not None
    assert result.header.book.positions == 3
    book.write_text("\n".join(positions[:2]))
    with pytest.raises(ValueError, match=r"book .*positions=3.* there, .*positions=2.* here"):
        play_tournament(game, ["greedy", "random"], tmp_path / "r.jsonl", 12, book=book)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"nonsense", "line 1: .*expected"),
        (b"\n# only this\n", "has no position"),
        (b"\xff\xfe", "line 1: .*expected"),
    ],
)
def test_a_bad_book_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_bytes(content)
    with pytest.raises(ValueError, match=rf"book .*book.txt'.* {message}"):
        load_book(tmp_path / "book.txt", tzaar_envs.load_game("tzaar"))


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


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.jsonl"
    play_tournament(ADDING_FOR_TWO, ["random", Lowest, Cheat], path, 6, seed=2)
    return path


def test_a_file_torn_anywhere_is_completed(whole: Path, tmp_path: Path) -> None:
    content = whole.read_bytes()
    ends = [offset for offset, byte in enumerate(content) if byte == ord("\n")]
    path = tmp_path / "r.jsonl"
    for offset in sorted({*range(0, len(content), 97), *ends, *(end + 1 for end in ends)}):
        path.write_bytes(content[:offset])
        result = play_tournament(ADDING_FOR_TWO, ["random", Lowest, Cheat], path, 6, seed=2)
        assert lines_of(path) == lines_of(whole), offset
        assert len(result.games) == 18
        kept = content[:offset].rpartition(b"\n")[0]
        assert path.read_bytes().startswith(kept)


@pytest.mark.parametrize("count", [1, 20, 33, 60, 101])
def test_ctrl_c_keeps_what_is_finished(count: int, tmp_path: Path) -> None:
    def interrupt(done: int, games: int) -> None:
        assert games == 102
        if done == count:
            raise KeyboardInterrupt

    path, agents = tmp_path / "r.jsonl", ["random", "greedy", Lowest]
    first = play_tournament(ADDING_FOR_TWO, agents, path, 34, seed=1, progress=interrupt)
    assert first.interrupted
    assert len(first.games) == len(read_results(path)[1]) == count
    again = play_tournament(ADDING_FOR_TWO, agents, path, 34, seed=1)
    assert not again.interrupted
    assert again.games[:count] == first.games
    other = tmp_path / "other.jsonl"
    play_tournament(ADDING_FOR_TWO, agents, other, 34, seed=1)
    assert lines_of(path) == lines_of(other)


def test_only_batches_with_missing_games_are_played(tmp_path: Path) -> None:
    path, agents = tmp_path / "r.jsonl", ["random", Noting]
    play_tournament(ADDING_FOR_TWO, agents, path, 2 * STARTS_PER_CHUNK, seed=2)
    whole_tournament = Noting.plies_of_games()
    header, *games = path.read_text().splitlines(keepends=True)
    first_task = [game for game in games if '"rotation":0' in game]
    assert len(first_task) == STARTS_PER_CHUNK
    path.write_text("".join([header, *first_task]))
    play_tournament(ADDING_FOR_TWO, agents, path, 2 * STARTS_PER_CHUNK, seed=2)
    rest = Noting.plies_of_games()
    assert 0 < rest < whole_tournament
    play_tournament(ADDING_FOR_TWO, agents, path, 2 * STARTS_PER_CHUNK, seed=2)
    assert Noting.plies_of_games() == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"game": ADDING}, r"options {'players': 2} there, {'players': 3} here"),
        ({"agents": ["random", Lowest, Broken]}, r"agents .*Cheat'\] there, .*Broken'\] here"),
        ({"agents": ["random", Cheat, Lowest]}, r"agents \["),
        ({"games": 12}, "games 6 there, 12 here"),
        ({"seed": 3}, "seed 2 there, 3 here"),
        ({"opening_plies": 1}, "opening_plies 0 there, 1 here"),
        ({"sprt": Sprt(0, 10)}, r"sprt None there, \(0, 10\) here"),
    ],
)
def test_another_tournament_is_refused_with_what_differs(
    changed: dict[str, Any], message: str, whole: Path
) -> None:
    before = whole.read_bytes()
    usual: dict[str, Any] = {
        "game": ADDING_FOR_TWO,
        "agents": ["random", Lowest, Cheat],
        "games": 6,
        "seed": 2,
    }
    with pytest.raises(ValueError, match=f"is another results file .*{message}"):
        play_tournament(path=whole, **usual | changed)
    assert whole.read_bytes() == before


SCRIPT = """
import sys, tzaar_envs
from tzaar_envs.arena import play_tournament

if __name__ == "__main__":
    game = tzaar_envs.load_game("turm_und_waechter")
    result = play_tournament(
        game, ["random", "greedy"], sys.argv[1], 10**5, seed=1, workers=2,
        progress=lambda done, games: print(done, flush=True),
    )
"""


def test_a_killed_tournament_leaves_its_games_and_no_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "r.jsonl")],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        while int(process.stdout.readline()) < 5:
            pass
        os.kill(process.pid, signal.SIGKILL)
        assert eventually(lambda: not members(process.pid))
    finally:
        process.kill()
        process.communicate()
    assert len(read_results(tmp_path / "r.jsonl")[1]) >= 5


# Bad agents


@pytest.mark.parametrize("workers", [1, 2])
def test_a_forfeit_loses_the_game_and_names_the_culprit(workers: int, tmp_path: Path) -> None:
    agents = [Lowest, Cheat, Broken, Panicking]
    result = play_tournament(
        ADDING_FOR_TWO, agents, tmp_path / "r.jsonl", 4, seed=1, workers=workers
    )
    assert len(result.games) == 24
    assert forfeits_of(result.games) == {
        ("small_games.agents:Cheat", "illegal action"),
        ("small_games.agents:Broken", "exception"),
        ("small_games.agents:Panicking", "exception"),
    }
    for line in result.games:
        if line.culprit is not None:
            assert line.returns is not None
            assert line.returns[line.culprit] == -1
            assert line.returns[1 - line.culprit] == 1
            assert line.scores is None
            line.check(ADDING_FOR_TWO)


# Early stop


def test_a_test_ends_a_pairing_after_the_same_games(tmp_path: Path) -> None:
    agents, test = ["random", Lowest, Perfect], Sprt(0, 100)
    games = 2 * STARTS_PER_CHUNK * 8
    totals: list[int] = []
    for workers in (1, 2):
        result = play_tournament(
            ADDING_FOR_TWO,
            agents,
            tmp_path / f"{workers}.jsonl",
            games,
            seed=1,
            workers=workers,
            sprt=test,
            progress=lambda done, games: totals.append(games),
        )
    assert lines_of(tmp_path / "1.jsonl") == lines_of(tmp_path / "2.jsonl")
    numbers = [line.match.line_up for line in result.games if line.match]
    sizes = [numbers.count(number) for number in range(3)]
    assert len(result.games) < totals[-1] == 3 * games
    for line_up, size in enumerate(sizes):
        assert size % (2 * STARTS_PER_CHUNK) == 0
        looks = [
            test.decision(pair_counts(result.games, line_up, starts))
            for starts in range(0, size // 2 + 1, STARTS_PER_CHUNK)
        ]
        assert all(look is None for look in looks[:-1])
        assert looks[-1] is not None or size == games
    assert min(sizes) < games
    content = (tmp_path / "1.jsonl").read_bytes()
    path = tmp_path / "again.jsonl"
    for offset in range(len(content) // 7, len(content), len(content) // 7):
        path.write_bytes(content[:offset])
        play_tournament(ADDING_FOR_TWO, agents, path, games, seed=1, sprt=test)
        assert lines_of(path) == lines_of(tmp_path / "1.jsonl")


# Arguments
