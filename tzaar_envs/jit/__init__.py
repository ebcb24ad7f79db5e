"""Numba underneath: compilation and its cache, function tables, generators, threads, atomics."""
