"""The checks of an environment, in the order in which they run."""

from __future__ import annotations

import contextlib
import functools
import io
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils.env_logger import EnvLogger

from tzaar_envs.testing import env_checks
from tzaar_envs.testing.env_checks import LegalActions, MakeDriver, Problems, Redraw
from tzaar_envs.testing.episodes import EnvDriver, Episode, play
from tzaar_envs.testing.finding import Finding, sentence_of

EPISODE_CHECKS: tuple[tuple[str, Callable[[Any, Episode], Problems]], ...] = (
    ("observations", env_checks.observations),
    ("masks", env_checks.masks),
    ("rewards", env_checks.rewards),
    ("agents", env_checks.agents),
    ("end", env_checks.end),
)
"""Checks of a recorded game, each with its name."""

ReplayCheck = Callable[[MakeDriver, Episode, int], Problems]

REPLAY_CHECKS: tuple[tuple[str, ReplayCheck], ...] = (
    ("seeds", env_checks.the_stream_goes_on),
    ("copies", env_checks.copies),
    ("legality", env_checks.legality),
)
"""Checks that play a game again, each with its name."""

ENV_CHECKS = (
    "pettingzoo",
    "play",
    *(name for name, _ in EPISODE_CHECKS),
    *(name for name, _ in REPLAY_CHECKS),
    "hidden_information",
)
"""The names of all checks."""

_CYCLES = 500  # of PettingZoo's own test


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
        env_or_factory: An AEC or parallel environment, or a function without arguments that makes
            one, which is better: two environments can be compared then.
        episodes: The number of games to play.
        seed: Seed of the first game; the next ones follow it.
        max_steps: No game is longer; one that is not over then is a finding.
        legal: `legal(env, agent)`, another source of the legal actions of an agent that has to act;
            None if there is none.
        redraw: `redraw(env, agent, seed)` draws anew, in place, all that is hidden from an agent,
            and leaves all that it may know; None if that cannot be done. For AEC environments.

    Returns:
        The findings, the first one of each check; none if all is well.

    Raises:
        TypeError: Neither an environment nor a function that makes one.
        ValueError: `redraw` with a parallel environment, which cannot be asked again what it shows.
    """
    is_factory = isinstance(env_or_factory, type) or not hasattr(env_or_factory, "reset")
    if is_factory and not callable(env_or_factory):
        raise TypeError(f"{env_or_factory!r} is neither an environment nor a function")
    found: dict[str, Finding] = {}
    with _silence(), contextlib.ExitStack() as stack:

        def make() -> EnvDriver:
            driver = EnvDriver(env_or_factory() if is_factory else env_or_factory)
            if is_factory:
                stack.callback(driver.env.close)
            return driver

        driver = make()
        if redraw is not None and driver.is_parallel:
            raise ValueError("redraw needs an AEC environment: a parallel one shows only its steps")
        if what := _pettingzoo_problem(driver):
            found["pettingzoo"] = Finding("pettingzoo", what)
        checks = [*REPLAY_CHECKS]
        if legal is not None:
            checks.append(("masks", functools.partial(env_checks.as_the_rules_say, legal)))
        if redraw is not None:
            told = functools.partial(env_checks.hidden_information, redraw)
            checks.append(("hidden_information", told))
        for number in range(seed, seed + episodes):
            for each in _episode_findings(make, number, max_steps, checks):
                found.setdefault(each.check, each)
    return [*found.values()]


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep warnings of environments back: illegal actions are played on purpose."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        EnvLogger.suppress_output()
        try:
            yield
        finally:
            EnvLogger.unsuppress_output()


def _pettingzoo_problem(driver: EnvDriver) -> str:
    """Return the finding of PettingZoo's own test of the API, if any."""
    test = parallel_api_test if driver.is_parallel else api_test
    try:
        for number, agent in enumerate(driver.env.possible_agents):
            driver.env.action_space(agent).seed(number)
        test(driver.env, _CYCLES)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1].line
        return f"{test.__name__} {sentence_of(error)}" + ("" if str(error) else f" at `{place}`")
    return ""


def _episode_findings(
    make: MakeDriver, seed: int, most: int, checks: list[tuple[str, ReplayCheck]]
) -> Iterator[Finding]:
    """Play a game, check it, and play it again in other ways."""
    driver = make()
    episode = play(driver, seed, most)

    def first(check: str, problems: Problems) -> Iterator[Finding]:
        try:
            sentence, turns = next(problems, ("", 0))
        except Exception as error:
            sentence, turns = f"playing it again {sentence_of(error)}", len(episode.turns)
        if sentence:
            yield Finding(check, sentence, seed, episode.actions(turns))

    if episode.error:
        actions = episode.actions(len(episode.turns))
        yield Finding("play", f"playing on {episode.error}", seed, actions)
    for name, check in EPISODE_CHECKS:
        yield from first(name, check(driver.env, episode))
    if not episode.turns:
        return
    differs = [*first("seeds", env_checks.same_game_again(make, episode, most))]
    yield from differs
    if not differs:  # else nothing else that is played again means anything
        for name, replay_check in checks:
            yield from first(name, replay_check(make, episode, most))
