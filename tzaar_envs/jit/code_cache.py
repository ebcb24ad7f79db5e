"""Files of compiled code: one for each function and each combination of argument types.

Numba's own cache trusts its files: one that is damaged, or a disk that is full, raises whatever
`pickle` or the system raises, in every later process too. Here a file holds a checksum of its
content and of what it is for. One that does not fit is compiled and written again, and a file that
cannot be written is done without; either costs one warning per folder and process.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import re
import shutil
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from numba.core import compiler, serialize, sigutils
from numba.core.caching import Cache

DIGEST_LENGTH = 20
"""Hexadecimal digits in the name of a cache folder."""

_DIGEST = re.compile(f"[0-9a-f]{{{DIGEST_LENGTH}}}")
_KEPT_FOLDERS = 64  # a version of the suite uses one per game
_CHECKSUM = hashlib.sha256().digest_size

_warned: set[str] = set()

# Numba has no type annotations.
_CompileResult: Any = compiler.CompileResult
_dumps: Any = serialize.dumps
_normalize_signature: Any = sigutils.normalize_signature

Types: TypeAlias = tuple[Any, ...]
"""The types of the arguments of a function."""


def argument_types(signature: Any) -> Types:
    """Return the types of the arguments of a signature, or of what Numba takes for one."""
    return tuple(_normalize_signature(signature)[0])


class CodeCache(Cache):
    """The files of one function, with the interface of Numba's caches.

    Attributes:
        internal: the argument types whose code has no entry points but for compiled callers; it is
            in files of its own.

    Args:
        function: the function, not compiled.
        folder: of the files; it is made when the first one is written.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self.internal: set[Types] = set()
        self._py_func = function
        self._folder = folder
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def flush(self) -> None:
        """Do nothing: files are written at once."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for these argument types; None if there is none that can be used.

        Code with entry points serves compiled callers too.
        """
        target_context.refresh()
        codegen = target_context.codegen()
        found = self._load(*self._place(sig, codegen, internal=False), target_context)
        if found is not None:
            self.internal.discard(argument_types(sig))
        elif argument_types(sig) in self.internal:
            found = self._load(*self._place(sig, codegen, internal=True), target_context)
        return found

    def _load(self, path: Path, purpose: bytes, target_context: Any) -> Any:
        """Return the code in a file; None if there is none that can be used."""
        try:
            content = path.read_bytes()
            code = content[_CHECKSUM:]
            if _checksum(purpose, code) != content[:_CHECKSUM]:
                raise ValueError(f"{path.name} is damaged")
            return _CompileResult._rebuild(target_context, *pickle.loads(code))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Exception as error:  # whatever the system raises, or Numba for another one's code
            warn_unreadable(self._folder, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code for these argument types if it means something to other processes."""
        if data.library.has_dynamic_globals or not all(each.can_cache for each in data.lifted):
            return
        path, purpose = self._place(sig, data.codegen, argument_types(sig) in self.internal)
        code = _dumps(data._reduce())
        try:
            make_folder(self._folder)
            _write(path, _checksum(purpose, code) + code)
        except OSError as error:
            warn_unwritable(self._folder, error)

    def _place(self, sig: Any, codegen: Any, internal: bool) -> tuple[Path, bytes]:
        """Return the path of a file, and what its code is for: function, types, processor."""
        key = self._index_key(sig, codegen)  # type: ignore[no-untyped-call]
        kind = "internal " if internal else ""
        purpose = f"{kind}{self._name} {key!r}".encode()
        name = self._name.replace("<", "").replace(">", "")  # not allowed on Windows
        digest = hashlib.sha256(purpose).hexdigest()[:DIGEST_LENGTH]
        return self._folder / f"{name}-{digest}.code", purpose


def _checksum(purpose: bytes, code: bytes) -> bytes:
    return hashlib.sha256(purpose + code).digest()


def _write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all.

    Unlike `system.files.write_atomically` it does not wait for the disk: checksums tell.
    """
    # Not by `tempfile`, whose files nobody else may read: users can share a cache.
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def make_folder(folder: Path) -> None:
    """Make a cache folder; delete the oldest ones beside it if there are too many.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        _delete_oldest(folder.parent, keep=_KEPT_FOLDERS - 1)
        folder.mkdir(parents=True, exist_ok=True)


def _delete_oldest(root: Path, keep: int) -> None:
    """Delete all but the newest folders named by a digest; leave everything else alone."""
    if not root.is_dir():
        return
    found = [folder for folder in root.iterdir() if _DIGEST.fullmatch(folder.name)]
    folders = sorted(found, key=_modified)
    for folder in folders[: max(0, len(folders) - keep)]:
        shutil.rmtree(folder, ignore_errors=True)


def _modified(folder: Path) -> float:
    """Return when a folder was last modified; 0 if another process has just deleted it."""
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def warn_unreadable(folder: Path, error: Exception) -> None:
    """Warn, once per process, that files of a cache folder are of no use."""
    _warn_once(
        "unreadable",
        f"compiled code in {folder.parent} cannot be used ({error}), so it is compiled again",
    )


def warn_unwritable(folder: Path, error: Exception) -> None:
    """Warn, once per process, that code is compiled but cannot be kept in a cache folder."""
    _warn_once(
        "unwritable",
        f"cannot cache compiled code in {folder.parent} ({error}), so every process will compile "
        "again: set TZAAR_ENVS_CACHE_DIR to a writable folder",
    )


def _warn_once(problem: str, message: str) -> None:
    if problem not in _warned:
        _warned.add(problem)
        warnings.warn(message, stacklevel=2)
