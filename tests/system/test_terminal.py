"""The terminal that a command was started from."""

import subprocess
import sys

import pytest

from tzaar_envs.system.terminal import printable, printable_line, typing_hidden

pytest.importorskip("termios", reason="Windows has no such terminals")

WAITING = """
from contextlib import nullcontext
from tzaar_envs.system.terminal import printable, typing_hidden
with {context}:
    print("ready", flush=True)
    line = input()
print("read", len(line), flush=True)
print("asked", len(input()), flush=True)
"""
IN_TERMINAL = "import pty, sys; sys.exit(pty.spawn([sys.executable, '-c', sys.argv[1]]) >> 8)"


@pytest.mark.parametrize(("context", "shown"), [("typing_hidden()", 0), ("nullcontext()", 1)])
def test_what_is_typed_is_read_but_not_shown(context: str, shown: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", IN_TERMINAL, WAITING.format(context=context)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        process.stdin.write("meanwhile\n")
        before = process.stdout.readline()
        if shown:
            assert before.strip() == "meanwhile"
            before = process.stdout.readline()
        assert before.strip() == "read 9"
        process.stdin.write("afterwards\n")
        assert process.stdout.readline().strip() == "afterwards"
        assert process.stdout.readline().strip() == "asked 10"


def test_without_a_terminal_nothing_happens() -> None:
    with typing_hidden():
        pass


def test_what_moves_the_cursor_or_turns_the_writing_is_escaped() -> None:
    assert printable("a\tb\nä 你 é") == "a\tb\nä 你 é"
    assert printable("\x1b[2J\r\x9b\u202e\0") == "\\x1b[2J\\r\\x9b\\u202e\\x00"


def test_a_line_from_outside_is_printable_and_not_endless() -> None:
    assert printable_line(" a\n\tb \x1b[2J") == "a b \\x1b[2J"
    assert printable_line("x" * 501) == "x" * 500 + "..."
    assert printable_line("abc", longest=2) == "ab..."
