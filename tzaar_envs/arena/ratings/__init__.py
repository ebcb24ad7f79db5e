"""Statistics of game results: intervals, Elo ratings, the sequential test, standings."""
