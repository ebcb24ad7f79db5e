"""Draws small random edits of the code (mutants) and reports which of them no test notices.

    python tests/faults/mutants.py --number 30          30 of each room, results in mutants.jsonl
    python tests/faults/mutants.py rules search         of these rooms alone
    python tests/faults/mutants.py --survivors          what the results say: shares and survivors
    python tests/faults/mutants.py --earlier old.jsonl  try the killers of another run first

A mutant swaps a comparison, a sign, an operator, `and` and `or`, drops a `not` or a statement, or
changes a constant. The same seed draws the same mutants of the same tree. Those whose result is in
the file already are skipped, so a run that was stopped continues with the same command.

A survivor is a reason to write a test, unless the edit changes nothing that can be observed: such
mutants are listed, with the reason, in `equivalent_mutants.toml`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import itertools
import json
import os
import queue
import random
import signal
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from fault import SUITES, Suite
from plant import HERE, Workshop, append, catch

Results: TypeAlias = dict[str, dict[str, Any]]

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")

ROOMS: dict[str, tuple[tuple[str, str], ...]] = {
    "rules": tuple(
        (f"tzaar_envs/games/{game}/{file}.py", game)
        for game in ("tzaar", "zatre", "twenty_one", "black_elephant", "turm_und_waechter")
        for file in ("board", "lines", "rules")
    ),
    "masks": (("tzaar_envs/core/masks.py", "masks"), ("tzaar_envs/core/state.py", "positions")),
    "observations": tuple(
        (f"tzaar_envs/games/{game}/features.py", game)
        for game in ("tzaar", "zatre", "twenty_one", "black_elephant", "turm_und_waechter")
    ),
    "environments": (("tzaar_envs/envs/*.py", "environments"),),
    "search": (
        ("tzaar_envs/search/alphabeta*.py", "alphabeta"),
        ("tzaar_envs/search/transposition.py", "alphabeta"),
        ("tzaar_envs/search/*.py", "search"),
    ),
    "arena": (("tzaar_envs/arena/*.py", "arena"),),
}
"""For each room its files and the suite that should notice; the first line for a file counts."""

SUITES |= {
    "masks": Suite(
        (
            "core/test_masks.py",
            "core/test_state.py",
            "core/test_chance.py",
            "envs/test_env.py",
            "test_refusals.py",
        ),
        "twenty_one or test_masks or core or AEC",
        compiled=False,
    ),
    "positions": Suite(
        (
            "core/test_state.py",
            "core/test_chance.py",
            "test_refusals.py",
            "games/test_positions.py",
            "render",
        ),
        "twenty_one or zatre or turm_und_waechter or test_scenes or core or AEC",
        compiled=False,
    ),
    "environments": Suite(("envs", "core/test_rewards.py", "test_refusals.py")),
    "search": Suite(
        ("search", "agents/test_agents.py", "games/test_lookahead.py", "test_refusals.py")
    ),
}

_COMPARISONS: dict[type[ast.cmpop], str] = {
    **{ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="},
    **{ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in"},
}
_OPERATORS: dict[type[ast.operator], str] = {
    **{ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "//"},
    **{ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|", ast.LShift: ">>", ast.RShift: "<<"},
}


@dataclass(frozen=True)
class Mutant:
    """One edit of one file.

    Attributes:
        room: a key of `ROOMS`.
        suite: which tests should notice, a key of `SUITES`.
        file: path in the tree.
        start: where the replaced text begins, in characters.
        end: where it ends.
        new: what replaces it.
        name: the changed lines before and after; the same wherever they stand in the file.
    """

    room: str
    suite: str
    file: str
    start: int
    end: int
    new: str
    name: str


def mutants_of(tree: Path, room: str) -> Iterator[Mutant]:
    """Yield all mutants of a room."""
    seen: set[Path] = set()
    for pattern, suite in ROOMS[room]:
        for path in sorted(tree.glob(pattern)):
            if path in seen:
                continue
            seen.add(path)
            text = path.read_text(encoding="utf-8")
            file = path.relative_to(tree).as_posix()
            firsts = [0, *itertools.accumulate(map(len, text.splitlines(keepends=True)))]
            for first, last, new in _edits(text):
                start, end = firsts[first[0] - 1] + first[1], firsts[last[0] - 1] + last[1]
                begin, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
                before = text[begin:stop].strip()
                after = (text[begin:start] + new + text[end:stop]).strip()
                yield Mutant(room, suite, file, start, end, new, f"{file}: {before} -> {after}")


Place = tuple[int, int]
"""Line from 1 and column from 0, in characters: the sources of these rooms are ASCII there."""


def _edits(text: str) -> Iterator[tuple[Place, Place, str]]:
    """Yield the edits of a module: where the old text begins and ends, and the new one."""
    functions = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    for function in functions:
        for statement in function.body:
            for node in _walk(statement):
                yield from _edits_of(node)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and what is in it that runs, but for functions, which have their turn."""
    if isinstance(node, ast.FunctionDef | ast.JoinedStr):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.AnnAssign) and child is node.annotation):
            yield from _walk(child)


def _edits_of(node: ast.AST) -> Iterator[tuple[Place, Place, str]]:
    if isinstance(node, ast.Compare):
        for left, operator, right in zip(
            [node.left, *node.comparators], node.ops, node.comparators, strict=False
        ):
            yield _end(left), _start(right), f" {_COMPARISONS[type(operator)]} "
    elif isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        for left, right in itertools.pairwise(node.values):
            yield _end(left), _start(right), word
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield _end(node.left), _start(node.right), f" {_OPERATORS[type(node.op)]} "
    elif isinstance(node, ast.AugAssign) and type(node.op) in _OPERATORS:
        yield _end(node.target), _start(node.value), f" {_OPERATORS[type(node.op)]}= "
        yield _start(node), _end(node), "pass"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield _start(node), _start(node.operand), ""
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield _start(node), _end(node), repr(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _start(node), _end(node), repr(not node.value)
    elif (
        isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple)
    ) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield _start(node), _end(node), "pass"


def _start(node: Any) -> Place:
    return node.lineno, node.col_offset


def _end(node: Any) -> Place:
    return node.end_lineno, node.end_col_offset


def is_sound(tree: Path, mutant: Mutant) -> bool:
    """Return whether an edit leaves a module that can be parsed, and another one.

    It does not where brackets stand between an operator and its operands.
    """
    text = (tree / mutant.file).read_text(encoding="utf-8")
    changed = text[: mutant.start] + mutant.new + text[mutant.end :]
    try:
        return ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text))
    except SyntaxError:
        return False


def draw(tree: Path, rooms: list[str], number: int, seed: int) -> list[Mutant]:
    """Return `number` mutants of each room, the rooms in turn."""
    drawn = []
    for room in rooms:
        found = list({mutant.name: mutant for mutant in mutants_of(tree, room)}.values())
        random.Random(f"{room} {seed}").shuffle(found)
        sound = (mutant for mutant in found if is_sound(tree, mutant))
        drawn.append(list(itertools.islice(sound, number)))
    return [mutant for row in itertools.zip_longest(*drawn) for mutant in row if mutant]


class MutantWorkshop(Workshop):
    """A workshop that plants mutants."""

    @contextlib.contextmanager
    def planted(self, mutant: Any) -> Iterator[None]:
        """Make the edit of a mutant, and undo it in the end."""
        file = self.tree / mutant.file
        text = file.read_text(encoding="utf-8")
        with self.edited(file, text[: mutant.start] + mutant.new + text[mutant.end :]):
            yield


def run(
    workshops: list[MutantWorkshop], mutants: list[Mutant], results: Path, earlier: Results
) -> None:
    """Plant mutants, as many at a time as there are workshops; append the results to a file."""
    done = read(results)
    waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    for mutant in mutants:
        if mutant.name not in done:
            waiting.put(mutant)
    writing, left_out = threading.Lock(), set[str]()

    def work(workshop: MutantWorkshop) -> None:
        while True:
            try:
                mutant: Any = waiting.get_nowait()
            except queue.Empty:
                return
            began = time.monotonic()
            killer = catch(workshop, mutant, left_out, earlier.get(mutant.name, {}).get("by"))
            seconds = round(time.monotonic() - began)
            line = {"mutant": mutant.name, "room": mutant.room, "by": killer, "seconds": seconds}
            with writing:
                append(results, line)
            print(f"{waiting.qsize():4} left, {seconds:3} s: {mutant.name}: {killer}", flush=True)

    threads = [threading.Thread(target=work, args=(each,), daemon=True) for each in workshops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def read(path: Path) -> Results:
    """Return the results in a file by mutant."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line["mutant"]: line for line in lines}


def report(results: Path) -> None:
    """Print the share of each room that is killed, and the survivors."""
    equivalent = (
        tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}
    )
    survivors = []
    print("| room | mutants | equivalent | killed | survive |\n|---|---|---|---|---|")
    for room in ROOMS:
        lines = [line for line in read(results).values() if line["room"] == room]
        same = [line for line in lines if not line["by"] and line["mutant"] in equivalent]
        alive = [line["mutant"] for line in lines if not line["by"] and line not in same]
        killed, counted = sum(bool(line["by"]) for line in lines), len(lines) - len(same)
        share = f"{killed} ({100 * killed / counted:.0f} %)" if counted else "-"
        print(f"| {room} | {len(lines)} | {len(same)} | {share} | {len(alive)} |")
        survivors += alive
    print("", *survivors, sep="\n")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("rooms", nargs="*", help=f"some of {', '.join(ROOMS)}; all without any")
    parser.add_argument("--number", type=int, default=30, help="of each room")
    parser.add_argument("--seed", type=int, default=1, help="of the draws")
    parser.add_argument("--workers", type=int, default=2, help="mutants at a time")
    parser.add_argument("--tree", type=Path, default=HERE, help="the checkout")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="runs its tests")
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"), help="results file")
    parser.add_argument("--earlier", type=Path, help="results whose tests are tried first")
    parser.add_argument("--survivors", action="store_true", help="print what the results say")
    arguments = parser.parse_args()
    if unknown := set(arguments.rooms) - set(ROOMS):
        parser.error(f"unknown rooms: {', '.join(sorted(unknown))}")
    if arguments.survivors:
        report(arguments.results)
        return
    signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGINT))
    tree = arguments.tree.resolve()
    mutants = draw(tree, arguments.rooms or list(ROOMS), arguments.number, arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        workshops = [
            MutantWorkshop(tree, arguments.python.absolute(), Path(folder) / str(number))
            for number in range(arguments.workers)
        ]
        earlier = read(arguments.earlier) if arguments.earlier else {}
        run(workshops, mutants, arguments.results, earlier)


if __name__ == "__main__":
    main()
