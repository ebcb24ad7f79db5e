"""The command line in this process: what it prints, and its exit status."""

import contextlib
import io
import os
from unittest import mock

from tzaar_envs.cli import main


def run_cli(*words: str, typed: str = "", columns: int = 200) -> tuple[int, str, str]:
    """Return the exit status, the standard output and the standard error of a command.

    They are plain text. Notices of a first compilation are left out: they depend
    on what the machine has compiled.
    """
    out, err = io.StringIO(), io.StringIO()
    code = 0
    surroundings = dict.fromkeys(("FORCE_COLOR", "TZAAR_ENVS_TRACEBACK"), "")
    with (
        mock.patch.dict(os.environ, surroundings, COLUMNS=str(columns), NO_COLOR="1"),
        mock.patch("sys.stdin", io.StringIO(typed)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main(words)
        except SystemExit as end:
            code = int(end.code or 0)
    return code, out.getvalue(), without_notices(err.getvalue())


def without_notices(errors: str) -> str:
    """Return a standard error without notices of a first compilation."""
    lines = errors.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("tzaar-envs: compiling "))
