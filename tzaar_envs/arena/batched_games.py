"""The game loop: the games of one task, batched so that agents are asked about many at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tzaar_envs.arena.openings import open_game
from tzaar_envs.arena.plan import Plan, Task
from tzaar_envs.arena.players import Answer, IsolatedPlayer, LocalPlayer, Loss
from tzaar_envs.arena.records import GameId, GameRecord


class RunningGame:
    """A game that is being played.

    Args:
        plan: the plan that it belongs to.
        game: which game of the plan.

    Attributes:
        state: the position.
        actions: of the agents so far.
        record: of the game once it is over; None before.
    """

    def __init__(self, plan: Plan, game: GameId) -> None:
        self.state, self._recorder = open_game(plan, game)
        self.actions: list[int] = []
        self.record: GameRecord | None = None

    def answer(self, answer: Answer) -> None:
        """Play the move of the agent to move; without a legal one the agent loses the game."""
        if isinstance(answer, Loss):
            self._lose(answer)
        elif not self.state.is_legal(answer.action):
            error = f"action {answer.action} is not legal in position '{self.state}'"
            self._lose(Loss("illegal action", error))
        else:
            self._recorder.play(self.state, answer.action, answer.data)
            self.actions.append(answer.action)
            if self.state.is_terminal:
                self.record = self._recorder.record(self.state)

    def _lose(self, loss: Loss) -> None:
        seats = self.state.game.num_players
        returns = [1 / (seats - 1) if seats > 1 else 0.0] * seats
        if seats > 1:
            returns[self.state.current_player] = -1.0
        self.record = self._recorder.record(
            self.state, forfeit=loss.forfeit, error=loss.line, returns=returns
        )


def play_task(
    plan: Plan,
    players: Sequence[LocalPlayer] | Mapping[int, IsolatedPlayer],
    task: Task,
    finish: Callable[[GameRecord], None],
) -> None:
    """Play the games of a task.

    Args:
        plan: the plan that it belongs to.
        players: those of the line-up, by the numbers of their agents in the plan.
        task: which games.
        finish: called with the record of every game when it is over.
    """
    line_up = [players[number] for number in plan.line_ups[task.line_up]]
    for place, player in enumerate(line_up):
        player.begin(task, plan.agent_stream(task, place))
    running = [RunningGame(plan, game) for game in plan.games_of(task)]
    while running:
        for place, player in enumerate(line_up):
            seat = (place + task.rotation) % plan.seats
            own = [game for game in running if game.state.current_player == seat]
            if not own:
                continue
            answers = player.ask([game.state for game in own], own[0].actions)
            for game, answer in zip(own, answers, strict=True):
                game.answer(answer)
                if game.record is not None:
                    finish(game.record)
            running = [game for game in running if game.record is None]
