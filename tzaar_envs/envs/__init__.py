"""Environments: AEC, parallel, vector and single-agent, one class each for all games."""
