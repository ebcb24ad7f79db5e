"""Plants faults in copies of games and reports what the compliance kit finds.

    python tests/faults/check_kit.py                    # all, as a Markdown table; takes minutes
    python tests/faults/check_kit.py masks-all-act end  # single ones, or those of a check

A fault counts as found if the check that its name begins with has a finding. Faults that show
uncompiled, which are most, are planted one after the other in one process for each game.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fault import read_faults

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "tests" / "thirdparty", ROOT / "tzaar_envs" / "games")
TIMEOUT = 1800  # seconds


@dataclass(frozen=True)
class KitFault:
    """A broken promise in a copy of a game's package.

    Wrong rules that keep every promise are none: only another source of the rules shows those.

    Attributes:
        name: unique; it begins with the check that finds it.
        why: what the mistake is.
        file: of the package.
        new: the text in the place of `old`.
        old: a text that occurs once; if empty, the new text comes at the end.
        package: of the game.
        compiled: whether it shows only when the game is compiled.
    """

    name: str
    why: str
    file: str
    new: str
    old: str = ""
    package: str = "connect_four"
    compiled: bool = False

    @property
    def check(self) -> str:
        """The check that finds it."""
        return self.name.partition("-")[0]


FAULTS = tuple(KitFault(**fault) for fault in read_faults("faults_for_the_kit_*.toml"))

Found = dict[str, list[tuple[str, str]]]
"""The findings of every fault, as pairs of check and text."""


def plant(fault: KitFault, folder: Path) -> str:
    """Write a copy of the package with the fault into a folder; return its import name.

    Raises:
        ValueError: the text of the fault does not occur once.
    """
    source = next(each / fault.package for each in FOLDERS if (each / fault.package).exists())
    name = f"{fault.package}_{fault.name.replace('-', '_')}"
    copied = folder / name
    shutil.copytree(source, copied, ignore=shutil.ignore_patterns("__pycache__"))
    file = copied / fault.file
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if fault.old:
        if text.count(fault.old) != 1:
            raise ValueError(f"{fault.name}: its text occurs {text.count(fault.old)} times")
        text = text.replace(fault.old, fault.new)
    else:
        text += fault.new
    file.write_text(text, encoding="utf-8")
    for module in copied.glob("*.py"):
        content = module.read_text(encoding="utf-8")
        content = content.replace(f"tzaar_envs.games.{fault.package}", name)
        content = content.replace(f"from {fault.package} import", f"from {name} import")
        module.write_text(content, encoding="utf-8")
    return name


def columns_with_room(state: Any) -> list[int]:
    """Return the legal actions of connect four, from its notation."""
    first_row = str(state).partition("/")[0]
    return [column for column, cell in enumerate(first_row) if cell == "."]


def check(fault: KitFault, folder: Path, games: int) -> list[tuple[str, str]]:
    """Plant a fault and return what the kit finds."""
    from tzaar_envs.testing import check_game

    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        spec = importlib.import_module(plant(fault, folder)).SPEC
    finally:
        sys.path.remove(str(folder))
    sys.path.append(str(folder))  # for the rules, and for child processes
    legal = columns_with_room if fault.package == "connect_four" else None
    options = {option.name: option.default for option in spec.options}
    found = check_game(spec, None if legal else options, legal=legal, games=games)
    return [(finding.check, str(finding)) for finding in found]


def worker(names: Sequence[str], games: int) -> None:
    """Check faults in this process; print the findings as JSON, a line for each fault."""
    faults = {fault.name: fault for fault in FAULTS}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            found = check(faults[name], Path(folder), games)
            print(f"FOUND {json.dumps([name, found])}", flush=True)


def check_in_process(faults: Iterable[KitFault], compiled: bool, games: int = 3) -> Found:
    """Check faults in another process."""
    names = [fault.name for fault in faults]
    done = subprocess.run(
        [sys.executable, __file__, "--worker", "--games", str(games), *names],
        env={**os.environ, "NUMBA_DISABLE_JIT": str(int(not compiled))},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    found: Found = dict(json.loads(line.removeprefix("FOUND ")) for line in lines)
    if done.returncode:
        print(f"exit status {done.returncode}: {done.stderr[-2000:]}", file=sys.stderr)
    return found


def is_found(fault: KitFault, found: Found) -> bool:
    """Return whether the check that a fault is named after has a finding."""
    return any(name == fault.check for name, _ in found.get(fault.name, []))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="faults or checks; all without any")
    parser.add_argument("--games", type=int, default=3, help="random games for each fault")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        worker(arguments.names, arguments.games)
        return
    wanted = {*arguments.names}
    chosen = [each for each in FAULTS if not wanted or {each.name, each.check} & wanted]
    found: Found = {}
    for package in sorted({fault.package for fault in chosen}):
        mine = [fault for fault in chosen if fault.package == package]
        plain = [fault for fault in mine if not fault.compiled]
        found |= check_in_process(plain, compiled=False, games=arguments.games) if plain else {}
        for fault in mine:
            if fault.compiled:
                found |= check_in_process([fault], compiled=True, games=arguments.games)
    print("| mistake | game | found | finding |\n|---|---|---|---|")
    for fault in chosen:
        texts = [text for name, text in found.get(fault.name, []) if name == fault.check]
        others = [text for _, text in found.get(fault.name, [])]
        text = (texts or others or [""])[0].replace("|", "\\|")
        print(f"| {fault.why} | {fault.package} | {'yes' if texts else 'no'} | {text[:220]} |")
    count = sum(is_found(fault, found) for fault in chosen)
    print(f"\n{count} of {len(chosen)} faults are found.")
    sys.exit(count < len(chosen))


if __name__ == "__main__":
    main()
