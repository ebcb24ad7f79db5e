"""The checks of an environment, in the order in which they run."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pettingzoo.utils.env_logger import EnvLogger

from tzaar_envs.testing import env_checks, replay_checks
from tzaar_envs.testing.episodes import AecTable, Episode, Problem, play, table_of
from tzaar_envs.testing.finding import Finding, sentence_of
from tzaar_envs.testing.replay_checks import LegalActions, MakeTable, Redraw

EPISODE_CHECKS: tuple[tuple[str, Callable[[Any, Episode], Problem | None]], ...] = (
    ("observations", env_checks.within_their_space),
    ("observations", env_checks.never_written_again),
    ("masks", env_checks.fit_the_action_space),
    ("masks", env_checks.something_is_legal),
    ("masks", env_checks.masks_agree),
    ("rewards", env_checks.finite_numbers),
    ("rewards", env_checks.last_tells_all),
    ("agents", env_checks.told_of_each),
    ("agents", env_checks.none_comes_back),
    ("agents", env_checks.each_leaves_in_time),
    ("end", env_checks.flags_are_bools),
    ("end", env_checks.nothing_is_taken_back),
    ("end", env_checks.all_end),
)
"""What a recorded game shows, each with its name."""

ReplayCheck = Callable[[MakeTable, Episode, int], Problem | None]

REPLAY_CHECKS: tuple[tuple[str, ReplayCheck], ...] = (
    ("seeds", replay_checks.same_game_again),
    ("seeds", replay_checks.no_global_generator),
    ("seeds", replay_checks.the_stream_goes_on),
    ("copies", replay_checks.deep_copies),
    ("copies", replay_checks.pickled_copies),
    ("legality", replay_checks.allowed_actions_are_played),
    ("legality", replay_checks.forbidden_actions_are_refused),
    ("legality", replay_checks.missing_actions_are_refused),
)
"""What shows when a game is played again, each with its name."""


def check_env(
    env_or_factory: Any,
    *,
    episodes: int = 3,
    seed: int = 0,
    max_steps: int = 2000,
    legal: LegalActions | None = None,
    redraw: Redraw | None = None,
) -> list[Finding]:
    """Check what a PettingZoo environment promises, of either API, with random games.

    Args:
        env_or_factory: an AEC or parallel environment, or a function without arguments that makes
            one, which is better: two environments can be compared then.
        episodes: how many games are played.
        seed: of the first game; the next ones follow it.
        max_steps: no game is longer; one that is not over then is a finding.
        legal: `legal(env, agent)`, another source of the legal actions of an agent that has to act;
            None if there is none.
        redraw: `redraw(env, agent, seed)` draws anew, in place, all that is hidden from an agent,
            and leaves all that it may know; None if that cannot be done. For AEC environments.

    Returns:
        The findings, one at most for each promise; none if all is well.

    Raises:
        TypeError: neither an environment nor a function that makes one.
        ValueError: `redraw` with a parallel environment, which cannot be asked again what it shows.
    """
    with _silence(), _Environments(env_or_factory) as environments:
        if redraw is not None and environments.make().is_parallel:
            raise ValueError("redraw needs an AEC environment: a parallel one shows only its steps")
        further: list[tuple[str, ReplayCheck]] = []
        if legal:
            further.append(("masks", replay_checks.as_the_rules_say(legal)))
        if redraw:
            told = replay_checks.the_agent_cannot_tell(redraw)
            further.append(("hidden_information", told))
        checker = _Checker(environments, max_steps, further)
        if checker.check_start(seed):
            for number in range(episodes):
                checker.check_episode(seed + number)
        return checker.findings


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep warnings of environments back: illegal actions are played on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        EnvLogger.suppress_output()
        try:
            yield
        finally:
            EnvLogger.unsuppress_output()


class _Environments:
    """The source of environments, which closes them in the end."""

    def __init__(self, env_or_factory: Any) -> None:
        is_env = hasattr(env_or_factory, "reset") and not isinstance(env_or_factory, type)
        self._is_factory = callable(env_or_factory) and not is_env
        self._source = env_or_factory
        self._made: list[AecTable] = []

    def __enter__(self) -> _Environments:
        return self

    def __exit__(self, *error: object) -> None:
        for table in self._made if self._is_factory else ():
            with contextlib.suppress(Exception):
                table.env.close()

    def make(self) -> AecTable:
        """Return a new environment; the only one if there is no factory."""
        table = table_of(self._source() if self._is_factory else self._source)
        self._made.append(table)
        return table


class _Checker:
    """The checks of one environment; each of them reports its first finding alone."""

    def __init__(
        self,
        environments: _Environments,
        max_steps: int,
        further: Sequence[tuple[str, ReplayCheck]],
    ) -> None:
        self.findings: list[Finding] = []
        self._replay_checks = (*REPLAY_CHECKS, *further)
        self._make = environments.make
        self._most = max_steps
        self._broken: set[object] = set()

    def check_start(self, seed: int) -> bool:
        """Check spaces and `reset`; return whether a game can be played."""
        table = self._make()
        for problem in _problems(env_checks.space_problems(table.env)):
            self.findings.append(Finding("spaces", problem))
        try:
            returned = table.env.reset(seed=seed)
        except Exception as error:
            self.findings.append(Finding("start", f"reset {sentence_of(error)}", seed))
            return False
        for problem in _problems(env_checks.start_problems(table.env, returned, table.is_parallel)):
            self.findings.append(Finding("start", problem, seed))
        try:
            what = env_checks.state_problem(table.env)
        except Exception as error:
            what = f"state() {sentence_of(error)}"
        if what:
            self.findings.append(Finding("state", what, seed))
        return True

    def check_episode(self, seed: int) -> None:
        """Play a game, check it, and play it again in other ways."""
        table = self._make()
        episode = play(table, seed, self._most)
        if episode.error:
            turns = len(episode.turns)
            self._report("play", "play", Problem(f"playing on {episode.error}", turns), episode)
        for name, check in EPISODE_CHECKS:
            if check is env_checks.all_end and episode.error:
                continue
            if check not in self._broken and (problem := check(table.env, episode)):
                self._report(check, name, problem, episode)
        if not episode.turns:
            return
        for name, replay_check in self._replay_checks:
            # Most of them mean nothing if a position cannot be reached again.
            cannot_replay = replay_checks.same_game_again in self._broken
            if cannot_replay and replay_check is not replay_checks.no_global_generator:
                continue
            if replay_check in self._broken:
                continue
            if problem := self._replayed(replay_check, episode):
                self._report(replay_check, name, problem, episode)

    def _replayed(self, check: ReplayCheck, episode: Episode) -> Problem | None:
        try:
            return check(self._make, episode, self._most)
        except Exception as error:
            return Problem(f"playing it again {sentence_of(error)}", len(episode.turns))

    def _report(self, promise: object, name: str, problem: Problem, episode: Episode) -> None:
        self._broken.add(promise)
        actions = episode.actions(problem.turns)
        self.findings.append(Finding(name, problem.sentence, episode.seed, actions))


def _problems(found: Iterator[str]) -> list[str]:
    """Return problems; an error that an environment raises is one too."""
    problems: list[str] = []
    try:
        problems += found
    except Exception as error:
        problems.append(sentence_of(error))
    return problems
