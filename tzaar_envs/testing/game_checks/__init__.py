"""Checks of games: one module for each."""
