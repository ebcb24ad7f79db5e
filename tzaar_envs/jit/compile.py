"""Compilation with an on-disk cache that is never stale, and survives damage.

Numba keys its cache by the content of the function's own file, so it misses changes in other files
that the function calls. Here the name of the cache folder is a digest of every source that can be
involved: those of `tzaar_envs/jit` and `tzaar_envs/core`, of the function's own folder, and of the
packages around that folder (`networks` around `networks/sparse`). Editing a source therefore
selects another folder. Compiled functions must not call compiled functions from anywhere else, nor
take its named tuples.

The files in it are Numba's, with a checksum: one that is damaged costs a compilation, and one that
cannot be written is done without. The cache is in `$TZAAR_ENVS_CACHE_DIR`, by default in
`tzaar-envs` in the user's cache folder.
"""

import contextlib
import functools
import hashlib
import inspect
import os
import pickle
import re
import shutil
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np
from numba.core import serialize, sigutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parents[1]
_SHARED = (_PACKAGE / "jit", _PACKAGE / "core")
_DIGEST = re.compile("[0-9a-f]{20}")  # the name of a cache folder
_KEPT_FOLDERS = 64  # a version of the suite uses one per game

_compiled_here: set[tuple[str, Callable[..., Any]]] = set()
"""The blocks of `first_compilation` that this process has finished."""

# Numba has no type annotations.
_dumps: Any = serialize.dumps
_normalize_signature: Any = sigutils.normalize_signature
_unliteral: Any = unliteral


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
    checks_bounds = numba.config.BOUNDSCHECK  # type: ignore[attr-defined]
    versions = f"{numba.__version__} {np.__version__} {sys.version} {checks_bounds}"
    digest = hashlib.sha256(versions.encode())
    folders = {*_SHARED, folder, *_enclosing_packages(folder)}
    sources = {source for each in folders for source in each.glob("*.py")}
    for source in sorted({*sources, *folder.glob("*.json")}):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:20]


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


def _source_folder(function: Callable[..., Any]) -> Path:
    return Path(inspect.getfile(inspect.unwrap(function))).resolve().parent


def _make_folder(folder: Path) -> None:
    """Make a cache folder; delete the oldest ones beside it if there are too many."""
    if not folder.is_dir():
        _delete_oldest(folder.parent, keep=_KEPT_FOLDERS - 1)
        folder.mkdir(parents=True, exist_ok=True)


def _delete_oldest(root: Path, keep: int) -> None:
    """Delete all but the newest folders named by a digest; leave everything else alone."""
    with contextlib.suppress(OSError):  # another process may delete them at the same time
        folders = [folder for folder in root.iterdir() if _DIGEST.fullmatch(folder.name)]
        folders.sort(key=lambda folder: folder.stat().st_mtime)
        for folder in folders[: max(0, len(folders) - keep)]:
            shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=2)


def _warn_unwritable(folder: Path) -> None:
    """Warn, once per process, that code is compiled but cannot be kept in a cache folder."""
    _warn_once(
        f"cannot cache compiled code in {folder.parent}, so every process will compile again: set "
        "TZAAR_ENVS_CACHE_DIR to a writable folder with room in it"
    )


class _Locator(_CacheLocator):
    """Tells Numba where the files of a function are; the folder says which sources they fit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def from_function(self, py_func: Any, py_file: str) -> Any:  # type: ignore[override]
        self._module, self._py_file = py_func.__module__, py_file
        return self

    def ensure_cache_path(self) -> None:
        _make_folder(self._folder)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._module)


class _CheckedCode(CompileResultCacheImpl):
    """Compiled code as the bytes in a file, with their checksum."""

    def __init__(self, folder: Path, py_func: Any) -> None:
        self._locator_classes: list[Any] = [_Locator(folder)]
        super().__init__(py_func)  # type: ignore[no-untyped-call]

    def reduce(self, cres: Any) -> tuple[bytes, bytes]:
        code = _dumps(cres._reduce())
        return hashlib.sha256(code).digest(), code

    def rebuild(self, target_context: Any, payload: tuple[bytes, bytes]) -> Any:
        checksum, code = payload
        if hashlib.sha256(code).digest() != checksum:
            raise ValueError("wrong checksum")
        return super().rebuild(target_context, pickle.loads(code))  # type: ignore[no-untyped-call]


class _CodeCache(FunctionCache):
    """The files of one function; nothing that is wrong with them ends a program."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class: Any = functools.partial(_CheckedCode, folder)
        self._folder = folder
        super().__init__(function)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            if found is not None and found.signature.args != _normalize_signature(sig)[0]:
                raise ValueError("code for other types")  # of a process that wrote meanwhile
        except OSError:
            return None  # `save_overload` will say so
        except Exception:  # whatever Numba or pickle raises for a file that is damaged
            _warn_once(f"compiled code in {self._folder.parent} is damaged and is compiled again")
            with contextlib.suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError:
            _warn_unwritable(self._folder)


class Dispatcher(CPUDispatcher):
    """A compiled function; constants that compiled callers pass have the types of their values.

    Numba would compile the function again for each constant, as if 0 and 1 were of different types,
    and with it all that the function calls.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the template of a call of this function from compiled code."""
        named = {name: _unliteral(each) for name, each in kws.items()}
        return super().get_call_template(tuple(map(_unliteral, args)), named)


@contextlib.contextmanager
def first_compilation(what: str, function: Callable[..., Any]) -> Iterator[None]:
    """Announce a compilation in the block if it is the first one on this machine.

    Other processes that reach the same block wait, then load everything from the cache: the workers
    of a training run, for instance, all start at once.

    Args:
        what: The name of what the block compiles.
        function: One of the functions that the block compiles; they share its folder.
    """
    # A search passes here with every move: reading the file system took a third of its time.
    if (what, function) in _compiled_here or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        yield
        return
    folder = _cache_folder(_source_folder(function))
    finished = folder / f"{what}.compiled"
    with contextlib.ExitStack() as stack:
        if not finished.exists():
            try:
                import filelock

                _make_folder(folder)
                stack.enter_context(filelock.FileLock(folder / f"{what}.lock"))
            except (OSError, NotImplementedError):  # some file systems have no locks
                _warn_unwritable(folder)
        is_first = not finished.exists()
        if is_first:
            print(f"tzaar-envs: compiling {what}, once on this machine ...", file=sys.stderr)
        yield
        if is_first:
            with contextlib.suppress(OSError):
                finished.touch()
    _compiled_here.add((what, function))


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
        template: The function, not compiled.
        name: The name of the copy, unique within the folder.
        folder: The sources that the cache of the copy depends on, besides the template's.
        **names: Global names of the template's module, and what they are in the copy.
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
    result._cache = _CodeCache(function, _cache_folder(source_folder))
    return result
