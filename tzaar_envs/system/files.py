"""Atomic writes, and checks of files that must exist."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all: under a temporary name, then renamed.

    Args:
        path: The file; an existing one is replaced.
        content: Bytes, or text that is written as UTF-8.

    Raises:
        OSError: The file cannot be written; an existing one is unchanged.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def existing_file(path: str | Path, kind: str) -> Path:
    """Return the path of a file that must exist.

    Args:
        path: The file.
        kind: The word for it in errors, such as "policy file".

    Raises:
        FileNotFoundError: There is no such file.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no {kind} {str(path)!r}")
    return Path(path)
