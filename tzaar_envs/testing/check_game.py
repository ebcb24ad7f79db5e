"""The checks of a game, in the order in which they run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.testing import position_checks, uncompiled, view_checks, whole_game_checks
from tzaar_envs.testing.finding import Finding, sentence_of
from tzaar_envs.testing.playthroughs import first_difference, playthrough
from tzaar_envs.testing.position_checks import LegalActions
from tzaar_envs.testing.sampled_positions import SampledPosition, random_game

Check = Callable[[SampledPosition], str | None]

POSITION_CHECKS: tuple[tuple[str, Check], ...] = (
    # First those that notice a change of the state, which the others would cause.
    ("masks", position_checks.listed_once),
    ("observations", view_checks.nothing_is_changed),
    ("end", position_checks.not_over_at_the_start),
    ("end", position_checks.in_time),
    ("end", position_checks.explained),
    ("masks", position_checks.enough),
    ("masks", position_checks.acting_players),
    ("masks", position_checks.the_others_are_asked_next),
    ("masks", position_checks.other_players_too),
    ("masks", position_checks.legal_actions_of_a_read_position),
    ("notation", position_checks.positions_are_read_again),
    ("notation", position_checks.actions_are_read_again),
    ("notation", position_checks.garbled_positions_are_refused),
    ("notation", position_checks.garbled_actions_are_refused),
    ("chance", whole_game_checks.only_as_declared),
    ("chance", whole_game_checks.outcomes_repeat_it),
    ("observations", view_checks.within_their_range),
    ("observations", view_checks.all_is_written),
    ("observations", view_checks.observations_of_a_read_position),
    ("results", view_checks.returns_in_range),
    ("results", view_checks.two_players_share_nothing),
    ("results", view_checks.scores_are_numbers),
    ("results", view_checks.evaluations_in_range),
    ("hidden_information", view_checks.the_player_cannot_tell),
    ("hidden_information", view_checks.redrawn_positions_are_possible),
    ("drawing", view_checks.every_viewer_gets_one),
)
"""What holds in every position, each with its name."""

WHOLE_GAME_CHECKS: tuple[tuple[str, Check], ...] = (
    ("chance", whole_game_checks.the_seed_determines_the_game),
    ("chance", whole_game_checks.a_restart_forgets_all),
    ("symmetries", whole_game_checks.images_go_on_alike),
)
"""What holds of a whole game; they get its last position."""

GAME_CHECKS: tuple[tuple[str, Callable[[Game, int], str | None]], ...] = (
    ("symmetries", whole_game_checks.tables_are_permutations),
    ("chance", whole_game_checks.seeds_differ),
    ("hidden_information", view_checks.something_is_redrawn),
)
"""What needs no single game; they get the seed of the first one."""

CHECKS = (
    "description",
    "uncompiled",
    "loading",
    "masks",
    "end",
    "notation",
    "chance",
    "observations",
    "results",
    "hidden_information",
    "symmetries",
    "drawing",
    "many_games",
    "environment",
    "playthrough",
)
"""The names of all checks."""

_EVERY = 16  # positions of a long game, of which one is looked at


def check_game(
    spec: GameSpec,
    options: Mapping[str, Any] | None = None,
    *,
    games: int = 5,
    seed: int = 0,
    legal: LegalActions | None = None,
    playthrough_file: Path | None = None,
    checks: Collection[str] | None = None,
) -> list[Finding]:
    """Check all that a game promises, as far as a program can without knowing its rules.

    Args:
        spec: the game.
        options: those to check it with; None checks the default options, then each other value of
            each option alone.
        games: how many random games are played with the first options; two with all others.
        seed: of the first game; the next ones follow it.
        legal: `legal(state)`, another source of the legal actions of a position, such as a slow
            implementation of the rules; None if there is none. Only this shows that the mask hides
            a legal action or allows one that is not.
        playthrough_file: a file that `playthrough(Game(spec), seed)` has written; None if there is
            none.
        checks: names of the checks to run, of `CHECKS`; None: all.

    Returns:
        The findings, one at most for each promise; none if all is well.

    Raises:
        ValueError: there is no check of a name in `checks`.
    """
    if unknown := {*(checks or ())} - {*CHECKS}:
        raise ValueError(f"there is no check {min(unknown)!r}: the checks are {', '.join(CHECKS)}")
    wanted = CHECKS if checks is None else checks
    found = [Finding("description", problem) for problem in whole_game_checks.spec_problems(spec)]
    chosen = [dict(options)] if options is not None else [*variants(spec.options)]
    try:
        all_games = [Game(spec, **each) for each in chosen]
    except Exception as error:
        return [*found, Finding("description", f"making its layout {sentence_of(error)}")]
    found += _layout_findings(all_games)
    if found:
        return found
    found += _code_findings(spec, chosen, all_games, seed, wanted)
    if found:
        return found  # whatever else is found follows from that
    checker = _Checker(seed, legal, wanted)
    for number, game in enumerate(all_games):
        checker.check(game, games if number == 0 else min(games, 2))
    found += checker.findings
    if playthrough_file is not None and "playthrough" in wanted:
        found += _playthrough_findings(all_games[0], seed, playthrough_file)
    return found


def _layout_findings(games: Sequence[Game]) -> list[Finding]:
    problems = {
        f"{problem}{_with(game)}": None
        for game in games
        for problem in whole_game_checks.layout_problems(game)
    }
    return [Finding("description", problem) for problem in problems]


def _code_findings(
    spec: GameSpec,
    chosen: Sequence[dict[str, Any]],
    games: Sequence[Game],
    seed: int,
    wanted: Collection[str],
) -> list[Finding]:
    """Compile the game, and compare it with uncompiled code."""
    is_played = "uncompiled" in wanted
    played = uncompiled.play_uncompiled(spec, chosen, seed) if is_played else []
    for game, each in zip(games, played, strict=False):
        if each.error:
            sentence = f"{spec.name}: {each.error}{_with(game)}"
            return [Finding("uncompiled", sentence, seed, each.actions)]
    problems = [*uncompiled.loading_problems(spec, chosen)] if "loading" in wanted else []
    found = [Finding("loading", problem) for problem in problems[:1]]
    for game, each in zip(games, played if not found else (), strict=False):
        if differs := uncompiled.difference(game, each, seed):
            return [Finding("uncompiled", f"{differs[0]}{_with(game)}", seed, differs[1])]
    return found


def _playthrough_findings(game: Game, seed: int, file: Path) -> list[Finding]:
    what = first_difference(file.read_text(encoding="utf-8"), playthrough(game, seed))
    return [Finding("playthrough", what, seed)] if what else []


def _with(game: Game) -> str:
    """Return the options of a game that are not the default ones, as the end of a sentence."""
    defaults = {option.name: option.default for option in game.spec.options}
    other = [f"{name}={value}" for name, value in game.options.items() if value != defaults[name]]
    return f" (with {', '.join(other)})" if other else ""


class _Checker:
    """The checks that play; each of them reports its first finding alone."""

    def __init__(self, seed: int, legal: LegalActions | None, wanted: Collection[str]) -> None:
        self.findings: list[Finding] = []
        self._seed = seed
        self._wanted = wanted
        self._broken: set[object] = set()
        told = () if legal is None else (("masks", position_checks.as_another_source_says(legal)),)
        self._position_checks = self._chosen((*POSITION_CHECKS, *told))
        self._whole_game_checks = self._chosen(WHOLE_GAME_CHECKS)

    def _chosen(self, checks: Sequence[tuple[str, Check]]) -> list[tuple[str, Check]]:
        return [(name, check) for name, check in checks if name in self._wanted]

    def check(self, game: Game, games: int) -> None:
        """Check one variant of the game."""
        for seed in range(self._seed, self._seed + games):
            self._check_random_game(game, seed)
        for name, check in GAME_CHECKS:
            if check in self._broken or name not in self._wanted:
                continue
            if sentence := _told(functools.partial(check, game, self._seed)):
                self._report(check, name, sentence, game, self._seed)
        for name, findings in (
            ("many_games", whole_game_checks.many_games_findings),
            ("environment", whole_game_checks.environment_findings),
        ):
            if name in self._wanted:
                self._report_all(name, findings, game)

    def _report_all(
        self, name: str, findings: Callable[[Game, int], list[Finding]], game: Game
    ) -> None:
        try:
            found = findings(game, self._seed)
        except Exception as error:
            found = [Finding(name, sentence_of(error), self._seed)]
        for each in found:
            self._report(each.check, each.check, each.sentence, game, each.seed, each.actions)

    def _check_random_game(self, game: Game, seed: int) -> None:
        position = None
        try:
            for position in random_game(game, seed):
                ply = len(position.actions)
                is_looked_at = ply < _EVERY or ply % _EVERY == seed % _EVERY
                if is_looked_at or position.state.is_terminal or ply >= game.max_plies:
                    self._run(self._position_checks, position)
        except Exception as error:
            actions = position.actions if position else ()
            self._report("play", "play", f"playing on {sentence_of(error)}", game, seed, actions)
        if position is not None and position.state.is_terminal:
            self._run(self._whole_game_checks, position)

    def _run(self, checks: Sequence[tuple[str, Check]], position: SampledPosition) -> None:
        for name, check in checks:
            if check in self._broken:
                continue
            if sentence := _told(functools.partial(check, position)):
                self._report(check, name, sentence, position.game, position.seed, position.actions)

    def _report(
        self,
        promise: object,
        name: str,
        sentence: str,
        game: Game,
        seed: int | None = None,
        actions: tuple[Any, ...] = (),
    ) -> None:
        if promise not in self._broken:
            self._broken.add(promise)
            self.findings.append(Finding(name, f"{sentence}{_with(game)}", seed, actions))


def _told(check: Callable[[], str | None]) -> str | None:
    """Return what a check says; an error that a game raises is a finding too."""
    try:
        return check()
    except Exception as error:
        return sentence_of(error)


def values_of(option: Option) -> list[Any]:
    """Return all values of an option; where that cannot be, the default and telling others."""
    if option.choices:
        return list(option.choices)
    if option.type is bool:
        return [False, True]
    if option.type is str:
        return [option.default, *option.examples]
    numbers = {option.minimum, option.default, option.maximum} - {None}
    return sorted(numbers)


def variants(options: Iterable[Option]) -> Iterator[dict[str, Any]]:
    """Yield the defaults, then each other value of each option alone."""
    options = list(options)
    defaults = {option.name: option.default for option in options}
    yield defaults
    for option in options:
        for value in values_of(option):
            if value != option.default:
                yield defaults | {option.name: value}
