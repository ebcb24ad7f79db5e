"""Matches, ratings, files of records, datasets, checks of games, other wrappers."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from fuzz.values import action, anything, expect, is_text, number, place_in, spoiled, text
from hypothesis import strategies as st

import tzaar_envs
from tzaar_envs.arena import (
    LuckMeter,
    MatchResult,
    Sprt,
    Summary,
    for_terminal,
    luck_report,
    match_report,
    play_match,
    play_tournament,
    read_results,
    read_standings,
    tournament_report,
    wilson,
    write_report,
)
from tzaar_envs.arena.history import GameHistory, move_data
from tzaar_envs.arena.ratings import rate, win_shares
from tzaar_envs.arena.records import (
    GameRecord,
    RecordFile,
    games_in,
    read_games,
    read_records,
    write_records,
)
from tzaar_envs.core.game import Game
from tzaar_envs.datasets import record_transitions
from tzaar_envs.replay import read_file
from tzaar_envs.search.alphabeta import AlphaBeta, why_unsuitable
from tzaar_envs.testing import Finding, check_env, check_game, playthrough
from tzaar_envs.wrappers import (
    RecordGames,
    RecordVectorTransitions,
    SymmetryAugmentation,
    channels_last,
)
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

if TYPE_CHECKING:
    from fuzz.calls import Session

_COUNTS = (2, 4, 6, 0, -2, 1.5, None, "2", True)
_FLOATS = (0.0, 0.5, 1.0, -1.0, 3.0, 1e308, float("nan"), float("inf"), None)


def matches(session: Session) -> None:
    """Play matches with any arguments, and look at what came of them."""
    from fuzz.calls import Fuzzed

    game, draw = session.game, session.draw
    known = ["random", "greedy", "nobody", 5, lambda game: Fuzzed(game, draw), lambda game: None]
    agents = draw(st.lists(st.sampled_from(known), min_size=1, max_size=game.num_players + 1))
    games = draw(st.one_of(st.just(game.num_players), st.sampled_from(_COUNTS)))
    seed, plies = draw(st.sampled_from([0, 3, -1, 1.5, None])), draw(st.sampled_from(_COUNTS))
    with session.call(f"play_match {games!r} {seed!r} {plies!r}"):
        result = play_match(game, agents, games, seed, opening_plies=plies)
        expect(MatchResult.decode(result.to_json().encode(), "it").games == result.games)
        match_report(result), result.forfeits
        with tempfile.TemporaryDirectory() as folder:
            path = result.save(Path(folder) / "match.json")
            expect(MatchResult.load(path).games == result.games)
        with session.call("MatchResult.summary"):
            summary = result.summary(draw(number(2)), draw(number(2)))
            expect(isinstance(summary, Summary))
        policy = draw(st.sampled_from(["reference", "nowhere", 5]))
        draws = draw(st.sampled_from(_COUNTS))
        with session.call(f"LuckMeter {policy!r} {draws!r}"):
            meter = LuckMeter(game, policy, draws, seed=seed)
            expect((meter.of_games(result.games[:1]) < 1e6).all())
            luck_report(result.standings(policy))


def tournaments(session: Session) -> None:
    """Play tournaments with any arguments, into a file that another one may have begun."""
    game, draw = session.game, session.draw
    names = st.sampled_from(["random", "greedy", "mcts:simulations=2", "nobody"])
    agents = draw(st.lists(names, min_size=game.num_players, max_size=game.num_players + 1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        for _ in range(2):
            games = draw(st.one_of(st.just(game.num_players), st.sampled_from(_COUNTS)))
            with session.call(f"play_tournament {agents} {games!r}"):
                sprt = draw(st.sampled_from([None, (0, 10), (5, 1), (float("nan"), 3)]))
                play_tournament(
                    game, agents, path, games, draw(st.integers(-1, 1)),
                    sprt=None if sprt is None else Sprt(*sprt),
                )  # fmt: skip
            if path.exists() and draw(st.booleans()):
                content = bytearray(path.read_bytes())
                content[place_in(draw, content)] = draw(st.integers(0, 255))
                path.write_bytes(content)
            if path.exists():
                with session.call("read_standings"):
                    read_results(path)
                    standings = read_standings(
                        [path],
                        draw(st.sampled_from([None, "x", "random"])),
                        draw(st.sampled_from([None, "reference", "nowhere", 5])),
                    )
                    for_terminal(tournament_report(standings))
                    name = draw(st.sampled_from(["r.md", "r.html", "r.x", ""]))
                    write_report(Path(folder) / name, standings, ())


def statistics(session: Session) -> None:
    """Rate games of numbers that may be anything."""
    draw = session.draw
    successes, count = draw(st.sampled_from(_FLOATS)), draw(st.sampled_from([1, 5, 0, -1, None]))
    with session.call(f"wilson {successes!r} {count!r}"):
        wilson(successes, count)
    numbers = [draw(st.sampled_from(_FLOATS)) for _ in range(2)]
    with session.call(f"Sprt {numbers}"):
        test = Sprt(*numbers)
        test.decision(draw(spoiled(np.arange(5)))), test.llr(np.arange(5))
    shares = win_shares(np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]]))
    seats = np.array([[0, 1], [1, 0], [0, 1]])
    with session.call("rate"):
        found = rate(
            ["a", "b"], draw(spoiled(seats)), draw(spoiled(shares)), draw(spoiled(np.arange(3))),
            draw(st.sampled_from([None, "a", "c"])),
        )  # fmt: skip
        found.order, found.half_width(0), found.difference(0, 1)


def record_files(session: Session) -> None:
    """Write a game with what a search found, damage the file, and read it in every way."""
    game, draw = session.game, session.draw
    start = game.new_state(draw(st.integers(0, 9)))
    history = GameHistory(start, seed=1, agents=["a"] * game.num_players)
    for _ in range(draw(st.integers(1, 6))):
        state = history.state
        if state.is_terminal:
            break
        data = None
        if why_unsuitable(game) is None:
            data = move_data(state, AlphaBeta(game, 2).search(state, 1))
        history.apply(int(draw(st.sampled_from(state.legal_actions().tolist()))), data)
    with session.call("GameHistory.go_to"):
        history.go_to(draw(st.integers(0, 4)))
    record = history.to_record()
    with session.call("record_transitions"):
        transitions = record_transitions(record, draw(st.sampled_from([None, game])))
        expect(len(transitions) <= record.plies)
    with session.call("GameHistory.from_record"):
        expect(GameHistory.from_record(record, game).to_record() == record)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        with session.call("write_records"):
            write_records(path, RecordedGamesHeader(), [record])
        content = bytearray(path.read_bytes())
        for _ in range(draw(st.integers(0, 2))):
            content[place_in(draw, content)] = draw(st.integers(0, 255))
        path.write_bytes(content)
        for read in (read_file, read_games, lambda path: read_records(path, RecordedGamesHeader)):
            with session.call("read_records"):
                list(read(path))
        with session.call("games_in"), path.open("rb") as file:
            expect(all(isinstance(each, GameRecord) for each in games_in(file, "it")))
        with session.call("RecordFile"), RecordFile(path, RecordedGamesHeader()) as records:
            records.append(record)


@functools.cache
def _findings(game: Game, seed: int) -> list[Finding]:
    return check_game(game.spec, game.options, games=1, seed=seed)


def checks(session: Session) -> None:
    """Check the game and its environment; they keep their promises."""
    game, draw = session.game, session.draw
    with session.call("check_game"):
        expect(_findings(game, draw(st.integers(0, 1))) == [])
    source = draw(
        st.one_of(
            st.just(lambda: tzaar_envs.make(game.spec.env_id, **game.options)),
            anything,
            st.just(lambda: None),
        )
    )
    with session.call("check_env"):
        check_env(source, episodes=draw(st.integers(0, 1)), seed=1, max_steps=20)
    with session.call("playthrough"):
        expect(playthrough(game, draw(st.integers(0, 3))).endswith("\n"))


def other_wrappers(session: Session) -> None:
    """Turn batches of training data, record games, see boards with their channels last."""
    game, draw = session.game, session.draw
    rows = tzaar_envs.make_vec(game.spec.env_id, num_envs=2, num_threads=1, **game.options)
    _, infos = rows.reset(seed=0)
    turned = SymmetryAugmentation(game, draw(st.integers(0, 9)))
    with session.call("SymmetryAugmentation.augment"):
        seen = rows.batch.observations
        turned.augment(draw(spoiled(seen)), draw(spoiled(infos["action_mask"])))
    with session.call("SymmetryAugmentation.draw"):
        turned.draw(draw(number(9)))
    with session.call("SymmetryAugmentation.augment_transitions"):
        recorder = RecordVectorTransitions(rows)
        recorder.reset(seed=1)
        for _ in range(6):
            recorder.step(rows.sample_actions())
        turned.augment_transitions(recorder.take())
    with tempfile.TemporaryDirectory() as folder, session.call("RecordGames"):
        env = RecordGames(
            tzaar_envs.make(game.spec.env_id, illegal="terminate", **game.options),
            Path(folder) / "games.jsonl",
        )
        env.reset(seed=draw(st.sampled_from([1, None, -1, 1.5])))
        for _ in range(draw(st.integers(1, 6))):
            env.step(draw(action(env.unwrapped.game_state)))
            env.last(), env.close()
    with session.call("channels_last"):
        last = channels_last(tzaar_envs.make(game.spec.env_id, **game.options))
        last.reset(seed=1)
        last.observe(draw(st.sampled_from(["player_0", "player_9", None])))


def registry(session: Session) -> None:
    """Look up games, and register what is none."""
    with session.call("register"):
        tzaar_envs.register(session.draw(anything))
    expect(session.game.spec.env_id in tzaar_envs.list_envs())
    with session.call("make"):
        tzaar_envs.make(session.draw(text(session.game.spec.env_id).filter(is_text)))


CALLS: tuple[Any, ...] = (
    matches, tournaments, statistics, record_files, checks, other_wrappers, registry,
)  # fmt: skip
