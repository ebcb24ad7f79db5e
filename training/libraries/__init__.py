"""Adapters between the suite and the reinforcement learning libraries."""
