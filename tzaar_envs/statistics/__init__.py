"""Statistics of results: intervals, Elo ratings, the sequential test. It knows no games."""
