"""A process that fuzzes one game: `worker.py GAME CALLS SEED NOTES`.

It prints the number of calls that it made, and the tracebacks of findings. Which call is running
stands in the file NOTES, so that it is known after a crash.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

for folder in (Path(__file__).parents[1], Path(__file__).parents[1] / "helpers"):
    sys.path.insert(0, str(folder))

from fuzz.calls import CALLS, Session  # noqa: E402

from tzaar_envs.core.game import Game  # noqa: E402

SECONDS = 300
"""How long a call may take, compilation included, before it counts as one that never returns."""

_METHODS_PER_EXAMPLE = 5


def fuzz(game: Game, examples: int, seed: int, note: Callable[[str], None]) -> int:
    """Make calls in so many sequences; return how many calls were made.

    Raises:
        Exception: a finding.
    """
    calls = 0

    @hypothesis.seed(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],  # a finding is told at once: its last call says enough
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(st.data())
    def sequence(data: st.DataObject) -> None:
        nonlocal calls
        session = Session(game, data.draw, note)
        methods = data.draw(
            st.lists(st.sampled_from(CALLS), min_size=1, max_size=_METHODS_PER_EXAMPLE)
        )
        try:
            for method in methods:
                method(session)
        finally:
            calls += session.calls

    sequence()
    return calls


def main(name: str, least: int, seed: int, notes: Path) -> None:
    """Fuzz until so many calls were made; `name` is that of one of `variants.GAMES`."""
    from variants import GAME_IDS, GAMES

    logging.disable()
    warnings.simplefilter("ignore")
    game = GAMES[GAME_IDS.index(name)]
    file = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    calls = 0

    def note(text: str) -> None:
        os.pwrite(file, f"{text[:300]:300}\n".encode("utf-8", "backslashreplace"), 0)
        faulthandler.dump_traceback_later(SECONDS, exit=True)

    findings = 0
    while calls < least:
        try:
            calls += fuzz(game, 20, seed, note)
        except BaseException as error:  # a finding: others may follow
            error.__notes__ = []  # all that was drawn, which is much
            findings += 1
            calls += 1  # so that it ends
            print(f"in {notes.read_text(encoding='utf-8').strip()}", file=sys.stderr)
            traceback.print_exc()
        seed += 1
        print(calls, flush=True)
    faulthandler.cancel_dump_traceback_later()
    sys.exit(findings > 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
