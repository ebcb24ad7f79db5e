"""A game that a person plays in the terminal, and the file that keeps it."""
