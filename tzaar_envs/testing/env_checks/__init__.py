"""Checks of environments: one module for each."""
