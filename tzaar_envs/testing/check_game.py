"""The checks of a game, in the order in which they run."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numba

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv
from tzaar_envs.testing import game_checks, position_checks, uncompiled
from tzaar_envs.testing.check_env import ENV_CHECKS, check_env
from tzaar_envs.testing.finding import Finding, sentence_of
from tzaar_envs.testing.playthroughs import first_difference, playthrough
from tzaar_envs.testing.position_checks import LegalActions, Position, random_game

PositionChecks = Sequence[tuple[str, Callable[[Position], Iterable[str]]]]

QUICK_CHECKS: PositionChecks = (
    ("masks", position_checks.something_is_legal),
    ("end", position_checks.end),
    ("observations", position_checks.within_range),
    ("results", position_checks.results),
)
"""Checks of every position in at least a hundred games."""

CLOSE_CHECKS: PositionChecks = (
    ("notation", position_checks.notation),
    ("hidden_information", position_checks.hidden_information),
    ("drawing", position_checks.drawing),
)
"""Checks of some positions in a few games."""

LAST_POSITION_CHECKS: PositionChecks = (
    ("chance", game_checks.chance),
    ("symmetries", game_checks.symmetries),
)
"""Checks of a whole game, from its last position."""

GAME_CHECKS = tuple(
    dict.fromkeys(
        (
            *("description", "uncompiled", "loading"),
            *(name for name, _ in (*QUICK_CHECKS, *CLOSE_CHECKS, *LAST_POSITION_CHECKS)),
            *ENV_CHECKS,
            "playthrough",
        )
    )
)
"""The names of all checks."""

_EVERY = 16  # positions of a long game, of which one is looked at closely
_QUICK_PLIES = 20_000  # of all quick games together, if they were as long as can be
_FEWEST_QUICK = 100  # games


def check_game(
    spec: GameSpec,
    options: Mapping[str, Any] | None = None,
    *,
    games: int = 5,
    seed: int = 0,
    legal: LegalActions | None = None,
    playthrough_file: Path | None = None,
) -> list[Finding]:
    """Check all that a game promises, as far as a program can without knowing its rules.

    Args:
        spec: The game.
        options: Those to check it with; None checks the default options, then each other value of
            each option alone.
        games: The number of random games with the first options; two with all others.
            At least a hundred further ones are looked at quickly.
        seed: Seed of the first game; the next ones follow it.
        legal: `legal(state)`, another source of the legal actions of a position, such as a slow
            implementation of the rules; None if there is none. Only this shows that the mask hides
            a legal action or allows one that is not.
        playthrough_file: A file that `playthrough(Game(spec), seed)` has written; None if there is
            none.

    Returns:
        The findings, the first one of each check; none if all is well.
    """
    chosen = [dict(options)] if options is not None else [*variants(spec.options)]
    try:
        variants_of_it = [Game(spec, **each) for each in chosen]
    except Exception as error:
        return [Finding("description", f"making its layout {sentence_of(error)}")]
    checker = _Checker()
    for game in variants_of_it:
        checker.run("description", functools.partial(game_checks.description, game), game)
    checker.check_code(variants_of_it, seed)
    if checker.found:
        return [*checker.found.values()]  # whatever else is found follows from that
    told = functools.partial(position_checks.masks, legal=legal)
    for number, game in enumerate(variants_of_it):
        checker.check_games(game, games if number == 0 else min(games, 2), seed, told)
    first = variants_of_it[0]
    checker.check_environments(first, seed)
    if playthrough_file is not None:
        written = playthrough_file.read_text(encoding="utf-8-sig")
        if what := first_difference(written, playthrough(first, seed)):
            checker.report("playthrough", what, first, seed)
    return [*checker.found.values()]


def _with(game: Game) -> str:
    """Return the options of a game that are not the default ones, as the end of a sentence."""
    defaults = {option.name: option.default for option in game.spec.options}
    other = [f"{name}={value}" for name, value in game.options.items() if value != defaults[name]]
    return f" (with {', '.join(other)})" if other else ""


class _Checker:
    """The first finding of each check.

    Attributes:
        found: The findings by the name of the check.
    """

    def __init__(self) -> None:
        self.found: dict[str, Finding] = {}

    def report(self, check: str, sentence: str, game: Game, *where: Any) -> None:
        """Keep a finding, unless there is one of this check already.

        Args:
            check: The name of the check.
            sentence: The problem.
            game: The variant that shows it.
            *where: The seed and the actions, as `Finding` has them.
        """
        self.found.setdefault(check, Finding(check, f"{sentence}{_with(game)}", *where))

    def run(
        self, check: str, problems: Callable[[], Iterable[str]], game: Game, *where: Any
    ) -> None:
        """Report the first problem that a check yields, or the error that the game raises in it."""
        if check in self.found:
            return
        try:
            sentence = next(iter(problems()), None)
        except Exception as error:
            sentence = sentence_of(error)
        if sentence:
            self.report(check, sentence, game, *where)

    def check_code(self, games: Sequence[Game], seed: int) -> None:
        """Play the variants of a game uncompiled, compile them, and compare both."""
        try:
            pickle.dumps(games)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            what = f"the spec cannot be sent to another process, as tournaments do: {error}"
            return self.report("loading", what, games[0])
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return None  # all other checks play uncompiled too
        try:
            played = uncompiled.play_uncompiled(games, seed)
        except RuntimeError as error:
            return self.report("uncompiled", str(error), games[0])
        for game, (_, actions, failure) in zip(games, played, strict=True):
            if failure:
                return self.report("uncompiled", failure, game, seed, actions)
        for game, (shown, _, _) in zip(games, played, strict=True):
            self.run("loading", functools.partial(game_checks.loading, game), game)
            if self.found:
                return None
            what, actions = uncompiled.first_difference(game, seed, shown)
            if what:
                return self.report("uncompiled", what, game, seed, actions)
        return None

    def check_games(
        self, game: Game, games: int, seed: int, masks: Callable[[Position], Iterable[str]]
    ) -> None:
        """Play random games, the first of which are checked closely."""
        # First what notices that the others would change a position.
        first = (("observations", position_checks.observations), ("masks", masks), *QUICK_CHECKS)
        for number in range(seed, seed + games):
            last = self._play(game, number, first, CLOSE_CHECKS)
            if last is not None and last.state.is_terminal:
                self._run_all(LAST_POSITION_CHECKS, last)
        further = max(_FEWEST_QUICK, _QUICK_PLIES // game.max_plies)
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            further = games
        for number in range(seed + games, seed + games + further):
            self._play(game, number, QUICK_CHECKS, ())

    def _play(
        self, game: Game, seed: int, checks: PositionChecks, close: PositionChecks
    ) -> Position | None:
        """Play a random game and check its positions; return the last one that was reached."""
        position = None
        try:
            for position in random_game(game, seed):
                self._run_all(checks, position)
                ply = len(position.actions)
                if ply < _EVERY or ply % _EVERY == seed % _EVERY or position.state.is_terminal:
                    self._run_all(close, position)
        except Exception as error:
            actions = position.actions if position else ()
            self.report("play", f"playing on {sentence_of(error)}", game, seed, actions)
        return position

    def _run_all(self, checks: PositionChecks, position: Position) -> None:
        for name, check in checks:
            problems = functools.partial(check, position)
            self.run(name, problems, position.state.game, position.seed, position.actions)

    def check_environments(self, game: Game, seed: int) -> None:
        """Check the AEC environment, and the parallel one of a simultaneous game."""
        most = (game.max_plies + 1) * (1 + game.num_players)
        kinds = (GameEnv, ParallelGameEnv) if game.spec.simultaneous else (GameEnv,)
        for kind in kinds:
            make = functools.partial(kind, game.spec, **game.options)
            for each in check_env(make, episodes=1, seed=seed, max_steps=most):
                self.report(each.check, each.sentence, game, each.seed, each.actions)


def variants(options: Iterable[Option]) -> Iterator[dict[str, Any]]:
    """Yield the defaults, then each other value of each option alone."""
    options = list(options)
    defaults = {option.name: option.default for option in options}
    yield defaults
    for option in options:
        for value in _values_of(option):
            if value != option.default:
                yield defaults | {option.name: value}


def _values_of(option: Option) -> list[Any]:
    """Return all values of an option; where that cannot be, the default and telling others."""
    if option.choices:
        return list(option.choices)
    if option.type is bool:
        return [False, True]
    if option.type is str:
        return [option.default, *option.examples]
    return sorted({option.minimum, option.default, option.maximum} - {None})
