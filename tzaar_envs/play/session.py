"""Session: a game between people at one terminal and an agent, independent of that terminal."""

from __future__ import annotations

import difflib
import shlex
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import platformdirs

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.arena.history import move_data
from tzaar_envs.arena.records import MoveData
from tzaar_envs.arena.records.secret_moves import count_secret_moves
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.play.moves import find_action, list_moves
from tzaar_envs.play.saved_game import SavedGame
from tzaar_envs.rulebook import RulesPage

COMMANDS = {
    "moves": "list all legal moves; `moves A3` only those that start with A3",
    "hint": "show what an agent would play in your place",
    "undo": "take back your last move and all moves after it",
    "board": "show the board again",
    "rules": "list the sections of the rules; `rules 3.2` shows one, `rules all` all",
    "position": "show the position in notation, hidden information included, for --position",
    "save": "`save FILE` saves the game to another file and continues there",
    "help": "show the legend of the board, and this list",
    "quit": "leave; the game is saved and can be resumed",
}
_SHORT_FORMS = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}

_WIDTH = 78  # of lists and errors, in characters, on terminals that are no narrower
_INDENT = "  "

_AGENT_STREAM, _HINT_STREAM = 1, 2  # of the game's seed; chance in the rules uses the seed itself


def default_folder() -> Path:
    """Return the folder for games without a file name of their own; it need not exist."""
    return platformdirs.user_state_path("tzaar-envs", appauthor=False) / "play"


def new_file(game: Game) -> Path:
    """Return the path of a file in the default folder that does not exist yet."""
    stem = f"{game.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    path = default_folder() / f"{stem}.jsonl"
    number = 1
    while path.exists():
        number += 1
        path = default_folder() / f"{stem}-{number}.jsonl"
    return path


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


class Session:
    """A game between people at one terminal and an agent.

    The game is saved after every move, so neither Ctrl-C nor a crash loses it.

    Args:
        saved: the game, with the moves so far.
        path: the file that it is saved in.
        ask: prints a prompt and returns the line that the person enters; raises EOFError at the end
            of the input and KeyboardInterrupt on Ctrl-C.
        show: prints a text and a line break.
        colour: whether boards have ANSI colours.
        show_page: shows Markdown, such as a section of the rules; None: as plain text.
        columns: returns the width of the terminal in characters.

    Raises:
        ValueError: there is no such agent.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """

    def __init__(
        self,
        saved: SavedGame,
        path: Path,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        colour: bool = False,
        show_page: Callable[[str], None] | None = None,
        columns: Callable[[], int] = lambda: _WIDTH,
    ) -> None:
        self.saved = saved
        self.path = path
        self._ask = ask
        self._show = show
        self._show_page = show_page or show
        self._columns = columns
        self._colour = colour
        self._page = _rules_page(saved.game)
        self._names = saved.game.layout.seat_names
        self._opponent = make_agent(saved.opponent, saved.game, saved.seed)
        self._adviser: Agent | None = None  # made at the first hint
        self._seen = -1  # moves played when the board was last shown
        self._unsaved = ""  # why the last attempt to save failed; empty if it did not
        self._told = self._count_known()  # moves that the person knows
        self._narrow = 0  # columns of the terminal at the last warning that it is too narrow

    @property
    def state(self) -> State:
        """The current position."""
        return self.saved.state

    def run(self) -> bool:
        """Play until the person leaves; return False if that was by Ctrl-C."""
        interrupted = False
        try:
            self._welcome()
            while self._step():
                pass
        except EOFError:
            self._show("")
        except KeyboardInterrupt:
            interrupted = True
            self._show("\nInterrupted.")
        finally:
            self._say_goodbye()
        return not interrupted

    # --- The course of the game ------------------------------------------------------------------

    def _step(self) -> bool:
        """Let the player to move act once; return False if the person leaves."""
        state = self.state
        if state.is_terminal:
            self._show_board()
            return self._obey(self._ask("undo, save FILE, or Enter to leave> ").strip() or "quit")
        if state.current_player in self.saved.seats:
            self._show_board()
            return self._obey(self._ask(f"{self._names[state.current_player]}> ").strip())
        self._opponent.seed(self._stream(_AGENT_STREAM))
        try:
            action = self._opponent.act(state)
        except ForfeitError as error:
            loser = self._names[state.current_player]
            self._show_text(f"{loser} has lost the game: {error}")
            return False
        self._play(action, move_data(state, self._opponent.last_search))
        return True

    def _count_known(self) -> int:
        """Return how many moves are not secret."""
        return len(self.saved.moves) - count_secret_moves(self.saved.positions)

    def _tell(self) -> None:
        """Show what agents played, except for secret choices."""
        known = self._count_known()
        for number in range(self._told, known):
            seat = self.saved.positions[number].current_player
            if seat not in self.saved.seats:
                agent = f"{self._names[seat]} ({self.saved.opponent})"
                self._show(f"{agent} plays {self.saved.moves[number]}")
        self._told = known

    def _list_known(self, first: int = 0) -> list[str]:
        """Return the moves from number `first`, without the secret choices of agents."""
        known = self._count_known()
        return [
            move
            for number, move in enumerate(self.saved.moves)
            if number >= first
            and (number < known or self.saved.positions[number].current_player in self.saved.seats)
        ]

    def _stream(self, purpose: int) -> list[int]:
        """Return the seed for a choice at this move, the same after undo and after resuming."""
        return [self.saved.seed, purpose, len(self.saved.moves)]

    def _play(self, action: int, data: MoveData | None = None) -> None:
        """Play a legal action, save the game, and show what is not secret."""
        self.saved.play(action, data)
        self._autosave()
        self._tell()

    def _autosave(self) -> None:
        """Write the game to its file; a failure is reported once and does not stop the game."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.saved.save(self.path)
        except OSError as error:
            if not self._unsaved:
                self._show(f"warning: the game cannot be saved in {self.path}: {error.strerror}")
            self._unsaved = str(error.strerror)
        else:
            self._unsaved = ""

    # --- What the person enters ------------------------------------------------------------------

    def _obey(self, line: str) -> bool:
        """Carry out a move or a command; return False to leave."""
        line = " ".join(line.split())
        try:
            return self._carry_out(line)
        except (ValueError, ForfeitError, OSError) as error:
            text = _os_error(error) if isinstance(error, OSError) else str(error)
            self._show_text(text)
            return True

    def _carry_out(self, line: str) -> bool:
        if not line:
            self._show_text("Enter a move, or one of: " + ", ".join(COMMANDS))
            return True
        word, _, argument = line.partition(" ")
        command = _SHORT_FORMS.get(word.casefold(), word.casefold())
        if command not in COMMANDS or self._is_legal_name(line):
            self._play_typed(line)
            return True
        if argument and command not in ("moves", "rules", "save"):
            raise ValueError(f"the command {command!r} takes no argument, such as {argument!r}")
        if command == "moves":
            self._check_running()
            self._show(list_moves(self.state, argument, self._width))
        elif command == "hint":
            self._hint()
        elif command == "undo":
            self._undo()
        elif command == "board":
            self._seen = -1
        elif command == "rules":
            self._show_rules(argument)
        elif command == "position":
            self._show(str(self.state))
        elif command == "save":
            self._save(argument)
        elif command == "help":
            self._help()
        return command != "quit"

    def _is_legal_name(self, line: str) -> bool:
        """Whether the line is a legal move, which goes before a command of the same name."""
        return line in {self.state.action_name(action) for action in self.state.legal_actions()}

    def _check_running(self) -> None:
        if self.state.is_terminal:
            raise ValueError("the game is over: enter undo, save FILE, position, board or quit")

    def _play_typed(self, line: str) -> None:
        self._check_running()
        try:
            action = find_action(self.state, line)
        except ValueError as error:
            close = difflib.get_close_matches(line.casefold(), COMMANDS, n=1, cutoff=0.7)
            hint = f"; or did you mean the command {close[0]!r}?" if close else ""
            raise ValueError(f"{error}{hint}") from error
        self._play(action)

    def _hint(self) -> None:
        self._check_running()
        # Random moves do not help, so greedy gives the hint then.
        name = "greedy" if self.saved.opponent == "random" else self.saved.opponent
        if self._adviser is None:
            self._adviser = make_agent(name, self.saved.game, self.saved.seed)
        self._adviser.seed(self._stream(_HINT_STREAM))
        self._show(f"{name} would play {self.state.action_name(self._adviser.act(self.state))}")

    def _undo(self) -> None:
        for number in reversed(range(len(self.saved.moves))):
            if self.saved.positions[number].current_player in self.saved.seats:
                break
        else:
            raise ValueError("there is nothing to undo: you have not moved yet")
        taken_back = self._list_known(number)
        self.saved.undo(number)
        self._told = min(self._told, number)
        self._autosave()
        self._show_text(f"Taken back: {', '.join(taken_back)}")

    def _save(self, argument: str) -> None:
        if argument:
            path = Path(argument).expanduser()
            if path.exists() and not (self.path.exists() and path.samefile(self.path)):
                raise ValueError(f"{str(path)!r} exists already: choose another name")
            self.saved.save(path)
            self.path = path
        self._autosave()
        if not self._unsaved:
            self._show(f"Saved in {self.path}")

    # --- What the person sees --------------------------------------------------------------------

    def _welcome(self) -> None:
        game = self.saved.game
        options = "".join(f", {name}={value}" for name, value in game.options.items())
        self._show_text(f"{game.spec.title}{options}, seed {self.saved.seed}")
        self._show_text(game.spec.summary if self._page is None else self._page.goal)
        people = " and ".join(self._names[seat] for seat in self.saved.seats)
        agents = [n for seat, n in enumerate(self._names) if seat not in self.saved.seats]
        against = f", {' and '.join(agents)}: {self.saved.opponent}" if agents else ""
        self._show_text(f"You play {people}{against}")
        if self.saved.moves:
            self._show_text(f"{_count(len(self.saved.moves), 'move')} so far: {self._last_moves()}")
        if not self.state.is_terminal:
            example = self.state.action_name(int(self.state.legal_actions()[0]))
            self._show_text(f"Enter moves like {example}, or: {', '.join(COMMANDS)}")

    def _last_moves(self) -> str:
        known = self._list_known()
        return ("… " if len(known) > 4 else "") + " ".join(known[-4:])

    def _show_board(self) -> None:
        """Show the board, unless it has just been shown."""
        if self._seen == len(self.saved.moves):
            return
        self._seen = len(self.saved.moves)
        self._warn_if_narrow()
        self._show(f"\n{self.state.draw(self._colour, self._viewer())}\n")
        if self.state.is_terminal:
            self._show_text(str(self.state.end_reason))
            self._show_text(self._result())

    def _warn_if_narrow(self) -> None:
        """Say, once for each width, if lines of the board are too long for the terminal."""
        plain = self.state.draw(colour=False, viewer=self._viewer())
        needed, columns = max(map(len, plain.splitlines())), self._columns()
        if columns < needed and columns != self._narrow:
            self._show_text(
                f"The terminal has {columns} columns, the board needs {needed}: make it wider, "
                "then enter `board`"
            )
            self._narrow = columns

    def _viewer(self) -> int | None:
        """Return the seat whose view is shown: the person's, or that of the person to move."""
        if self.state.is_terminal:
            return None
        return self.saved.seats[0] if len(self.saved.seats) == 1 else self.state.current_player

    def _result(self) -> str:
        returns = self.state.returns()
        points = ""
        if self.saved.game.spec.score_unit is not None:
            scores = zip(self._names, self.state.scores(), strict=True)
            points = ": " + ", ".join(f"{name} {score:g} points" for name, score in scores)
        if len(self.saved.seats) == 1 and len(self._names) > 1:
            own = returns[self.saved.seats[0]]
            return f"{'You win' if own > 0 else 'You lose' if own < 0 else 'A draw'}{points}."
        winners = [name for name, value in zip(self._names, returns, strict=True) if value > 0]
        return f"{' and '.join(winners)} won{points}." if winners else f"A draw{points}."

    def _help(self) -> None:
        if self._page is not None:
            parts = [self._page.legend, self._page.moves]
            self._show_page("\n\n".join(part.text for part in parts if part is not None))
            self._show("")
        self._show_text("Enter a move in notation, in capital or small letters, or a command:")
        indent = max(len(name) for name in COMMANDS) + 2 * len(_INDENT)
        for name, text in COMMANDS.items():
            line = f"{_INDENT}{name:<{indent - len(_INDENT)}}{text}"
            self._show(textwrap.fill(line, self._width, subsequent_indent=" " * indent))

    def _show_rules(self, wanted: str) -> None:
        """Show the sections of the rules, one of them, or all."""
        if self._page is None:
            raise ValueError(f"{self.saved.game.name} has no page with rules")
        if not wanted:
            self._show(self._page.contents())
            self._show_text("`rules 3.2` shows section 3.2, `rules all` the whole page")
        elif wanted.casefold() == "all":
            self._show_page(self._page.text)
        else:
            self._show_page(self._page.find(wanted).text)

    def _show_text(self, text: str) -> None:
        """Show paragraphs, each wrapped to the width of the terminal."""
        for line in text.splitlines():
            indent = " " * (len(line) - len(line.lstrip()))
            filled = textwrap.fill(
                line, self._width, subsequent_indent=indent, break_on_hyphens=False
            )
            self._show(filled)

    @property
    def _width(self) -> int:
        """The width of lists and errors, in characters."""
        return max(20, min(_WIDTH, self._columns()))

    def _say_goodbye(self) -> None:
        count = _count(len(self.saved.moves), "move")
        if self._unsaved:
            self._show(f"The game ({count}) could not be saved in {self.path}: {self._unsaved}")
            return
        if not self.saved.moves and not self.path.exists():
            self._show_text("No move was played, so nothing was saved.")
            return
        self._show(f"The game ({count}) is saved in:\n{self.path}")
        if not self.state.is_terminal:
            self._show(f"Resume with:\ntzaar-envs play --resume {shlex.quote(str(self.path))}")


def _rules_page(game: Game) -> RulesPage | None:
    return None if game.spec.rules_page is None else RulesPage.read(game.spec.rules_page)


def _os_error(error: OSError) -> str:
    return f"{error.filename or 'file'}: {error.strerror or error}"
