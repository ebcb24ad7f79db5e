"""One ply: the values of the positions after each action, and self-play by them, in any game."""
