"""Environments of all games: AEC, parallel, vector and single-agent, one class each."""
