"""The terminal that a command was started from."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PIPE_COLUMNS = 100

# All but line breaks and tabs: what moves the cursor, changes colours, or turns the direction of
# writing around, which hides parts of a text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return a text from outside as a terminal can show it: control characters are escaped."""
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def printable_line(text: str, longest: int = 500) -> str:
    """Return a text from outside as one printable line, cut after so many characters."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= longest else f"{line[:longest]}..."


def columns() -> int:
    """Return the width of the terminal in characters; of a file or pipe, that of tables in it."""
    return shutil.get_terminal_size((_PIPE_COLUMNS, 24)).columns


@contextmanager
def typing_hidden() -> Iterator[None]:
    """Do not show what is typed meanwhile; it is read afterwards as usual.

    Without a terminal, in the background, and on Windows, nothing happens.
    """
    try:
        import termios
    except ImportError:  # Windows
        yield
        return
    try:
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        # Changing the terminal from the background would stop this process.
        in_foreground = os.tcgetpgrp(terminal) == os.getpgrp()
    except (OSError, ValueError, termios.error):  # no terminal, or no file at all
        in_foreground = False
    if not in_foreground:
        yield
        return
    hidden = termios.tcgetattr(terminal)
    hidden[3] &= ~termios.ECHO  # the local modes
    termios.tcsetattr(terminal, termios.TCSADRAIN, hidden)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
