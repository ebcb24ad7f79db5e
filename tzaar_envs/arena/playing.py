"""The game loop: plays the batches of a plan, in this process, in worker processes, or on Ray.

An agent that answers with an illegal action or raises an exception forfeits that game alone. Agents
in this process cannot be interrupted: one that never answers is its author's to stop, or plays
behind the engine protocol, which has a clock.
"""

from __future__ import annotations

import contextlib
import operator
import secrets
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, TypeAlias

import numpy as np

from tzaar_envs.agents import Agent
from tzaar_envs.arena.history import GameHistory, move_data
from tzaar_envs.arena.plan import GameBatch, Plan, Progress
from tzaar_envs.arena.records import GameId, GameRecord, MoveData, RecordFile
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.system.interrupts import signals_deferred
from tzaar_envs.system.workers import open_executor

_ERROR_LENGTH = 300  # characters

Answer: TypeAlias = tuple[int, MoveData | None] | ForfeitError
"""An action, legal or not, with what the agent's search found; or how it forfeits the game."""


def play_missing(
    plan: Plan,
    agents: Sequence[Agent],
    rounds: Iterable[Iterable[GameBatch]],
    finished: dict[GameId | None, GameRecord],
    workers: int,
    progress: Progress | None = None,
    *,
    ray: bool = False,
    file: RecordFile | None = None,
) -> bool:
    """Play batches of games, and add each game to those that are finished as soon as it is over.

    Args:
        plan: The plan that the batches belong to.
        agents: The agents of the plan, for the case that they play in this process.
        rounds: Batches; those of a round are played once the round before has ended.
        finished: The games that are finished; the others of the batches are added.
        workers: The number of batches played at a time; 1: in this process, unless on Ray.
        progress: Called when a game has finished.
        ray: Play on Ray.
        file: The file that the games are also added to.

    Returns:
        Whether Ctrl-C ended it.

    Raises:
        ModuleNotFoundError: Ray is not installed.
        OSError: The file cannot be written.
        ChildProcessError: A worker process has died.
        ValueError: An agent or a start cannot be made.
    """
    games = len(plan.line_ups) * plan.header.games
    try:
        with contextlib.closing(_play_batches(plan, agents, rounds, workers, ray)) as playing:
            for record in playing:
                with signals_deferred():
                    if record.match in finished:
                        continue
                    if file is not None:
                        file.append(record)
                    finished[record.match] = record
                    if progress is not None:
                        progress(len(finished), games)
    except KeyboardInterrupt:
        return True
    return False


def _play_batches(
    plan: Plan,
    agents: Sequence[Agent],
    rounds: Iterable[Iterable[GameBatch]],
    workers: int,
    ray: bool,
) -> Generator[GameRecord, None, None]:
    if workers == 1 and not ray:
        for batches in rounds:
            for batch in batches:
                yield from play_batch(plan, agents, batch)
        return
    token = secrets.token_bytes()
    try:
        with open_executor(workers, ray) as executor:
            for batches in rounds:
                calls = ((token, plan, batch) for batch in batches)
                yield from executor.stream(_play_in_worker, calls)
    except BrokenExecutor as error:
        raise ChildProcessError(
            f"a worker process died ({error}): there may be too little memory, an agent may crash, "
            "or the script that started it does not guard its main part with `if __name__ == "
            "'__main__':`"
        ) from error


# Of a worker process, made once for a call: on Ray, processes outlive it, and files change.
_agents_of: dict[bytes, list[Agent]] = {}


def _play_in_worker(token: bytes, plan: Plan, batch: GameBatch) -> Iterator[GameRecord]:
    """Play a batch in a worker process; the same token means the same agents."""
    if token not in _agents_of:
        _agents_of.clear()
        _agents_of[token] = plan.make_agents()
    return play_batch(plan, _agents_of[token], batch)


def play_batch(plan: Plan, agents: Sequence[Agent], batch: GameBatch) -> Iterator[GameRecord]:
    """Play a batch, and yield the record of every game when it is over.

    Args:
        plan: The plan that it belongs to.
        agents: The plan's agents.
        batch: The games to play.
    """
    line_up = [agents[number] for number in plan.line_ups[batch.line_up]]
    unseeded: dict[int, ForfeitError] = {}  # by place; they forfeit all games of the batch
    for place, agent in enumerate(line_up):
        try:
            agent.seed(plan.agent_stream(batch, place))
        except BaseException as error:
            unseeded[place] = _forfeit_by(error)
    running = [plan.open_game(game) for game in plan.games_of(batch)]
    while running:
        for place, agent in enumerate(line_up):
            seat = (place + batch.rotation) % plan.seats
            own = [game for game in running if game.state.current_player == seat]
            if not own:
                continue
            answers = [unseeded[place]] * len(own) if place in unseeded else ask(agent, own)
            for game, answer in zip(own, answers, strict=True):
                play(game, answer)
                if game.is_over:
                    running.remove(game)
                    yield game.to_record()


def play(game: GameHistory, answer: Answer) -> None:
    """Play the move of the agent to move; without a legal one it forfeits the game."""
    if not isinstance(answer, ForfeitError):
        try:
            game.apply(*answer)
            return
        except ValueError:
            text = f"action {answer[0]} is not legal in {game.state.label}"
            answer = ForfeitError("illegal action", text)
    game.end_by_forfeit(answer.reason, " ".join(str(answer).split())[:_ERROR_LENGTH])


def ask(agent: Agent, games: Sequence[GameHistory]) -> Sequence[Answer]:
    """Return an agent's answer in each of the games in which it is to move.

    It gets copies of the positions, so it cannot change the games.
    """
    states = [game.state for game in games]
    with _one_torch_thread():
        if agent.acts_singly:
            return [_act(agent, game) for game in games]
        try:
            found = np.asarray(agent.act_batch([game.for_agent() for game in games]))
            searches = agent.last_searches
            data = [*map(move_data, states, searches)] if len(searches) == len(states) else []
        except KeyboardInterrupt:
            raise
        except BaseException as failure:
            # One position may have spoiled the batch: only its game shall be lost.
            return (
                [_act(agent, game) for game in games] if len(games) > 1 else [_forfeit_by(failure)]
            )
    if found.shape != (len(states),) or found.dtype.kind not in "iu":
        given = f"act_batch returned {found.dtype} of shape {found.shape}"
        error = ForfeitError("exception", f"{given}, not integers of shape ({len(states)},)")
        return [error] * len(states)
    return [*zip(found.tolist(), data or [None] * len(states), strict=True)]


def _act(agent: Agent, game: GameHistory) -> Answer:
    try:
        action = operator.index(agent.act(game.for_agent()))
        return action, move_data(game.state, agent.last_search)
    except BaseException as error:
        return _forfeit_by(error)


def _forfeit_by(error: BaseException) -> ForfeitError:
    """Return the forfeit of an agent that raised this; Ctrl-C is raised again."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    if isinstance(error, ForfeitError):
        return error
    text = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
    return ForfeitError("exception", text)


@contextlib.contextmanager
def _one_torch_thread() -> Iterator[None]:
    """Let PyTorch, if it is loaded, compute on one thread; their number shows in its rounding."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
