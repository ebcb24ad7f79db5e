"""Recorded games to look at: as a page, a film, pictures or text."""

from tzaar_envs.replay.files import read_file
from tzaar_envs.replay.page import game_page
from tzaar_envs.replay.played_game import PlayedGame
from tzaar_envs.replay.text import game_text
from tzaar_envs.replay.writer import write_replay

__all__ = ["PlayedGame", "game_page", "game_text", "read_file", "write_replay"]
