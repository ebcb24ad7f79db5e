"""How full the heaps are at the start."""

LEAST_MATCHES = 4
MOST_MATCHES = 9
