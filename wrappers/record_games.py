"""Recording wrapper: every game of an environment becomes a line of a file of game records.

`tzaar_envs.arena.records.read_games` reads the file, and every game in it can be replayed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import structs

from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import GameRecord, RecordedGamesHeader, append_records
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.wrappers.views import GameWrapper


class RecordGames(GameWrapper):
    """An AEC environment that adds the record of every game to a file as the game ends.

    A record is with the operating system before the step that ends its game returns, so a crash
    loses only the game that is being played. A game that `reset` or `close` leaves before its end
    is added as far as it was played; an illegal action that ends a game is recorded as a fault.
    Several environments, in several processes too, can share a file. The wrapper must be directly
    around the environment, as other wrappers may change what an action means.

    Args:
        env: An environment of the suite without wrappers.
        path: The file, which is only ever added to; its folder is created if it does not exist.

    Raises:
        ValueError: The environment is not one of the suite, or has wrappers; or the file is of
            another kind.
        OSError: The file cannot be written.
    """

    def __init__(self, env: GameEnv, path: str | Path) -> None:
        if not isinstance(env, GameEnv):
            raise ValueError(
                f"RecordGames must be directly around an environment of the suite, not around {env}"
            )
        super().__init__(env)
        self.path = Path(path)
        # A file that cannot be written is reported before the first game.
        append_records(self.path, RecordedGamesHeader(), ())
        self._history: GameHistory | None = None  # of the present game; None between games

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game, see `GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)  # raises without ending the game
        self._leave()
        # NumPy's integers cannot be written as JSON.
        self._history = GameHistory(self.env.game_state, seed=None if seed is None else int(seed))

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, see `GameEnv.step`."""
        history = self._history
        self.env.step(action)  # raises if the action cannot be played
        if history is None or action is None:
            return
        state = self.env.game_state
        if any(self.env.truncations.values()) and not state.is_terminal:
            history.end_by_forfeit("illegal action", str(history.state.why_illegal(int(action))))
            # The environment's rewards differ from what a forfeit gives in the arena.
            self._finish(structs.replace(history.to_record(), returns=None))
            return
        history.apply(int(action), outcome=state.last_outcome)
        if state.is_terminal:
            self._finish(history.to_record())

    def close(self) -> None:
        """Add the unfinished game, if there is one, then close the environment."""
        self._leave()
        self.env.close()

    def _leave(self) -> None:
        """Add the game that is being played, unless it has no moves."""
        if self._history is not None and self._history.plies:
            self._finish(self._history.to_record())
        self._history = None

    def _finish(self, record: GameRecord) -> None:
        self._history = None
        append_records(self.path, RecordedGamesHeader(), [record])
