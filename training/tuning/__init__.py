"""Tuning of evaluation functions, from self-play and from matches, and of training settings."""
