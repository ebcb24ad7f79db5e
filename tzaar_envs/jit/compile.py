"""Compilation with an on-disk cache that is never stale.

Numba keys its cache by the time stamp of the function's own file, so it misses changes in other
files that the function calls. Here the name of the cache folder is a digest of every source that
can be involved: those of `tzaar_envs/jit` and `tzaar_envs/core`, of the function's own folder, and
of the packages around that folder (`search` around `search/mcts`). Editing a source therefore
selects another folder. Compiled functions must not call compiled functions from anywhere else.

The cache is in `$TZAAR_ENVS_CACHE_DIR`, by default in `tzaar-envs` in the user's cache folder;
`code_cache` has the format of its files.
"""

import contextlib
import functools
import hashlib
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np

from tzaar_envs.jit.code_cache import DIGEST_LENGTH, CodeCache, make_folder, warn_unwritable
from tzaar_envs.jit.dispatcher import Dispatcher

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parents[1]
_SHARED = (_PACKAGE / "jit", _PACKAGE / "core")

_compiled_here: set[tuple[str, Callable[..., Any]]] = set()
"""The blocks of `first_compilation` that this process has finished."""


def cache_root() -> Path:
    """Return the folder of the compilation cache, which need not exist."""
    if chosen := os.environ.get("TZAAR_ENVS_CACHE_DIR"):
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path("tzaar-envs", appauthor=False, opinion=False)


@functools.cache
def source_digest(folder: Path) -> str:
    """Return a digest of all sources that code in `folder` may call, and of compiler versions.

    It covers the folder's JSON files too: compiled code may contain their data as constants.
    """
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    folders = {*_SHARED, folder, *_enclosing_packages(folder)}
    sources = {source for each in folders for source in each.glob("*.py")}
    for source in sorted({*sources, *folder.glob("*.json")}):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:DIGEST_LENGTH]


def _enclosing_packages(folder: Path) -> Iterator[Path]:
    """Yield the packages around a folder, except the outermost one."""
    around = folder.parent
    while (around / "__init__.py").exists() and (around.parent / "__init__.py").exists():
        yield around
        around = around.parent


@functools.cache
def _cache_folder(source_folder: Path) -> Path:
    """Return the folder to cache in, which need not exist."""
    return cache_root() / source_digest(source_folder)


@contextlib.contextmanager
def first_compilation(what: str, function: Callable[..., Any]) -> Iterator[None]:
    """Announce a compilation in the block if it is the first one on this machine.

    Other processes that reach the same block wait, then load everything from the cache: the workers
    of a training run, for instance, all start at once.

    Args:
        what: the name of what the block compiles.
        function: one of the functions that the block compiles; they share its folder.
    """
    # A search passes here with every move: reading the file system took a third of its time.
    is_finished = (what, function) in _compiled_here
    if is_finished or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        yield
        return
    folder = _cache_folder(_source_folder(function))
    finished = folder / f"{what}.compiled"
    try:
        lock = None if finished.exists() else _acquired(folder / f"{what}.lock")
    except (OSError, NotImplementedError) as error:  # some file systems have no locks
        warn_unwritable(folder, error)
        lock = None
    if lock is None:
        yield
        _compiled_here.add((what, function))
        return
    with lock:
        if not finished.exists():
            print(f"tzaar-envs: compiling {what}, once on this machine ...", file=sys.stderr)
        yield
        with contextlib.suppress(OSError):
            finished.touch()
    _compiled_here.add((what, function))


def cache_file(name: str, function: Callable[..., Any]) -> Path:
    """Return the path of a file that belongs to the compiled code of a function.

    The file need not exist; it is another one as soon as a source changes.
    """
    return _cache_folder(_source_folder(function)) / name


def _acquired(path: Path) -> contextlib.AbstractContextManager[Any]:
    """Return a lock of a cache folder, which this process holds until it leaves the context."""
    import filelock

    make_folder(path.parent)
    return filelock.FileLock(path).acquire()


def _source_folder(function: Callable[..., Any]) -> Path:
    return Path(inspect.getfile(inspect.unwrap(function))).resolve().parent


@overload
def compiled(function: F) -> F: ...


@overload
def compiled(*, nogil: bool) -> Callable[[F], F]: ...


def compiled(function: Any = None, *, nogil: bool = False) -> Any:
    """Compile a function with Numba on its first call; later processes load it from the cache.

    Decorating compiles nothing, so a function may precede the ones that it calls. It is compiled
    once for each combination of argument types; the functions of a game are passed as a
    `FunctionTable` (see `jit.function_table`), which has the same type for all games.

    `nogil` releases the interpreter lock during calls. With `NUMBA_DISABLE_JIT=1` this returns the
    plain Python function, for debugging.
    """
    if function is None:
        return lambda found: _compile(nogil, found, _source_folder(found))
    return _compile(nogil, function, _source_folder(function))


def compiled_copy(template: F, name: str, folder: Path, **names: object) -> F:
    """Compile a copy of a function in which some global names have other values.

    So the suite can give a game a function that calls the game's own ones: Numba would not cache a
    closure over them.

    Args:
        template: the function, not compiled.
        name: of the copy, unique within the folder.
        folder: the sources that the cache of the copy depends on, besides the template's.
        **names: global names of the template's module, and what they are in the copy.
    """
    copied: Any = types.FunctionType(template.__code__, {**template.__globals__, **names}, name)
    copied.__qualname__ = name
    result: F = _compile(False, copied, folder)
    return result


def _compile(nogil: bool, function: F, source_folder: Path) -> F:
    plain: Any = numba.njit(nogil=nogil, error_model="numpy")(function)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return plain
    result: Any = Dispatcher(function, targetoptions=plain.targetoptions)
    result.use_cache(CodeCache(function, _cache_folder(source_folder)))
    return result
