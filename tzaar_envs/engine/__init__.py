"""Agents as engines for other programs: the engine protocol over standard input and output."""

from tzaar_envs.engine.server import EngineServer

__all__ = ["EngineServer"]
