"""Tuning of evaluation functions, from self-play and from matches."""
