"""Nothing that an agent raises, answers or reports stops a tournament; Ctrl-C does."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from small_games.adding import ADDING_FOR_TWO
from small_games.agents import Boastful, Leaver, Lowest, Presser, Seedless

from tzaar_envs.arena import play_tournament, read_standings


@pytest.mark.parametrize("workers", [1, 2])
def test_the_tournament_goes_on(workers: int, tmp_path: Path) -> None:
    agents = [Lowest, Leaver, Seedless, Boastful]
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, agents, path, 2, workers=workers)
    assert len(result.games) == 2 * 6
    assert not result.interrupted
    found: dict[str, set[tuple[str | None, str | None]]] = {}
    for game in result.games:
        if game.culprit is not None:
            culprit = game.agents[game.culprit].rpartition(":")[2]
            found.setdefault(culprit, set()).add((game.forfeit, game.error))
    expected = {
        "Leaver": {("exception", "SystemExit: enough")},
        "Seedless": {("exception", "ValueError: no seeds")},
    }
    assert {name: found[name] for name in expected} == expected
    # What it reports cannot be recorded, which costs it the game.
    assert {forfeit for forfeit, _ in found["Boastful"]} == {"exception"}
    assert len(read_standings([path]).games) == len(result.games)


def test_ctrl_c_while_an_agent_thinks_ends_the_tournament(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, [Lowest, Presser], path, 2)
    assert result.interrupted
    assert result.games == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
