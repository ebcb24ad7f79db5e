"""What shows when a game of an environment is played again."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.testing.episodes import (
    AecTable,
    Episode,
    Players,
    Problem,
    Turn,
    first_difference,
    mask_of,
    play,
    play_on,
    replay,
    same,
    table_of,
)
from tzaar_envs.testing.finding import sentence_of

# --- Seeds: they determine the game, and nothing else does ----------------------------------------

_STARTS = 8  # without a seed; one of them may be that of the seed by chance

MakeTable = Callable[[], AecTable]


def same_game_again(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """The same seed and actions lead to the same game, in a new environment and in the same one."""
    table = make()
    for what in ("the next environment", "the same environment"):
        differs = first_difference(episode.turns, play(table, episode.seed, most).turns)
        if differs:
            turns, where = differs
            return Problem(f"with the same seed and actions, {where} of {what} differ", turns)
    return None


def no_global_generator(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """The global generators of `random` and NumPy have no part in it."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002 - it is what is tested
    try:
        games = []
        for seed in (1, 2):
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            games.append(play(make(), episode.seed, most))
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
    differs = first_difference(games[0].turns, games[1].turns)
    if not differs:
        return None
    return Problem(f"{differs[1]} depend on the global random generators", differs[0])


def the_stream_goes_on(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """A second `reset` without a seed goes on with the stream of the first one."""
    table, other = make(), make()
    first = play(table, episode.seed, most)
    second = play(table, episode.seed, most, reseed=False)
    play(other, episode.seed, most)
    again = play(other, episode.seed, most, reseed=False)
    if table is not other and (differs := first_difference(second.turns, again.turns)):
        return Problem(
            f"reset without a seed after the same game leads to different {differs[1]}", 0
        )
    if not _start_differs(first, play(make(), episode.seed + 1, most)):
        return None  # there is one start only
    for _ in range(_STARTS):
        if first_difference(first.turns, second.turns):
            return None
        second = play(table, episode.seed, most, reseed=False)
    return Problem("reset without a seed repeats the game of the last seed", 0)


def _start_differs(one: Episode, other: Episode) -> bool:
    """Whether two games with different seeds show something else in the first turn already."""
    if not one.turns or not other.turns:
        return False
    first, other_first = (_without_choice(episode) for episode in (one, other))
    return first_difference([first], [other_first]) is not None


def _without_choice(episode: Episode) -> Turn:
    """Return the first turn without what was played."""
    return replace(episode.turns[0], actions={}, rewards={}, terminations={}, truncations={})


# --- Copies and pickles in mid-game go on like the original, and independently of it --------------

_GOES_ON = 20  # turns


def deep_copies(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """A deep copy in mid-game keeps the game."""
    return _compared("a deep copy", copy.deepcopy, make(), episode)


def pickled_copies(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """A pickled copy in mid-game keeps the game."""
    return _compared("a pickled copy", lambda env: pickle.loads(pickle.dumps(env)), make(), episode)


def _compared(way: str, copied: Any, table: AecTable, episode: Episode) -> Problem | None:
    turns = len(episode.turns) // 2
    replay(table, episode, turns)
    try:
        other = table_of(copied(table.env))
        if table.is_parallel:  # what the last step returned belongs to the caller
            for name in ("observations", "infos", "_flags"):
                setattr(other, name, copy.deepcopy(getattr(table, name)))
        players = Players(other.env, episode.seed)
        ahead = [*play_on(other, players, _GOES_ON)]
    except Exception as error:
        return Problem(f"{way} in mid-game {sentence_of(error)}", turns)
    behind = [*play_on(table, Players(table.env, episode.seed), _GOES_ON)]
    if differs := first_difference(behind, ahead):
        return Problem(f"{way} in mid-game goes on with different {differs[1]}", turns)
    return None


# --- Legality -------------------------------------------------------------------------------------

_POSITIONS = 8  # of an episode
_TRIES = 6  # actions that the mask forbids, and as many that it allows, in each position
_LATEST = 60  # turns; later positions take too long to reach


def forbidden_actions_are_refused(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """No action is played that the mask forbids."""
    return _tried(make, episode, allowed=False)


def allowed_actions_are_played(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """Every action is played that the mask allows."""
    return _tried(make, episode, allowed=True)


def missing_actions_are_refused(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """An action that is not in the action space is refused."""
    for number, turn in enumerate(episode.turns[:1]):
        for agent in turn.masks:
            space = make().env.action_space(agent)
            if isinstance(space, spaces.Discrete):
                action = int(space.start + space.n)
                table = make()
                if _is_refused(table, episode, number, agent, action) is None:
                    return Problem(
                        f"{agent} plays action {action}, which its action space does not have",
                        number,
                    )
    return None


def _tried(make: MakeTable, episode: Episode, allowed: bool) -> Problem | None:
    choices = random.Random(episode.seed)
    table = make()
    numbers = [
        number
        for number, turn in enumerate(episode.turns[:_LATEST])
        if not turn.was_over and any(mask is not None for mask in turn.masks.values())
    ]
    some = {*choices.sample(numbers, min(_POSITIONS, len(numbers))), *numbers[:1], *numbers[-1:]}
    for number in sorted(some):
        for agent, mask in episode.turns[number].masks.items():
            if mask is None:
                continue
            candidates = np.flatnonzero((mask != 0) == allowed).tolist()
            for action in choices.sample(candidates, min(_TRIES, len(candidates))):
                refusal = _is_refused(table, episode, number, agent, action, allowed)
                if allowed and refusal:
                    return Problem(
                        f"the mask allows {agent} action {action}, which {refusal}", number
                    )
                if not allowed and refusal is None:
                    return Problem(
                        f"the mask forbids {agent} action {action}, which is played like a legal "
                        "one",
                        number,
                    )
    return None


def _is_refused(
    table: AecTable, episode: Episode, number: int, agent: str, action: int, strictly: bool = False
) -> str | None:
    """Return how a position's action is refused; None if it is played.

    Args:
        table: the environment.
        episode: a game that leads to the position.
        number: of the turn.
        agent: who plays the action; others do as in the episode.
        action: the action.
        strictly: an unchanged position is no refusal: passing may be legal.
    """
    replay(table, episode, number)
    turn = episode.turns[number]
    before = _seen(table)
    try:
        table.step({**turn.actions, agent: action})
    except Exception as error:
        return f"raises {type(error).__name__}"
    rewards, terminations, truncations = table.flags()
    is_over = rewards and all(terminations.get(each) or truncations.get(each) for each in rewards)
    others = [reward for each, reward in rewards.items() if each != agent]
    if is_over and rewards.get(agent, 0) < 0 and not any(others):
        return "ends the game with a penalty for the mover"
    if not strictly and not is_over and same(before, _seen(table)):
        return "changes nothing"
    return None


def _seen(table: AecTable) -> Any:
    asked = table.asked()
    return [
        (agent, table.observation(agent), mask_of(table.observation(agent), table.info(agent)))
        for agent in asked
    ]


LegalActions = Callable[[Any, str], Iterable[int]]
"""`legal(env, agent)`: the legal actions of an agent, from another source than the mask."""


def as_the_rules_say(
    legal: LegalActions,
) -> Callable[[MakeTable, Episode, int], Problem | None]:
    """Return a check: masks allow what another source of legal actions says."""

    def check(make: MakeTable, episode: Episode, most: int) -> Problem | None:
        table = make()
        table.reset(episode.seed)
        for number, turn in enumerate(episode.turns):
            for agent, mask in turn.masks.items():
                if mask is None or agent in turn.was_over:
                    continue
                actual = {int(action) for action in legal(table.env, agent)}
                allowed = {int(action) for action in np.flatnonzero(mask)}
                for action in sorted(actual - allowed):
                    return Problem(
                        f"the mask hides action {action} from {agent}, which is legal", number
                    )
                for action in sorted(allowed - actual):
                    return Problem(
                        f"the mask allows {agent} action {action}, which is not legal", number
                    )
            table.step(turn.actions)
        return None

    return check


# --- Hidden information: what an agent is told does not depend on what is hidden from it ----------

Redraw = Callable[[Any, str, int], object]
"""`redraw(env, agent, seed)`: draw anew, in place, all that is hidden from an agent."""

_REDRAWN = 3  # times in each position


def the_agent_cannot_tell(
    redraw: Redraw,
) -> Callable[[MakeTable, Episode, int], Problem | None]:
    """Return a check: an agent sees the same after what is hidden from it is drawn anew."""

    def check(make: MakeTable, episode: Episode, most: int) -> Problem | None:
        table = make()
        numbers = range(min(len(episode.turns), _LATEST))
        choices = random.Random(episode.seed)
        for number in sorted(choices.sample(numbers, min(_POSITIONS, len(numbers)))):
            for agent in episode.turns[number].agents:
                for seed in range(_REDRAWN):
                    replay(table, episode, number)
                    before = _told(table.env, agent)
                    redraw(table.env, agent, seed)
                    after = _told(table.env, agent)
                    for what, told in before.items():
                        if not same(told, after[what]):
                            return Problem(
                                f"the {what} of {agent} changes when only what is hidden from it "
                                "is drawn anew",
                                number,
                            )
        return None

    return check


def _told(env: Any, agent: str) -> dict[str, Any]:
    """Return what an AEC environment tells an agent."""
    _, reward, terminated, truncated, info = env.last(observe=False)
    told = {
        "observation": env.observe(agent),
        "turn": env.agent_selection,
        "end": (terminated, truncated),
    }
    if agent == env.agent_selection:
        told |= {"reward": reward, "info": info}
    return copy.deepcopy(told)
