"""The fuzzer: calls of the whole public API with wrong arguments, on all games.

    python tests/fuzz/run.py                        # 20,000 calls, half of them with bounds checks
    python tests/fuzz/run.py --calls 500 zatre      # fewer, on the games whose name begins so
    python tests/fuzz/run.py --checks off --seed 7  # without bounds checks, other calls

Every game is fuzzed in processes of its own, so that a crash is a finding like an exception or a
call that never returns. `NUMBA_BOUNDSCHECK=1` makes compiled code raise where it would read or
write outside of an array; that code has a compile cache of its own, in which the first run fills
minutes. The exit status is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HELPERS = Path(__file__).parents[1] / "helpers"
LIMIT = 3600  # seconds for the calls of one game


class Outcome(NamedTuple):
    """What came of fuzzing one game.

    Attributes:
        calls: how many were made.
        finding: the end of the error output and the call that was running; empty if all is well.
    """

    calls: int
    finding: str


def fuzz(name: str, calls: int, seed: int, *, bounds_checks: bool) -> Outcome:
    """Make so many calls on one of `variants.GAMES`, in a process of its own."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": str(int(bounds_checks))}
    if bounds_checks:
        environment["TZAAR_ENVS_CACHE_DIR"] = str(_cache() / "boundscheck")
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        command = [sys.executable, str(Path(__file__).with_name("worker.py"))]
        try:
            done = subprocess.run(
                [*command, name, str(calls), str(seed), str(notes)],
                env=environment,
                capture_output=True,
                text=True,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome(0, f"not finished after {LIMIT} s in {notes.read_text().strip()}")
        made = int(([0, *done.stdout.split()])[-1])
        if done.returncode == 0:
            return Outcome(made, "")
        running = notes.read_text(errors="replace").strip() if notes.exists() else "the start"
        return Outcome(made, f"exit {done.returncode} in {running}\n{done.stderr[-12000:]}")


def _cache() -> Path:
    from tzaar_envs.jit.compile import cache_root

    return cache_root()


def game_names(beginning: str) -> list[str]:
    """Return the names of the variants of games that begin so."""
    sys.path.insert(0, str(HELPERS))
    from variants import GAME_IDS

    return [name for name in GAME_IDS if name.startswith(beginning)]


def default_variants() -> list[str]:
    """Return the name of each game's first variant, and of two with more players."""
    names = game_names("")
    first = {name.partition("-")[0]: name for name in reversed(names)}
    more = [name for name in names if "players=4" in name or "players=6" in name]
    return sorted({*first.values(), *more})


def main() -> None:
    """Fuzz, print a table, and exit with 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?", default="", help="the beginning of the game's name")
    parser.add_argument("--calls", type=int, default=20_000, help="how many in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checks", choices=("on", "off", "both"), default="both")
    arguments = parser.parse_args()
    names = game_names(arguments.game) if arguments.game else default_variants()
    modes = {"on": [True], "off": [False], "both": [True, False]}[arguments.checks]
    each = -(-arguments.calls // (len(names) * len(modes)))
    findings, total = 0, 0
    for name in names:
        for bounds_checks in modes:
            outcome = fuzz(name, each, arguments.seed, bounds_checks=bounds_checks)
            total += outcome.calls
            findings += bool(outcome.finding)
            mode = "bounds checks" if bounds_checks else "as installed"
            print(f"{name}: {outcome.calls} calls, {mode}: {outcome.finding or 'ok'}", flush=True)
    print(f"{total} calls, {findings} findings")
    sys.exit(findings > 0)


if __name__ == "__main__":
    main()
