"""Plants faults in a copy of the tree and reports which of them the tests catch.

    python tests/faults/plant.py                     all faults, results in faults.jsonl
    python tests/faults/plant.py tzaar mcts-cheats   those of a suite, or single ones
    python tests/faults/plant.py --check             only whether every fault can be planted, and
                                                     the tests that should catch it exist
    python tests/faults/plant.py --earlier old.jsonl --results new.jsonl
    python tests/faults/plant.py --table new.jsonl old.jsonl

With `--earlier`, the test that caught a fault in an earlier run is tried first, which takes seconds
where whole suites take minutes. Faults whose result is in the file already are skipped, so a run
that was stopped continues with the same command. A test that fails without the fault too does not
count; one that hangs does. `--folder` keeps the compiled code for another run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fault import FAULTS, SUITES, Fault, Suite

TIMEOUT = 600  # seconds
PARTS = ("tzaar_envs", "wrappers", "training")
COPIED = (*PARTS, "tests", "docs", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")
HERE = Path(__file__).resolve().parents[2]  # the checkout of this script


class Workshop:
    """A copy of a checkout in which faults are planted one at a time.

    The copy keeps its place and its compilation cache between faults, and between runs in the same
    folder: only what a fault touches is compiled again.

    Args:
        tree: the checkout.
        python: an interpreter that can run its tests.
        folder: where the copy goes.
    """

    def __init__(self, tree: Path, python: Path, folder: Path) -> None:
        self.tree = folder / "tree"
        self._cache = folder / "cache"
        self._passing: set[str] = set()  # tests that pass without a fault
        shutil.rmtree(self.tree, ignore_errors=True)
        _copy(tree, self.tree)
        self._python = _interpreter(python, self.tree, folder / "venv")

    def places(self, fault: Fault) -> list[Path]:
        """Return the files in which a fault can be planted: one if all is well."""
        return [
            file
            for file in self._sources()
            if fault.within in file.relative_to(self.tree).as_posix()
            for _ in range(file.read_text(encoding="utf-8").count(fault.old))
        ]

    def _sources(self) -> Iterator[Path]:
        for part in PARTS:
            for file in sorted((self.tree / part).rglob("*.py")):
                if not any(parent.is_symlink() for parent in file.parents):
                    yield file

    @contextlib.contextmanager
    def planted(self, fault: Fault) -> Iterator[None]:
        """Plant a fault, and remove it in the end.

        Raises:
            ValueError: there is not exactly one place for it.
        """
        places = self.places(fault)
        if len(places) != 1:
            raise ValueError(f"{fault.name}: its text occurs {len(places)} times, not once")
        text = places[0].read_text(encoding="utf-8")
        with self.edited(places[0], text.replace(fault.old, fault.new)):
            yield

    @contextlib.contextmanager
    def edited(self, file: Path, text: str) -> Iterator[None]:
        """Give a file another text, and its own again in the end."""
        right, stat = file.read_text(encoding="utf-8"), file.stat()
        kept = self._digests()
        file.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(right, encoding="utf-8")
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            for digest in self._digests() - kept:
                shutil.rmtree(digest, ignore_errors=True)

    def _digests(self) -> set[Path]:
        return set(self._cache.iterdir()) if self._cache.exists() else set()

    def first_failure(self, suite: Suite, left_out: set[str]) -> str | None:
        """Run the tests of a suite but for some; return the first that fails, None if none does."""
        options = ["-x", *(f"--deselect={test}" for test in left_out)]
        if suite.keyword:
            options += ["-k", suite.keyword]
        paths = [f"tests/{path}" for path in suite.paths if (self.tree / "tests" / path).exists()]
        code, output = self._run([*paths, *options], suite.compiled)
        if code is None:
            return f"no end after {TIMEOUT} s"
        if code == 0:
            return None
        found = re.search(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", output, re.MULTILINE)
        return found[1] if found else f"pytest ended with {code}: {output[-500:]}"

    def fails(self, test: str, compiled: bool) -> bool:
        """Return whether a test fails now; not if there is no such test."""
        return test.startswith("tests/") and self._run([test], compiled)[0] == 1

    def fails_without_fault(self, test: str, compiled: bool) -> bool:
        """Return whether a test fails while nothing is planted."""
        if test in self._passing:
            return False
        failing = self.fails(test, compiled)
        if not failing:
            self._passing.add(test)
        return failing

    def _run(self, arguments: list[str], compiled: bool) -> tuple[int | None, str]:
        """Run pytest; return its exit code, None if it does not end, and what it wrote."""
        command = [str(self._python), "-m", "pytest", "-rfE", "--tb=line", "-p", "no:cacheprovider"]
        command += ["-o", "addopts=--strict-markers --import-mode=importlib", *arguments]
        environment = {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
            "TZAAR_ENVS_CACHE_DIR": str(self._cache),
            "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        }
        environment.pop("PYTHONPATH", None)
        with subprocess.Popen(
            command,
            cwd=self.tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                return None, ""
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        return process.returncode, output


def _copy(tree: Path, target: Path) -> None:
    """Copy a checkout, with the time stamps that the compilation cache looks at."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    target.mkdir(parents=True)
    for name in COPIED:
        source = tree / name
        if source.is_dir():
            shutil.copytree(source, target / name, symlinks=True, ignore=ignored)
        elif source.exists():
            shutil.copy2(source, target / name)
    # Checkouts that map these folders in pyproject.toml alone have no such links.
    for part in ("wrappers", "training"):
        link = target / "tzaar_envs" / part
        if not link.is_symlink():
            link.symlink_to(Path("..") / part)


def _interpreter(python: Path, tree: Path, venv: Path) -> Path:
    """Return an interpreter that imports the package from a tree, all else as another one does."""
    name = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    if not (venv / name).exists():
        subprocess.run([str(python), "-m", "venv", "--without-pip", str(venv)], check=True)
        code = "import json, sys; print(json.dumps([p for p in sys.path if p]))"
        path = json.loads(subprocess.check_output([str(python), "-I", "-c", code], text=True))
        packages = [place for place in path if "site-packages" in place]
        (site,) = venv.rglob("site-packages")
        (site / "tree.pth").write_text("\n".join([str(tree), *packages]) + "\n")
    return venv / name


def catch(
    workshop: Workshop, fault: Fault, left_out: set[str], likely: str | None = None
) -> str | None:
    """Return the first test that fails with a fault but not without it, None if there is none.

    Args:
        workshop: where to plant.
        fault: what to plant.
        left_out: the tests that fail without a fault, as far as they are known; more are added.
        likely: a test that is tried before the others.
    """
    if likely:
        compiled = SUITES[_suite_of(fault, likely)].compiled
        with workshop.planted(fault):
            failed = workshop.fails(likely, compiled)
        if failed and not workshop.fails_without_fault(likely, compiled):
            return likely
    for name in (SUITES[fault.suite].first, fault.suite):
        if not name:
            continue
        suite = SUITES[name]
        while True:
            with workshop.planted(fault):
                failed = workshop.first_failure(suite, left_out)
            if failed is None:
                break
            if not workshop.fails_without_fault(failed, suite.compiled):
                return failed
            print(f"{failed} fails without a fault: left out", flush=True)
            left_out.add(failed)
    return None


def _suite_of(fault: Fault, test: str) -> str:
    """Return the name of the suite of a fault that a test belongs to: the faster one of two."""
    first = SUITES[fault.suite].first
    if first and any(test.startswith(f"tests/{path}") for path in SUITES[first].paths):
        return first
    return fault.suite


def run(
    workshop: Workshop, faults: list[Fault], results: Path, earlier: dict[str, dict[str, Any]]
) -> None:
    """Plant faults one after the other and append what became of them to a file.

    Args:
        workshop: where to plant.
        faults: what to plant.
        results: the file; what it has is not done again.
        earlier: results of another run, whose tests are tried first.
    """
    done = read(results)
    left_out: set[str] = set()
    for number, fault in enumerate(faults, start=1):
        if fault.name in done:
            continue
        began = time.monotonic()
        try:
            caught_by = catch(workshop, fault, left_out, earlier.get(fault.name, {}).get("by"))
            outcome = "caught" if caught_by else "missed"
        except ValueError as error:
            outcome, caught_by = "stale", str(error)
        seconds = round(time.monotonic() - began)
        append(
            results,
            {
                "fault": fault.name,
                "suite": fault.suite,
                "outcome": outcome,
                "by": caught_by,
                "seconds": seconds,
            },
        )
        print(
            f"{number:4}/{len(faults)} {outcome} {fault.name} ({seconds} s) {caught_by or ''}",
            flush=True,
        )


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the results in a file by fault."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line["fault"]: line for line in lines}


def append(path: Path, result: dict[str, Any]) -> None:
    """Add a result to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result) + "\n")


def print_table(paths: list[Path]) -> None:
    """Print what several runs caught, side by side, as Markdown."""
    runs = [read(path) for path in paths]
    print(f"| fault | mistake | {' | '.join(path.stem for path in paths)} | caught by |")
    print(f"|---|---|{'---|' * (len(paths) + 1)}")
    for fault in FAULTS:
        found = [results.get(fault.name, {}) for results in runs]
        outcomes = " | ".join(result.get("outcome", "") for result in found)
        by = (found[0].get("by") or "").split("[")[0].removeprefix("tests/")
        print(f"| {fault.name} | {fault.why} | {outcomes} | {by} |")
    for path, results in zip(paths, runs, strict=True):
        outcomes = [result["outcome"] for result in results.values()]
        counts = ", ".join(f"{outcomes.count(o)} {o}" for o in ("caught", "missed", "stale"))
        print(f"\n{path.stem}: {len(outcomes)} faults, {counts}")


def check(workshop: Workshop, faults: list[Fault]) -> int:
    """Print which faults cannot be planted and which suites have no tests, return how many."""
    stale = [(fault, len(workshop.places(fault))) for fault in faults]
    stale = [(fault, count) for fault, count in stale if count != 1]
    for fault, count in stale:
        print(f"{fault.name}: its text occurs {count} times in {fault.within}*")
    print(f"{len(faults) - len(stale)} of {len(faults)} faults can be planted")
    suites = sorted({fault.suite for fault in faults})
    empty = [
        name
        for name in suites
        if not any((HERE / "tests" / path).exists() for path in SUITES[name].paths)
    ]
    for name in empty:
        print(f"suite {name}: there are none of its tests")
    return len(stale) + len(empty)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="faults or suites; all without any")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="runs its tests")
    parser.add_argument("--results", type=Path, default=Path("faults.jsonl"), help="results file")
    parser.add_argument("--earlier", type=Path, help="results whose tests are tried first")
    parser.add_argument("--folder", type=Path, help="where to work; kept if given")
    parser.add_argument("--check", action="store_true", help="only look for the texts and tests")
    parser.add_argument("--table", type=Path, nargs="+", help="print results files as a table")
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.table)
        return
    known = {fault.name for fault in FAULTS} | set(SUITES)
    if unknown := set(arguments.names) - known:
        parser.error(f"unknown faults or suites: {', '.join(sorted(unknown))}")
    names = set(arguments.names) or known
    faults = [fault for fault in FAULTS if names & {fault.name, fault.suite}]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        workshop = Workshop(HERE, arguments.python.absolute(), folder.absolute())
        if arguments.check:
            sys.exit(min(check(workshop, faults), 1))
        earlier = read(arguments.earlier) if arguments.earlier else {}
        run(workshop, faults, arguments.results, earlier)


if __name__ == "__main__":
    main()
