"""Dispatchers: compiled functions, of which nothing is compiled that nobody calls.

Numba compiles a function again for every constant that a compiled caller passes, as if 0 and 1 were
of different types, and with it all that the function calls. It also gives each function entry
points for callers from Python and from C, though most functions are called by compiled code alone.
Here a constant has the type of its value, and a function gets entry points when somebody else than
compiled code needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from tzaar_envs.jit.code_cache import CodeCache, Types, argument_types

# Numba has no type annotations.
_unliteral: Any = types.unliteral


class Dispatcher(CPUDispatcher):
    """A function that is compiled for the types it is called with.

    Args:
        function: the function.
        locals: types of local variables.
        targetoptions: options of `numba.njit`.
        **more: further arguments of Numba's dispatchers.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        locals: dict[str, Any] | None = None,
        targetoptions: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(function, locals, targetoptions, **more)
        self._internal: set[Types] = set()  # of overloads without entry points
        self._is_asked_by_compiled_code = False
        self._compiles_internal = False
        self._compiler._customize_flags = self._flags  # type: ignore[attr-defined]

    def use_cache(self, cache: CodeCache) -> None:
        """Let compiled code be kept in a cache."""
        cache.internal = self._internal
        self._cache = cache

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how compiled code can call this function, as Numba asks for it."""
        args = tuple(map(_unliteral, args))
        kws = {name: _unliteral(each) for name, each in kws.items()}
        self._is_asked_by_compiled_code = True
        try:
            return super().get_call_template(args, kws)
        finally:
            self._is_asked_by_compiled_code = False

    def compile(self, sig: Any) -> Any:
        """Compile the function for the types of its arguments, unless that is done already."""
        with global_compiler_lock:  # which whoever compiles a caller holds already
            internal, self._is_asked_by_compiled_code = self._is_asked_by_compiled_code, False
            wanted = argument_types(sig)
            if not internal and wanted in self._internal:
                self._internal.remove(wanted)
                self.overloads.pop(wanted, None)
            elif internal and wanted not in self.overloads:
                self._internal.add(wanted)
            self._compiles_internal = wanted in self._internal
            return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """Keep compiled code; without entry points it is only for compiled callers."""
        compiled_for = argument_types(cres.signature)
        if compiled_for in self._internal:
            self.overloads[compiled_for] = cres
        else:
            super().add_overload(cres)

    def _flags(self, flags: Any) -> Any:
        """Return Numba's flags of the compilation that begins now."""
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = self._compiles_internal
        return flags
