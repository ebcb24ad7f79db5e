"""Film a game of a trained policy: `python docs/tools/make_film.py`.

It writes `docs/games/pictures/reference.gif`, which the README shows: the agent `reference` against
`greedy`. It needs the extras `sb3` and `render`; a machine on which the network computes other last
digits may play another game.
"""

from __future__ import annotations

from pathlib import Path

from tzaar_envs import load_game
from tzaar_envs.arena import play_match
from tzaar_envs.replay import PlayedGame, write_replay
from tzaar_envs.replay.film import FilmStyle

GAME = "tzaar"
AGENTS = ["reference", "greedy"]
FILM = Path(__file__).parents[1] / "games" / "pictures" / "reference.gif"
STYLE = FilmStyle("light", width=360, seconds=1.2)
SEED = 3

if __name__ == "__main__":
    match = play_match(load_game(GAME), AGENTS, games=2, seed=SEED)
    played = PlayedGame(match.games[0])
    write_replay(FILM, played, STYLE)
    print(f"wrote {FILM}, {FILM.stat().st_size / 1000:.0f} kB: {played.title}. {played.result}")
