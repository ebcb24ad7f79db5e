"""Planted faults: small edits that turn right code into wrong code, and the tests for each.

Each one is a mistake that somebody could make. A fault is found by its text, not by a line number,
so code may move freely. Where code is reworded, its fault needs the new wording: `plant.py --check`
says which.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One mistake.

    Attributes:
        name: unique.
        suite: which tests should notice, a key of `SUITES`.
        within: a part of the path of the file to edit.
        why: what the mistake is, for the report.
        old: a text that occurs exactly once there.
        new: the text in its place.
    """

    name: str
    suite: str
    within: str
    why: str
    old: str
    new: str


def read_faults(pattern: str) -> list[dict[str, Any]]:
    """Return the faults of the files with such a name here, file by file."""
    return [
        fault
        for file in sorted(Path(__file__).parent.glob(pattern))
        for fault in tomllib.loads(file.read_text(encoding="utf-8"))["fault"]
    ]


FAULTS = tuple(Fault(**fault) for fault in read_faults("faults_in_*.toml"))


@dataclass(frozen=True)
class Suite:
    """The tests that should notice a fault in one part of the code.

    Attributes:
        paths: files and folders below `tests/`, cheap ones first.
        keyword: `-k` of pytest, empty for all tests there.
        compiled: False runs with `NUMBA_DISABLE_JIT=1`.
        first: the suite that is run before, because it is faster.
    """

    paths: tuple[str, ...]
    keyword: str = ""
    compiled: bool = True
    first: str = ""


def _rules_suite(name: str) -> Suite:
    return Suite(
        ("games/test_positions.py", f"games/{name}/test_rules.py"),
        f"{name} and not Reference",
        False,
    )


def _game_suite(name: str) -> Suite:
    return Suite(
        (
            f"games/{name}",
            "games/test_whole_games.py",
            "playthroughs",
            "games/test_perft.py",
            "games/test_observations.py",
            "games/test_agreement.py",
            "games/test_playouts.py",
            "core/test_state.py",
            "core/test_rewards.py",
            "core/test_hidden_information.py",
            "testing/test_our_games.py",
        ),
        name,
        first=f"{name}_rules",
    )


_GAMES = ("tzaar", "zatre", "twenty_one", "black_elephant", "turm_und_waechter")
# Compiling a game again after an edit takes longer than most of its tests take uncompiled; for an
# edit in `core` or `jit`, every game would be compiled again.
SUITES = {
    **{name: _game_suite(name) for name in _GAMES},
    **{f"{name}_rules": _rules_suite(name) for name in _GAMES},
    "rewards": Suite(("core/test_rewards.py",), compiled=False),
    "masks": Suite(("core/test_masks.py", "core/test_state.py"), "tzaar or test_masks", False),
    "state": Suite(("core/test_state.py", "core/test_chance.py"), "twenty_one or zatre", False),
    "options": Suite(("core/test_spec.py", "test_registry.py")),
    "symmetry": Suite(("games/test_symmetry_tables.py",), "tzaar", False),
    "rng": Suite(("jit/test_rng.py", "core/test_chance.py"), compiled=False),
    "compile": Suite(("jit/test_compile.py",)),
    "batch": Suite(("envs/test_vector_env.py",), "tzaar", False),
    "aec": Suite(("envs/test_env.py", "envs/test_pettingzoo.py", "core/test_rewards.py")),
    "parallel": Suite(("envs/test_parallel_env.py",)),
    "vector": Suite(("envs/test_vector_env.py",)),
    "wrappers": Suite(("wrappers",)),
    "mcts": Suite(
        (
            "search/test_selection.py",
            "search/test_mcts_chance.py",
            "search/test_mcts_proofs.py",
            "search/test_mcts.py",
            "search/test_evaluator.py",
            "agents/test_agents.py",
        )
    ),
    "alphabeta": Suite(
        (
            "search/test_transposition.py",
            "search/test_alphabeta.py",
            "search/test_control.py",
            "agents/test_agents.py",
            "test_refusals.py",
        )
    ),
    "agents": Suite(("agents", "networks", "test_refusals.py")),
    "arena": Suite(("arena", "test_refusals.py")),
    "files": Suite(("test_refusals.py", "arena/test_match.py", "networks")),
    "training": Suite(
        ("training/test_parts.py", "training/test_alphazero.py", "search/test_self_play.py")
    ),
}
