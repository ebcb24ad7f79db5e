"""Support for compiled code: Numba cache, function tables, random generators, memory, threads."""
