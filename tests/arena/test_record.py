"""Records of games: replayed, checked and refused."""

from __future__ import annotations

import pickle
import random

import msgspec
import pytest
from small_games.adding import ADDING
from variants import every_game

import tzaar_envs
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import GameId, GameRecord, MoveData
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


def play(game: Game, seed: int, plies: int = 10**9) -> tuple[GameRecord, State]:
    """Return the record of a random game, and its last position."""
    history, choices = GameHistory(game.new_state(seed), seed=seed), random.Random(seed)
    while not history.is_over and history.plies < plies:
        history.apply(int(choices.choice(history.state.legal_actions())))
    return history.to_record(), history.state


def as_json(record: GameRecord) -> bytes:
    return msgspec.json.encode(record)


def from_json(text: bytes) -> GameRecord:
    return msgspec.json.decode(text, type=GameRecord)


@every_game
def test_a_game_survives_json_and_is_replayed(game: Game) -> None:
    record, last = play(game, 3)
    read = from_json(as_json(record))
    assert read == pickle.loads(pickle.dumps(record)) == record
    positions = read.check()
    assert len(positions) == record.plies + 1
    assert positions[0] == game.new_state(3)
    assert positions[-1] == last
    assert (record.returns, record.scores) == (last.returns().tolist(), last.scores().tolist())
    assert (record.truncated, record.end) == (last.is_truncated, last.end_code)
    # The start may follow from the seed.
    assert msgspec.structs.replace(record, position=None).check()[-1] == last


def test_a_seed_of_several_words_may_be_long() -> None:
    state = tzaar_envs.load_game("tzaar").new_state([3, 2**70])
    record = GameHistory(state, seed=[3, 2**70]).to_record()
    record = msgspec.structs.replace(record, position=None)
    assert from_json(as_json(record)).start() == state


def test_what_has_its_default_is_left_out_as_returns_are_before_the_end() -> None:
    record, last = play(tzaar_envs.load_game("turm_und_waechter"), 1, plies=2)
    fields = set(msgspec.json.decode(as_json(record)))
    assert fields == {"record", "game", "options", "actions", "seed", "position", "scores"}
    assert as_json(record).startswith(b'{"record":1,"game":"turm_und_waechter_v0"')
    assert record.check()[-1] == last


def test_a_forfeit_names_its_culprit() -> None:
    game = tzaar_envs.load_game("tzaar")
    history = GameHistory(game.new_state(1), agents=["random", "greedy"], match=GameId(0, 5, 1))
    history.apply(int(history.state.legal_actions()[0]), MoveData(value=0.5, nodes=7))
    history.end_by_forfeit("time", "too slow")
    record = history.to_record()
    assert (record.culprit, record.scores, record.returns) == (1, None, [1.0, -1.0])
    assert record.move_data == [MoveData(value=0.5, nodes=7)]
    assert from_json(as_json(record)) == record
    assert record.check()[-1] == history.state
    assert msgspec.json.decode(as_json(record))["fault"] == "time"
    with pytest.raises(ValueError, match=r"returns: \[-1.0, 1.0\] is recorded"):
        msgspec.structs.replace(record, returns=[-1.0, 1.0]).check()


def test_a_game_outside_of_the_registry_is_given() -> None:
    record, last = play(ADDING, 1)
    assert record.check(ADDING)[-1] == last


def test_the_result_is_the_one_that_the_moves_give() -> None:
    record, _ = play(tzaar_envs.load_game("tzaar"), 1)
    assert record.returns is not None
    for returns in (record.returns[::-1], None):
        with pytest.raises(ValueError, match=r"returns: .* is recorded, but the moves give"):
            msgspec.structs.replace(record, returns=returns).check()
