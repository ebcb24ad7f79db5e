"""Records of games: replayed, checked and refused."""

from __future__ import annotations

import pickle
import random
from typing import Any

import msgspec
import pytest
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
    assert read == record
    assert pickle.loads(pickle.dumps(record)) == record
    assert read.load_game() == game
    positions = read.check()
    assert len(positions) == record.plies + 1
    assert positions[0] == game.new_state(3)
    assert positions[-1] == last
    assert record.returns == last.returns().tolist()
    assert record.scores == last.scores().tolist()
    assert record.truncated == last.is_truncated


@every_game
def test_the_start_may_follow_from_the_seed(game: Game) -> None:
    record, last = play(game, 4)
    from_seed = msgspec.structs.replace(record, position=None)
    assert from_seed.check()[-1] == last


def test_what_has_its_default_is_left_out() -> None:
    record, _ = play(tzaar_envs.load_game("turm_und_waechter"), 1, plies=2)
    fields = set(msgspec.json.decode(as_json(record)))
    assert fields == {"record", "game", "options", "actions", "seed", "position", "scores"}
    assert as_json(record).startswith(b'{"record":1,"game":"turm_und_waechter_v0"')


def test_a_game_that_is_not_over_has_no_returns() -> None:
    record, last = play(tzaar_envs.load_game("tzaar"), 1, plies=5)
    assert record.returns is None
    assert record.check()[-1] == last


def test_a_forfeit_names_its_culprit() -> None:
    game = tzaar_envs.load_game("tzaar")
    history = GameHistory(game.new_state(1), agents=["random", "greedy"], match=GameId(0, 5, 1))
    history.apply(int(history.state.legal_actions()[0]), MoveData(value=0.5, nodes=7))
    history.end_by_forfeit("time", "too slow")
    record = history.to_record()
    assert (record.culprit, record.scores, record.returns) == (1, None, [1.0, -1.0])
    assert record.match == GameId(line_up=0, start=5, rotation=1)
    assert record.move_data[0] is not None
    assert record.move_data[0].nodes == 7
    assert from_json(as_json(record)).check()[-1] == history.state
    assert msgspec.json.decode(as_json(record))["fault"] == "time"
    with pytest.raises(ValueError, match="seat 0 is not to move after the last move"):
        msgspec.structs.replace(record, culprit=0).check()


GOOD: dict[str, Any] = {
    "record": 1,
    "game": "turm_und_waechter_v0",
    "options": {},
    "seed": 1,
    "actions": ["A7-B7-1", "D1-D2-1"],
}


def test_the_good_record_is_good() -> None:
    assert msgspec.convert(GOOD, GameRecord).check()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"record": 2}, r"Invalid value 2 - at `\$.record`"),
        ({"more": 1}, "unknown field `more`"),
        ({"game": 5}, r"Expected `str`, got `int` - at `\$.game`"),
        ({"options": []}, r"at `\$.options`"),
        ({"options": {"a": [1]}}, r"at `\$.options\[...\]`"),
        ({"seed": -1}, r"Expected `int` >= 0 - at `\$.seed`"),
        ({"seed": [1, -1]}, r"Expected `int` >= 0 - at `\$.seed\[1\]`"),
        ({"seed": True}, r"at `\$.seed`"),
        ({"seed": None}, "the start is unknown"),
        ({"actions": [7, "D1-D2-1"]}, r"Expected `str`, got `int` - at `\$.actions\[0\]`"),
        ({"outcomes": [[]]}, "outcomes: expected one entry for each of the 2 actions"),
        ({"outcomes": [[True], []]}, r"got `bool` - at `\$.outcomes\[0\]\[0\]`"),
        ({"outcomes": [[], [1.5]]}, r"Expected `int`, got `float` - at `\$.outcomes\[1\]\[0\]`"),
        ({"returns": [2.0, -1.0]}, r"Expected `float` <= 1.0 - at `\$.returns\[0\]`"),
        ({"scores": [None, 1.0]}, r"at `\$.scores\[0\]`"),
        ({"opening": 3}, "opening: 3 is more than the 2 actions"),
        ({"fault": "bad luck", "culprit": 0}, r"Invalid enum value 'bad luck' - at `\$.fault`"),
        ({"fault": "time"}, "fault and culprit: expected both or neither"),
        ({"culprit": 0}, "fault and culprit: expected both or neither"),
        ({"move_data": [None]}, "move_data: expected one entry for each of the 2 actions"),
        ({"move_data": [None, {"value": 3}]}, r"at `\$.move_data\[1\].value`"),
        ({"match": {"line_up": 0, "start": -1, "rotation": 0}}, r"at `\$.match.start`"),
    ],
)
def test_what_is_no_record_is_refused(change: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        from_json(msgspec.json.encode(GOOD | change))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"game": "chess_v0"}, "there is no game 'chess_v0'"),
        ({"options": {"setup": "fixed"}}, "has no option 'setup'"),
        ({"options": {"spec": 1}}, "has no option 'spec'"),
        ({"position": "x"}, "start position: .*expected 4 fields"),
        ({"position": "7/7/7/7/7/7/3RG3 r 1 0"}, "move 1: 'A7-B7-1' is not legal"),
        ({"actions": ["A7-B7-1", "A7-B7-1"]}, "move 2: 'A7-B7-1'"),
        ({"actions": ["A7-B7-1", "__import__('os')"]}, "move 2: "),
        ({"outcomes": [[], [3]]}, r"move 2: outcome \(3,\): 1 numbers, but 0 are needed"),
        ({"outcomes": [[], [2**70]]}, "move 2: outcome .*: use at most 128 numbers"),
        ({"outcomes": [[], [0] * 129]}, r"move 2: outcome \(0, 0, "),
        ({"returns": [1.0, -1.0]}, "the game is not over after its last move"),
        ({"scores": [1.0, -1.0]}, r"scores: \[1.0, -1.0\] is recorded, but the moves give \[0.0"),
        ({"scores": [0.0]}, "scores: expected one for each of the 2 seats"),
        ({"agents": ["random"]}, "agents: expected one for each of the 2 seats"),
        ({"truncated": True}, "truncated: True is recorded, but the moves give False"),
    ],
)
def test_what_cannot_have_been_is_refused(change: dict[str, Any], error: str) -> None:
    record = from_json(msgspec.json.encode(GOOD | change))
    with pytest.raises(ValueError, match=error):
        record.check()


def test_the_result_is_the_one_that_the_moves_give() -> None:
    record, _ = play(tzaar_envs.load_game("tzaar"), 1)
    assert record.returns is not None
    swapped = msgspec.structs.replace(record, returns=record.returns[::-1])
    with pytest.raises(ValueError, match=r"returns: .* is recorded, but the moves give"):
        swapped.check()
    missing = msgspec.structs.replace(record, returns=None)
    with pytest.raises(ValueError, match="returns: None is recorded, but the moves give"):
        missing.check()
