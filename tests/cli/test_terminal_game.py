"""Sessions of a person against agents, with the person's lines given beforehand."""

import contextlib
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tzaar_envs import load_game
from tzaar_envs.arena.history import HUMAN, GameHistory
from tzaar_envs.cli.terminal_game import TerminalGame, load_saved_game, start_history
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.replay.text import list_moves

# White captures the last black Tzaar with A1xA2 and has won.
TZAAR_ENDGAME = "Z,z,.,.,./R,r,.,.,.,./T,t,.,.,.,.,./.,.,.,.,.,.,.,./.,.,.,.,.,.,.,."
TZAAR_ENDGAME += "/.,.,.,.,.,.,.,./.,.,.,.,.,.,./.,.,.,.,.,./.,.,.,.,. w 1 -"


class Terminal:
    """Enters lines one by one, then raises; keeps what is shown."""

    def __init__(self, lines: Iterable[str], end: type[BaseException] = EOFError) -> None:
        self._lines = iter(lines)
        self._end = end
        self.shown: list[str] = []

    def ask(self, prompt: str) -> str:
        self.shown.append(prompt)
        for line in self._lines:
            return line
        raise self._end

    @property
    def text(self) -> str:
        return "\n".join(self.shown)


Start = Callable[..., tuple[TerminalGame, Terminal]]


def begun(
    game: Game,
    seed: int = 1,
    position: str | None = None,
    opponent: str = "greedy",
    seats: tuple[int, ...] = (0,),
) -> GameHistory:
    """Return a new game of persons in these seats."""
    agents = [HUMAN if seat in seats else opponent for seat in range(game.num_players)]
    return start_history(game, seed, position, agents)


@pytest.fixture
def start(tmp_path: Path) -> Start:
    def make(
        game: str, lines: Iterable[str], end: type[BaseException] = EOFError, **changes: Any
    ) -> tuple[TerminalGame, Terminal]:
        options = changes.pop("options", {})
        opponent = changes.get("opponent", "greedy")
        history = begun(load_game(game, **options), **changes)
        terminal = Terminal(lines, end)
        path = tmp_path / "game.jsonl"
        session = TerminalGame(history, opponent, path, terminal.ask, terminal.shown.append)
        return session, terminal

    return make


# --- Moves ----------------------------------------------------------------------------------------


def test_a_move_is_played_and_answered(start: Start) -> None:
    session, terminal = start("turm_und_waechter", ["a7-b7-1"])
    session.run()
    assert session.history.moves[0] == "A7-B7-1"
    assert len(session.history.moves) == 2
    assert f"Blue (greedy) plays {session.history.moves[1]}" in terminal.text
    assert session.state.current_player == 0


def test_a_turn_of_two_actions_stays_with_the_person(start: Start) -> None:
    state = load_game("tzaar").new_state(1)
    first = state.action_name(int(state.legal_actions()[0]))
    session, _ = start("tzaar", [first, "hint"])
    session.run()
    # White's single opening capture, Black's two actions, then it is White's first of two.
    assert len(session.history.moves) == 3
    assert session.state.current_player == 0
    move = session.state.action_name(int(session.state.legal_actions()[0]))
    again = TerminalGame(
        session.history, "greedy", session.path, Terminal([move]).ask, lambda text: None
    )
    again.run()
    assert len(session.history.moves) == 4
    assert again.state.current_player == 0


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("a7", "expected FROM-TO-stones"),
        ("A7-B7", "only a guard's move may leave out the stones"),
        ("d7-d5-1", "move 'd7-d5-1': expected FROM-TO-stones along a rank or a file"),
        ("d7-d5-2", "the legal moves from 'd7' are D7-C7-1, D7-D6-1, D7-E7-1"),
        ("A4-A5-1", "'A4-A5-1' is not legal: no legal move starts with 'A4'"),
        ("mvoes", "move 'mvoes': expected FROM-TO-stones"),
        ("moves x9", "no legal move starts with 'x9': they start with A7, B7"),
        ("undo", "there is nothing to undo: you have not moved yet"),
        ("", "Enter a move, or one of: moves, hint"),
    ],
)
def test_a_wrong_line_is_explained_and_asked_again(start: Start, line: str, error: str) -> None:
    session, terminal = start("turm_und_waechter", [line, "A7-B7-1"])
    session.run()
    assert error in " ".join(terminal.text.split())
    assert session.history.moves[:1] == ["A7-B7-1"]


def test_every_legal_move_is_listed_within_the_width() -> None:
    for options in ({"setup": "fixed"}, {"setup": "tournament"}):
        state = load_game("tzaar", **options).new_state()
        text = list_moves(state)
        names = {state.action_name(action) for action in state.legal_actions()}
        assert names <= set(text.split())
        assert text.startswith(f"{len(names)} legal moves:")
        assert max(len(line) for line in text.splitlines()) <= 78


# --- Commands -------------------------------------------------------------------------------------


def test_hint_is_a_legal_move_and_plays_nothing(start: Start) -> None:
    for opponent in ("greedy", "random"):
        session, terminal = start("tzaar", ["hint", "hint"], opponent=opponent)
        session.run()
        hints = [line for line in terminal.shown if "would play" in line]
        assert len(hints) == 2
        assert hints[0] == hints[1]
        assert hints[0].startswith("greedy would play ")
        session.state.parse_action(hints[0].rpartition(" ")[2])
        assert session.history.moves == []


def test_undo_goes_back_one_decision_at_a_time(start: Start) -> None:
    session, _ = start("tzaar", [])
    for _ in range(3):  # the opening capture, then both actions of the next turn
        move = session.state.action_name(int(session.state.legal_actions()[0]))
        TerminalGame(
            session.history, "greedy", session.path, Terminal([move]).ask, lambda text: None
        ).run()
        session = TerminalGame(
            session.history, "greedy", session.path, session._ask, lambda text: None
        )
    played = list(session.history.moves)
    assert len(played) >= 5
    terminal = Terminal(["undo", "position", "undo", "position", "undo", "undo"])
    undoing = TerminalGame(
        session.history, "greedy", session.path, terminal.ask, terminal.shown.append
    )
    undoing.run()
    # Both actions of the turn are decisions of their own.
    counts = [text for text in terminal.shown if text.startswith("Taken back")]
    assert counts[0] == f"Taken back: {len(played) - 4} move{'s' if len(played) > 5 else ''}"
    assert counts[1:] == ["Taken back: 1 move", "Taken back: 3 moves"]
    assert "there is nothing to undo: you have not moved yet" in terminal.shown
    assert undoing.state == undoing.history.positions[0]


def test_the_end_says_who_won_and_can_be_undone(start: Start) -> None:
    session, terminal = start(
        "tzaar", ["A1xA2", "moves", "A1xA2", "undo", "hint"], position=TZAAR_ENDGAME
    )
    session.run()
    assert "You win." in terminal.shown
    assert "Black has no visible Tzaar left." in terminal.shown
    assert terminal.text.count("the game is over: enter undo") == 2
    assert "Taken back: 1 move" in terminal.shown
    assert not session.state.is_terminal


# --- Nothing is lost ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["tzaar", "turm_und_waechter"])
@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
def test_the_game_can_be_resumed(start: Start, game: str, end: type[BaseException]) -> None:
    state = load_game(game).new_state(1)
    move = state.action_name(int(state.legal_actions()[0]))
    session, terminal = start(game, [move], end)
    with contextlib.suppress(KeyboardInterrupt):
        session.run()
    assert f"\ntzaar-envs play --resume {session.path}\n" in terminal.text + "\n"
    loaded, opponent = load_saved_game(session.path)
    assert loaded.to_record() == session.history.to_record()
    assert loaded.state == session.state
    resumed = Terminal([])
    TerminalGame(loaded, opponent, session.path, resumed.ask, resumed.shown.append).run()
    assert f"{len(loaded.moves)} moves so far" in resumed.text


def test_an_opponent_that_crashes_loses_and_the_game_is_saved(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, terminal = start("turm_und_waechter", ["A7-B7-1"])

    def crash(position: object) -> int:
        raise RuntimeError("out of ideas")

    monkeypatch.setattr(session._opponent, "act_batch", crash)
    session.run()
    assert "Blue has lost the game: RuntimeError: out of ideas" in terminal.text
    saved, _ = load_saved_game(session.path)
    assert (saved.moves, saved.forfeit) == (["A7-B7-1"], "exception")
    assert "--resume" in terminal.text


# --- Chance, hidden information and points --------------------------------------------------------

Finished = tuple[TerminalGame, list[str]]


@pytest.fixture(scope="module", params=["twenty_one", "zatre"])
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A game for three that a person in seat 0 has played to its end, and what was shown."""
    history = begun(load_game(request.param, players=3), 5)
    shown: list[str] = []

    def ask(prompt: str) -> str:
        if session.state.is_terminal:
            raise EOFError
        return session.state.action_name(int(session.state.legal_actions()[0]))

    path = tmp_path_factory.mktemp("game") / "it.json"
    session = TerminalGame(history, "greedy", path, ask, shown.append)
    session.run()
    return session, shown


def content_of(finished: Finished) -> dict[str, Any]:
    """Return the record in a saved game."""
    content: dict[str, Any] = json.loads(finished[0].path.read_text().splitlines()[1])
    return content


def write(path: Path, record: dict[str, Any], **header: Any) -> None:
    """Write a saved game."""
    lines = [HEADER | header, record]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_game_of_chance_is_saved_and_replayed(finished: Finished) -> None:
    session, _ = finished
    loaded, _ = load_saved_game(session.path)
    assert loaded.to_record() == session.history.to_record()
    assert loaded.positions == session.history.positions
    assert sum(map(len, loaded.to_record().outcomes)) > 10
    assert loaded.to_record().scores == session.state.scores().tolist()
    assert loaded.to_record().end == session.state.end_code


def test_the_outcomes_in_the_file_count_not_those_of_the_seed(
    finished: Finished, tmp_path: Path
) -> None:
    session, _ = finished
    path = tmp_path / "other.jsonl"
    write(path, content_of(finished) | {"seed": 6})
    loaded, _ = load_saved_game(path)
    assert loaded.positions == session.history.positions
    outcomes = loaded.to_record().outcomes
    number = next(index for index, outcome in enumerate(outcomes) if outcome)
    drawn = loaded.positions[0].clone()
    for move in loaded.moves[: number + 1]:
        drawn.apply(drawn.parse_action(move))
    assert drawn.last_outcome != tuple(outcomes[number])
    assert drawn != session.history.positions[number + 1]


def hands_on(board: str) -> dict[str, str]:
    """Return what each seat holds on a board of Zatre, as it is shown."""
    hands = re.findall(r"P(\d):([ \d?+]*)", board)
    return {f"Player {seat}": tiles.replace(" ", "") or "-" for seat, tiles in hands}


@pytest.mark.parametrize("seats", [(0,), (2,), (0, 1)])
def test_only_the_own_hand_is_shown(start: Start, seats: tuple[int, ...]) -> None:
    fields = str(load_game("zatre", players=3).new_state(4)).split()
    fields[1:3] = [str(seats[0]), "125/136/24"]  # the seat to act, and all hands
    position = " ".join(fields)
    session, terminal = start(
        "zatre", [], options={"players": 3}, seats=seats, position=position, seed=4
    )
    names = session.history.game.layout.seat_names
    looked: list[tuple[str, State]] = []

    def ask(prompt: str) -> str:
        looked.append((prompt, session.state))
        if len(looked) == 12:
            raise EOFError
        return session.state.action_name(int(session.state.legal_actions()[0]))

    session._ask = ask
    session.run()
    boards = [hands for text in terminal.shown if (hands := hands_on(text))]
    assert len(boards) == len(looked) == 12
    for hands, (prompt, state) in zip(boards, looked, strict=True):
        all_hands = hands_on(state.draw(colour=False))
        for name in names:
            if prompt == f"{name}> ":
                assert hands[name] == all_hands[name]
            else:
                assert set(hands[name]) <= {"?"} or hands[name] == all_hands[name] == "-"
                assert len(hands[name]) == len(all_hands[name])
    assert any("?" in "".join(hands.values()) for hands in boards)


def test_secret_choices_stay_secret_after_undo_and_resuming(start: Start) -> None:
    # Player 0 has the first turn; in the second one both others choose before it.
    lines = ["keep", "strike"]
    session, terminal = start("twenty_one", lines, options={"players": 3}, opponent="random")
    session.run()
    moves = list(session.history.moves)
    assert [position.current_player for position in session.history.positions] == [
        0,
        0,
        1,
        2,
        1,
        1,
        2,
        0,
    ]
    assert all(f"plays {move}" not in terminal.shown[-1] for move in moves[5:])

    resumed = Terminal(["strike"])
    TerminalGame(
        *load_saved_game(session.path), session.path, resumed.ask, resumed.shown.append
    ).run()
    assert "7 moves so far" in resumed.shown
    assert not any(move in " ".join(resumed.shown[:4]) for move in moves[5:])
    told = [text for text in resumed.shown if " plays " in text]
    assert told[:2] == [f"Player {n} (random) plays {moves[n + 4]}" for n in (1, 2)]


# --- Files that are wrong -------------------------------------------------------------------------

HEADER = {"format": "tzaar-envs games", "format_version": 1}
