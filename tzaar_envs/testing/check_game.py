"""The checks of a game, in the order in which they run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.testing.finding import Finding, sentence_of
from tzaar_envs.testing.game_checks import (
    batch,
    chance,
    copies,
    description,
    drawing,
    end,
    environment,
    hidden_information,
    loading,
    many_games,
    masks,
    notation,
    observations,
    results,
    symmetries,
    uncompiled,
)
from tzaar_envs.testing.game_checks.masks import LegalActions
from tzaar_envs.testing.game_checks.moment import Moment, random_game
from tzaar_envs.testing.playthroughs import first_difference, playthrough
from tzaar_envs.testing.variants import variants

Check = Callable[[Moment], str | None]

POSITION_CHECKS: tuple[Check, ...] = (
    # First those that notice a change of the state, which the others would cause.
    masks.listed_once,
    observations.nothing_is_changed,
    end.not_over_at_the_start,
    end.in_time,
    end.explained,
    masks.enough,
    masks.acting_players,
    masks.the_others_are_asked_next,
    masks.other_players_too,
    masks.same_for_a_read_position,
    notation.positions_are_read_again,
    notation.actions_are_read_again,
    notation.garbled_positions_are_refused,
    notation.garbled_actions_are_refused,
    copies.copies_go_on_alike,
    chance.only_as_declared,
    chance.outcomes_repeat_it,
    observations.within_their_range,
    observations.all_is_written,
    observations.same_for_a_read_position,
    results.returns_in_range,
    results.two_players_share_nothing,
    results.scores_are_numbers,
    results.evaluations_in_range,
    hidden_information.the_player_cannot_tell,
    hidden_information.redrawn_positions_are_possible,
    drawing.every_viewer_gets_one,
)
"""What holds in every position."""

WHOLE_GAME_CHECKS: tuple[Check, ...] = (
    chance.the_seed_determines_the_game,
    chance.a_restart_forgets_all,
    symmetries.images_go_on_alike,
    batch.rows_are_single_games,
)
"""What holds of a whole game; they get its last position."""

GAME_CHECKS: tuple[Callable[[Game, int], str | None], ...] = (
    symmetries.tables_are_permutations,
    chance.seeds_differ,
    hidden_information.something_is_redrawn,
)
"""What needs no single game; they get the seed of the first one."""

CHECKS = (
    "description",
    "uncompiled",
    "loading",
    "masks",
    "end",
    "notation",
    "copies",
    "chance",
    "observations",
    "results",
    "hidden_information",
    "symmetries",
    "drawing",
    "batch",
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
    found = [Finding("description", problem) for problem in description.spec_problems(spec)]
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
        for problem in description.layout_problems(game)
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
    problems = [*loading.loading_problems(spec, chosen)] if "loading" in wanted else []
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
        told = () if legal is None else (masks.as_another_source_says(legal),)
        self._position_checks = self._chosen((*POSITION_CHECKS, *told))
        self._whole_game_checks = self._chosen(WHOLE_GAME_CHECKS)

    def _chosen(self, checks: Sequence[Check]) -> list[Check]:
        return [check for check in checks if _name_of(check) in self._wanted]

    def check(self, game: Game, games: int) -> None:
        """Check one variant of the game."""
        for seed in range(self._seed, self._seed + games):
            self._check_random_game(game, seed)
        for check in GAME_CHECKS:
            if check in self._broken or _name_of(check) not in self._wanted:
                continue
            if sentence := _told(functools.partial(check, game, self._seed)):
                self._report(check, _name_of(check), sentence, game, self._seed)
        for name, findings in (
            ("many_games", many_games.findings),
            ("environment", environment.findings),
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
        moment = None
        try:
            for moment in random_game(game, seed):
                ply = len(moment.actions)
                is_looked_at = ply < _EVERY or ply % _EVERY == seed % _EVERY
                if is_looked_at or moment.state.is_terminal or ply >= game.max_plies:
                    self._run(self._position_checks, moment)
        except Exception as error:
            actions = moment.actions if moment else ()
            self._report("play", "play", f"playing on {sentence_of(error)}", game, seed, actions)
        if moment is not None and moment.state.is_terminal:
            self._run(self._whole_game_checks, moment)

    def _run(self, checks: Sequence[Check], moment: Moment) -> None:
        for check in checks:
            if check in self._broken:
                continue
            if sentence := _told(functools.partial(check, moment)):
                name = _name_of(check)
                self._report(check, name, sentence, moment.game, moment.seed, moment.actions)

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


def _name_of(check: Callable[..., Any]) -> str:
    return check.__module__.rpartition(".")[2]
