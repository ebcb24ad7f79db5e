"""The commands that show games: `play`, `watch`, `serve`, `replay`."""

from __future__ import annotations

import secrets
import shlex
import sys
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.types import NonNegativeFloat, NonNegativeInt, Port, PositiveInt

import tzaar_envs
from tzaar_envs.cli import common
from tzaar_envs.render.markdown import for_terminal

if TYPE_CHECKING:
    from tzaar_envs.arena.records import GameRecord


def play(
    name: common.GameName | None = None,
    /,
    *,
    opponent: Annotated[str | None, common.Agent] = None,
    seat: str | None = None,
    option: common.GameOptions = (),
    seed: common.RandomSeed = None,
    position: common.StartPosition = None,
    resume: common.FilePath = None,
    save: common.FilePath = None,
) -> None:
    """Play a game against an agent in the terminal.

    Moves are typed in the notation of the game; `help` lists the other inputs.

    Args:
        opponent: Agent that takes the other seats. [default: greedy]
        seat: Your seat: its number or name, several with commas, `random` or `all`. [default: 0]
        resume: File of a saved game to continue.
        save: File in which the game is saved after every move. [default: a new file in the user's
            state folder]
    """
    from tzaar_envs.agents import AgentText, runs_code
    from tzaar_envs.arena.history import HUMAN
    from tzaar_envs.cli.terminal_game import TerminalGame, load_saved_game, new_file, start_history

    common.check_output("--save", save)
    with common.working():
        if resume is None:
            if name is None:
                games = ", ".join(tzaar_envs.list_games())
                raise ValueError(f"play needs a game, or --resume FILE: the games are {games}")
            game = common.game_of(name, option)
            opponent = opponent or "greedy"
            AgentText.parse(opponent, game.spec)  # refused before anything is compiled
            people = _parse_seats(seat or "0", game.layout.seat_names)
            agents = [HUMAN if place in people else opponent for place in range(game.num_players)]
            chosen = secrets.randbelow(2**32) if seed is None else seed
            history = start_history(game, chosen, position, agents)
        else:
            own = {"GAME": name, "--seat": seat, "--seed": seed, "--position": position}
            for flag, value in (own | {"--option": option or None}).items():
                if value is not None:
                    raise ValueError(
                        f"{flag} cannot be given with --resume: the saved game has its own"
                    )
            history, recorded = load_saved_game(resume)
            if opponent is None and runs_code(recorded):
                raise ValueError(
                    f"{str(resume)!r} names a program or Python code, which runs only if you name "
                    f"it: resume with --opponent {shlex.quote(recorded)}"
                )
            opponent = opponent or recorded
        path = save or resume or new_file(history.game)
        session = TerminalGame(
            history,
            opponent,
            path,
            input,
            print,
            common.has_colours(),
            lambda page: common.new_console().print(for_terminal(page)),
        )
    if sys.stdin.isatty():
        with suppress(ImportError):  # not on Windows
            import readline  # noqa: F401  # input() then has editing and a history
    session.run()


def _parse_seats(text: str, names: Sequence[str]) -> set[int]:
    """Return the seats that a text names: numbers or names with commas, `random` or `all`."""
    seats = {name.casefold(): [seat] for seat, name in enumerate(names)}
    seats |= {str(seat): [seat] for seat in range(len(names))}
    seats |= {"random": [secrets.randbelow(len(names))], "all": [*range(len(names))]}
    try:
        return {seat for part in text.casefold().split(",") for seat in seats[part.strip()]}
    except KeyError:
        allowed = ", ".join(f"{seat} or {name}" for seat, name in enumerate(names))
        raise ValueError(f"--seat {text!r} is not allowed: use {allowed}, random or all") from None


def watch(
    name: common.GameName,
    agents: Annotated[list[str], common.Agents],
    /,
    *,
    delay: NonNegativeFloat = 1.0,
    option: common.GameOptions = (),
    seed: common.RandomSeed = None,
    position: common.StartPosition = None,
    save: common.FilePath = None,
) -> None:
    """Watch agents play against each other. Ctrl-C ends the game.

    Args:
        agents: One agent for each seat, see `tzaar-envs info GAME`.
        delay: Seconds from one position to the next, at least.
        save: File of recorded games to which the game is added.
    """
    from tzaar_envs.arena.records import RecordedGamesHeader, append_records
    from tzaar_envs.cli.terminal_game import WatchedGame

    with common.working():
        game = common.game_of(name, option)
        chosen = secrets.randbelow(2**32) if seed is None else seed
        watched = WatchedGame(game, agents, chosen, position)
        if save is not None:
            # A file that cannot be written is reported before the game.
            append_records(save, RecordedGamesHeader(), [])
    console, colour = common.new_console(), common.has_colours()
    try:
        while True:
            shown = time.monotonic()
            console.clear()  # on a terminal; in a file each position is below the last one
            print(watched.text(colour), flush=True)
            if not console.is_terminal:
                print()
            if watched.history.is_over:
                break
            watched.step()
            time.sleep(max(0.0, shown + delay - time.monotonic()))
    except KeyboardInterrupt:
        print()  # the terminal has shown ^C
        raise
    finally:
        if save is not None and (watched.history.plies or watched.history.is_over):
            append_records(save, RecordedGamesHeader(), [watched.history.to_record()])
            print(f"The game is in {save}")


def serve(
    *,
    port: Port = 8421,
    agent: Annotated[tuple[str, ...], common.Agent] = (),
    open_page: Annotated[bool, Parameter(name="--open")] = False,
) -> None:
    """Play, analyse and replay the games in a browser on this machine. Ctrl-C ends the server.

    Args:
        port: Port; 0: any free one.
        agent: Agent that the page offers beside those of each game, such as policy:PATH; can be
            repeated. `engine:` and `python:` agents must be named here.
        open_page: Open the page in the default browser.
    """
    with common.working("Loading the games"):
        from tzaar_envs.web.app import run

    def started(address: str) -> None:
        print(f"The games are at {address} (Ctrl-C ends the server)", flush=True)
        if open_page:
            webbrowser.open(address)

    run(port, agent, started)
    print("\nThe server has ended.")


def replay(
    file: Annotated[Path, Parameter(name="FILE")],
    /,
    *,
    game: PositiveInt | None = None,
    out: Path | None = None,
    lost_by: Annotated[str | None, common.Agent] = None,
    text: bool = False,
    viewer: NonNegativeInt | None = None,
    theme: Literal["light", "dark"] = "light",
    width: PositiveInt = 480,
    seconds: float = 1.0,
) -> None:
    """Turn a recorded game into a page, a film or pictures, or print it.

    Args:
        file: File with games: a saved game, recorded games, a tournament or a match.
        game: Number of the game in a file with several, which are listed without it.
        lost_by: List only games that this agent lost; if there is one, show it.
        out: What is written: a page (.html), a film (.gif or .mp4), or without a suffix a folder of
            SVGs. [default: a page named like the file]
        text: Print the game instead.
        viewer: Seat of the player whose view it is: what was hidden from that player is left out.
            [default: everything is shown]
        theme: Colours of films and SVGs; a page has both.
        width: Width of films and SVGs, in pixels.
        seconds: Time for which a film shows a position.
    """
    from tzaar_envs.replay import PlayedGame, game_text, read_file, write_replay
    from tzaar_envs.replay.files import check_replay_path
    from tzaar_envs.replay.film import FilmStyle

    with common.working():
        if text and out is not None:
            raise ValueError("--text and --out cannot be given together: choose one")
        if out is not None:
            check_replay_path(out)
        style = FilmStyle(theme, width, seconds)
        records = read_file(file)
        numbers = [*range(1, len(records) + 1)]
        if lost_by is not None:
            numbers = _lost_by(lost_by, records, file)
        if game is None and len(numbers) == 1:
            game = numbers[0]
        if game is None:
            _list_games(records, numbers)
            print(f"Choose one with --game N, {numbers[0]} to {numbers[-1]}")
            return
        chosen = game
        if chosen > len(records):
            raise ValueError(
                f"--game {chosen} is not allowed: {str(file)!r} has the games 1 to {len(records)}"
            )
        name = f"{file.stem}-{chosen}" if len(records) > 1 else file.stem
        path = out or Path(f"{name}.html")
        if not text:
            common.check_output(None if out is None else "--out", path)
        try:
            played = PlayedGame(records[chosen - 1], viewer=viewer)
        except ValueError as error:
            raise ValueError(f"{str(file)!r}, game {chosen}: {error}") from error
    if text:
        print("\n\n".join(game_text(played, common.has_colours())))
        return
    with common.working(f"Writing {path}"):
        write_replay(path, played, style)
    print(f"The game is in {path}")


def _lost_by(agent: str, records: Sequence[GameRecord], file: Path) -> list[int]:
    """Return the numbers of the games that an agent has lost."""
    agents = dict.fromkeys(each for record in records for each in record.agents)
    if agent not in agents:
        raise ValueError(
            f"--lost-by {agent!r} is not allowed: the agents in {str(file)!r} are "
            f"{', '.join(agents)}"
        )
    lost = [
        number
        for number, record in enumerate(records, start=1)
        if any(
            player == agent and value < 0
            for player, value in zip(record.agents, record.returns or (), strict=False)
        )
    ]
    if not lost:
        raise ValueError(f"{agent} has lost no game in {str(file)!r}")
    return lost


def _list_games(records: Sequence[GameRecord], numbers: Sequence[int]) -> None:
    rows = []
    for at in numbers:
        record = records[at - 1]
        outcome: str = record.forfeit or "not finished"
        if record.returns is not None:
            returns = " ".join(f"{value:+g}" for value in record.returns)
            outcome = f"{returns} ({record.forfeit or record.end})"
        agents = " - ".join(record.agents)
        rows.append((str(at), record.game, agents, str(record.plies), outcome))
    columns = ("", "game", "agents", "moves", "result")
    common.new_console().print(common.table_of(columns, rows, right=("", "moves")))
