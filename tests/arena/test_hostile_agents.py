"""Nothing that an agent raises, answers or reports stops a tournament."""

from __future__ import annotations

import logging
import os
import signal
import threading
from pathlib import Path

import pytest
from small_games.adding import ADDING_FOR_TWO
from small_games.agents import (
    Boastful,
    Hoarder,
    Immense,
    Interrupter,
    Lowest,
    OnlyHere,
    Presser,
    Quitter,
    Seedless,
    Swallower,
)

from tzaar_envs.arena import play_tournament, players, read_standings
from tzaar_envs.arena.plan import AgentSource
from tzaar_envs.core.state import State
from tzaar_envs.system import silence
from tzaar_envs.system.memory import has_memory_limits


@pytest.mark.parametrize("workers", [1, 2])
def test_the_tournament_goes_on(workers: int, tmp_path: Path) -> None:
    agents = [Lowest, Quitter, Immense, Interrupter, Seedless, Boastful, OnlyHere(os.getpid())]
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, agents, path, 2, workers=workers)
    assert len(result.games) == 2 * 21
    assert not result.interrupted
    faults: dict[str, set[tuple[str | None, str | None]]] = {}
    for game in result.games:
        if game.culprit is not None:
            culprit = game.agents[game.culprit].rpartition(":")[2]
            faults.setdefault(culprit, set()).add((game.forfeit, game.error))
    expected = {
        "Quitter": {("exception", "Unmanageable")},
        "Interrupter": {("exception", "KeyboardInterrupt:")},
        "Seedless": {("exception", "GeneratorExit:")},
        "Immense": {("illegal action", "it answered a number of 16610 bits")},
    }
    if workers > 1:
        expected["OnlyHere"] = {("exception", "SystemExit: not there")}
    assert {name: faults[name] for name in expected} == expected
    # What it reports cannot be recorded, which costs it the game.
    assert {fault for fault, _ in faults["Boastful"]} == {"exception"}
    assert len(read_standings([path]).games) == len(result.games)


def test_ctrl_c_while_an_agent_thinks_ends_the_tournament(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, [Lowest, Presser], path, 2)
    assert result.interrupted
    assert result.games == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_an_agent_catches_ends_the_tournament(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, [Lowest, Swallower], path, 4)
    assert result.interrupted
    assert 0 < len(result.games) < 4


def test_an_agent_that_cannot_be_made_in_its_own_process_is_blamed(tmp_path: Path) -> None:
    agents: list[AgentSource] = [Lowest, OnlyHere(os.getpid())]
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, agents, path, 2, move_seconds=60)
    assert [(game.forfeit, game.error) for game in result.games] == [
        ("exception", "SystemExit: not there")
    ] * 2


@pytest.mark.skipif(not has_memory_limits(), reason="this system has no such limits")
def test_an_agent_that_needs_too_much_memory_loses_the_game(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, [Lowest, Hoarder], path, 2, memory_gib=1)
    assert len(result.games) == 2
    for game in result.games:
        assert game.culprit is not None
        assert game.agents[game.culprit].endswith("Hoarder")
        assert game.forfeit in ("exception", "crash")


@pytest.mark.parametrize("memory_gib", [0, -1, float("nan"), float("inf")])
def test_limits_that_are_none_are_refused(memory_gib: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not allowed: use a number above 0"):
        play_tournament(
            ADDING_FOR_TWO, [Lowest, Hoarder], tmp_path / "r.jsonl", 2, memory_gib=memory_gib
        )


def test_an_agent_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can end it in this process; it ends here when it has been named."""
    named: list[str] = []
    was_named = threading.Event()

    class Notice(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            named.append(record.getMessage())
            was_named.set()

    class Thinker(Lowest):
        name = "thinker\x1b[2J"

        def in_trouble(self, position: State) -> int:
            assert was_named.wait(60)
            return super().in_trouble(position)

    monkeypatch.setattr(silence, "PATIENCE", 0.05)
    monkeypatch.setattr(players._watch, "_thread", None)  # the running one looks too rarely
    log, notice = logging.getLogger("tzaar_envs.arena"), Notice()
    log.addHandler(notice)
    try:
        result = play_tournament(ADDING_FOR_TWO, [Lowest, Thinker], tmp_path / "r.jsonl", 2)
    finally:
        log.removeHandler(notice)
    assert all(game.forfeit is None for game in result.games)
    assert r"thinker\x1b[2J has not answered for 0.05 seconds" in named[0]
    assert "--move-seconds" in named[0]
