"""The command `watch`: agents play against each other before one's eyes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tzaar_envs.cli.output import has_colours, new_console, working
from tzaar_envs.cli.parameters import AgentPerSeat, RandomSeed, StartPosition, game_of
from tzaar_envs.command_line import EXIT_INTERRUPTED, GameName, GameOptions
from tzaar_envs.system.extras import require_extra

if TYPE_CHECKING:
    from tzaar_envs.cli.terminal_game import WatchedGame

_WINDOW_WIDTH = 720  # pixels
_PATIENCE = 0.1  # seconds between looks at the window after the game


def watch(
    name: GameName,
    agents: AgentPerSeat,
    /,
    *,
    delay: Annotated[
        float,
        Parameter(
            help="Seconds from one position to the next, at least.",
            validator=Number(gte=0, lte=3600),
        ),
    ] = 1.0,
    window: Annotated[
        bool, Parameter(help="Show a window too (needs the extra `render`); closing it ends.")
    ] = False,
    option: GameOptions = (),
    seed: RandomSeed = None,
    position: StartPosition = None,
    save: Annotated[
        Path | None,
        Parameter(metavar="FILE", help="File of recorded games to which the game is added."),
    ] = None,
) -> None:
    """Watch agents play against each other. Ctrl-C ends the game."""
    if window:
        require_extra("render", "--window", "resvg_py", "PIL.Image")
    with working():
        import secrets

        from tzaar_envs.cli.terminal_game import WatchedGame

        game = game_of(name, option)
        chosen = secrets.randbelow(2**32) if seed is None else seed
        watched = WatchedGame(game, agents, chosen, position)
        if save is not None:
            _append(save)  # a file that cannot be written is reported before the game
    show = _window_of(watched) if window else _terminal_of(watched)
    interrupted = False
    try:
        _play(watched, show, delay)
    except KeyboardInterrupt:
        interrupted = True
        print()  # the terminal has shown ^C
    finally:
        if save is not None and (watched.history.plies or watched.history.is_over):
            _append(save, watched)
            print(f"The game is in {save}")
    if interrupted:
        sys.exit(EXIT_INTERRUPTED)


def _play(watched: WatchedGame, show: Callable[[], bool], delay: float) -> None:
    """Play until the game is over, or there is nobody to show it to."""
    shown = time.monotonic()
    while show() and not watched.history.is_over:
        watched.step()
        time.sleep(max(0.0, shown + delay - time.monotonic()))
        shown = time.monotonic()


def _terminal_of(watched: WatchedGame) -> Callable[[], bool]:
    """Return a function that draws the board anew: over the last one, or into a file below it."""
    console, colour = new_console(), has_colours()

    def show() -> bool:
        console.clear()
        print(watched.text(colour), flush=True)
        if not console.is_terminal:
            print()
        return True

    return show


def _window_of(watched: WatchedGame) -> Callable[[], bool]:
    """Return a function that shows the board in the terminal and in a window; False once closed.

    A person may look at the last position until the window is closed.
    """
    from tzaar_envs.render.pixels import to_pixels
    from tzaar_envs.render.window import Window

    window, in_terminal = Window(watched.title), _terminal_of(watched)

    def show() -> bool:
        in_terminal()
        pixels = to_pixels(watched.scene(), width=_WINDOW_WIDTH)
        try:
            window.show(pixels, 0)
            while watched.history.is_over and sys.stdin.isatty() and not window.is_closed:
                window.show(pixels, 1 / _PATIENCE)
        except RuntimeError as error:
            reason = str(error).partition(": use")[0]
            raise ValueError(f"--window is not possible: {reason}") from error
        return not window.is_closed

    return show


def _append(path: Path, *games: WatchedGame) -> None:
    from tzaar_envs.arena.records import append_records
    from tzaar_envs.wrappers.record_games import RecordedGamesHeader

    append_records(path, RecordedGamesHeader(), [watched.history.to_record() for watched in games])
