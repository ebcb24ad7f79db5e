"""The command `play`: a game in the terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import tzaar_envs
from tzaar_envs.cli.output import has_colours, new_console, working
from tzaar_envs.cli.parameters import RandomSeed, StartPosition, complete_agent, game_of
from tzaar_envs.command_line import EXIT_INTERRUPTED, GameName, GameOptions
from tzaar_envs.render.markdown import for_terminal
from tzaar_envs.system.terminal import columns

if TYPE_CHECKING:
    from tzaar_envs.arena.history import GameHistory
    from tzaar_envs.core.game import Game


def play(
    name: GameName | None = None,
    /,
    *,
    opponent: Annotated[
        str | None,
        Parameter(
            metavar="AGENT",
            help="Agent that takes the other seats.",
            show_default="greedy",
            completer=complete_agent,
        ),
    ] = None,
    seat: Annotated[
        str | None,
        Parameter(
            metavar="SEAT",
            help="Your seat: its number or name, several with commas, `random` or `all`.",
            show_default="0",
        ),
    ] = None,
    option: GameOptions = (),
    seed: RandomSeed = None,
    position: StartPosition = None,
    resume: Annotated[
        Path | None, Parameter(metavar="FILE", help="File of a saved game to continue.")
    ] = None,
    save: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            help="File in which the game is saved after every move.",
            show_default="a new file in the user's state folder",
        ),
    ] = None,
) -> None:
    """Play a game against an agent in the terminal.

    Moves are typed in the notation of the game; `help` lists the other inputs.
    """
    with working():
        from tzaar_envs.agents import starts_program
        from tzaar_envs.cli.terminal_game import TerminalGame, load_saved_game, new_file

        if resume is not None:
            start_only = {"--seat": seat, "--seed": seed, "--position": position}
            _check_resume(start_only | {"--option": option or None})
            history, recorded = load_saved_game(resume)
            _check_same_game(name, history.game, resume)
            if opponent is None and starts_program(recorded):
                raise ValueError(
                    f"{str(resume)!r} names a program as opponent, which runs only if you name it: "
                    f"resume with --opponent {shlex.quote(recorded)}"
                )
            opponent = opponent or recorded
        else:
            opponent = opponent or "greedy"
            history = _new_game(name, option, seat, seed, position, opponent)
        path = save or resume or new_file(history.game)
        game = TerminalGame(
            history, opponent, path, _ask, print, has_colours(), _show_page, columns
        )
    if save is not None and not (resume and save.exists() and save.samefile(resume)):
        if save.exists():
            raise ValueError(
                f"--save {str(save)!r} exists already: choose another name, or resume it with "
                f"--resume {str(save)!r} if it is a saved game"
            )
        game.save(save)
    if not game.run():
        sys.exit(EXIT_INTERRUPTED)


def _new_game(
    name: str | None,
    options: Sequence[str],
    seat: str | None,
    seed: int | None,
    position: str | None,
    opponent: str,
) -> GameHistory:
    import secrets

    from tzaar_envs.agents import AgentText
    from tzaar_envs.arena.history import HUMAN
    from tzaar_envs.cli.terminal_game import start_history

    if name is None:
        games = ", ".join(tzaar_envs.list_games())
        raise ValueError(f"play needs a game, or --resume FILE: the games are {games}")
    game = game_of(name, options)
    AgentText.parse(opponent, game.spec)  # refused before anything is compiled
    people = _parse_seats(seat or "0", game.layout.seat_names)
    agents = [HUMAN if number in people else opponent for number in range(game.num_players)]
    return start_history(game, secrets.randbelow(2**32) if seed is None else seed, position, agents)


def _parse_seats(text: str, names: Sequence[str]) -> tuple[int, ...]:
    """Return the seats that a text names: numbers, names, `random` or `all`."""
    import secrets

    if text.casefold() == "all":
        return tuple(range(len(names)))
    if text.casefold() == "random":
        return (secrets.randbelow(len(names)),)
    words = {str(seat): seat for seat in range(len(names))}
    words |= {name.casefold(): seat for seat, name in enumerate(names)}
    seats = set()
    for part in text.split(","):
        if part.strip().casefold() not in words:
            allowed = ", ".join(f"{seat} or {name}" for seat, name in enumerate(names))
            raise ValueError(f"--seat {part.strip()!r} is not a seat: use {allowed}, random or all")
        seats.add(words[part.strip().casefold()])
    return tuple(sorted(seats))


def _check_resume(given: dict[str, Any]) -> None:
    for flag, value in given.items():
        if value is not None:
            raise ValueError(f"{flag} cannot be given with --resume: the saved game has its own")


def _check_same_game(name: str | None, game: Game, path: Path) -> None:
    from tzaar_envs.registry import find_spec

    if name is not None and find_spec(name) != game.spec:
        raise ValueError(f"{str(path)!r} is a game of {game.name}, not of {name}")


def _show_page(text: str) -> None:
    new_console().print(for_terminal(text))


def _ask(prompt: str) -> str:
    """Return a line from the terminal, with editing, or from a pipe, and echo it then."""
    if sys.stdin.isatty():
        with suppress(ImportError):  # not on Windows
            import readline  # noqa: F401  # input() then has editing and a history
        return input(prompt)
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(line.rstrip("\n"))
    return line
