"""What every public call refuses, and in what words: one line of `refusals/<room>.toml` each.

A table `[[of]]` has a `setup`, and under `refused` a line for each wrong call: the code, and a part
of the sentence that it must raise. The error is a ValueError unless the part begins with the name
of another one, as in `"TypeError: ..."`. A call that changes something before it is refused would
show in `unchanged`, an expression that has the same value before and after. Under `commands` are
command lines, and a part of the one line that each must print.
"""

from __future__ import annotations

import builtins
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command_line import run_cli

FOLDER = Path(__file__).with_name("refusals")


def tables(kind: str) -> pytest.MarkDecorator:
    """Run a test with the tables of all rooms that have such lines."""
    found = [
        pytest.param(table, id=f"{file.stem}-{table['name']}")
        for file in sorted(FOLDER.glob("*.toml"))
        for table in tomllib.loads(file.read_text(encoding="utf-8"))["of"]
        if kind in table
    ]
    return pytest.mark.parametrize("table", found)


@tables("refused")
def test_wrong_calls_are_refused_in_one_sentence(
    table: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(table.get("setup", ""), names)
    for call, said in table["refused"].items():
        kind, colon, rest = said.partition(": ")
        is_named = bool(colon) and kind.endswith("Error") and hasattr(builtins, kind)
        error, part = (getattr(builtins, kind), rest) if is_named else (ValueError, said)
        before = eval(table.get("unchanged", "None"), names)
        try:
            exec(call, names)
        except error as refusal:
            message = str(refusal)
        else:
            pytest.fail(f"accepted: {call}")
        assert part in message, call
        assert "\n" not in message, call
        assert eval(table.get("unchanged", "None"), names) == before, call


@tables("commands")
def test_wrong_commands_are_refused_in_one_line(
    table: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(table.get("setup", ""), {})
    files = {path.name for path in tmp_path.iterdir()}
    for words, said in table["commands"].items():
        code, printed, error = run_cli(*shlex.split(words))
        assert (code, printed) == (2, ""), words
        assert error.startswith("error: "), words
        assert error.count("\n") == 1, words
        assert said in error, words
    assert {path.name for path in tmp_path.iterdir()} == files
