"""A person plays against agents: the session, apart from where its lines come from and go to."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import sys
import textwrap
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.play.saved_game import SavedGame

COMMANDS = {
    "moves": "all legal moves; `moves A3` only those that start so",
    "hint": "what an agent would play in your place",
    "undo": "take back your last move and all that followed",
    "board": "show the board again",
    "position": "the position in notation, with all that is hidden, for --position",
    "save": "`save FILE` writes the game to a file; it goes on there",
    "help": "this list",
    "quit": "leave; the game is kept and can be resumed",
}
_SHORT_FORMS = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}

_WIDTH = 78  # of lists and errors
_INDENT = "  "
_GAP = "   "  # between moves from one start and those from the next
_LISTED_MOVES = 12  # of a start field in an error

# What moves have in common that start at one place: `A1` of `A1xB2`, `Z@` of `Z@E4`.
_MOVE_START = re.compile(r"[A-Za-z]\d{1,2}(?!\d)|\w+\W?")

_AGENT_STREAM, _HINT_STREAM = 1, 2  # of the game's seed; chance in the rules has the seed itself


def default_folder() -> Path:
    """Return the folder where games are kept if no file is named (it need not exist)."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return base / "tzaar-envs" / "play"


def new_file(game: Game) -> Path:
    """Return a file of the default folder that does not exist yet."""
    stem = f"{game.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    path = default_folder() / f"{stem}.json"
    number = 1
    while path.exists():
        number += 1
        path = default_folder() / f"{stem}-{number}.json"
    return path


def find_action(state: State, text: str) -> int:
    """Return the legal action that a person means; the case of letters matters only if it must.

    Raises:
        ValueError: says why the text is no move, or lists legal moves that start like it.
    """
    named = {state.action_name(action): int(action) for action in state.legal_actions()}
    if text in named:
        return named[text]
    alike = [name for name in named if name.casefold() == text.casefold()]
    if len(alike) == 1:
        return named[alike[0]]
    if alike:
        raise ValueError(f"{text!r} could be {' or '.join(alike)}: write it as it is meant")
    typed = _with_usual_case(text, named)
    action = state.game.rules.parse_action(state.words, typed)
    if state.is_legal(action):
        return action
    start = move_start(typed)
    near = [name for name in sorted(named) if move_start(name) == start]
    if not near:
        raise ValueError(f"{typed!r} is not legal: no legal move starts with {start!r}")
    listing = ", ".join(near[:_LISTED_MOVES]) + (", …" if len(near) > _LISTED_MOVES else "")
    raise ValueError(f"{typed!r} is not legal: with {start!r} start {listing}")


def _with_usual_case(text: str, names: Iterable[str]) -> str:
    """Return the text with each letter in the case that all legal moves have at its place."""
    alike = [name for name in names if len(name) == len(text)]
    letters = []
    for place, letter in enumerate(text):
        there = {name[place] for name in alike if name[place].isalpha()}
        if there and all(other.isupper() for other in there):
            letter = letter.upper()
        elif there and all(other.islower() for other in there):
            letter = letter.lower()
        letters.append(letter)
    return "".join(letters)


def move_start(name: str) -> str:
    """Return the part of a move that says where it starts, for instance `A1` of `A1xB2`."""
    found = _MOVE_START.match(name)
    return found.group().strip() if found else name


def list_moves(state: State, start: str = "") -> str:
    """Return the legal moves as text, those from one start side by side.

    Raises:
        ValueError: no legal move starts so.
    """
    groups: dict[str, list[str]] = {}
    for name in sorted(state.action_name(action) for action in state.legal_actions()):
        groups.setdefault(move_start(name), []).append(name)
    if start:
        if chosen := [key for key in groups if key.casefold() == start.casefold()]:
            groups = {key: groups[key] for key in chosen}
        else:
            raise ValueError(
                f"no legal move starts with {start!r}: they start with {', '.join(groups)}"
            )
    lines = [_count(sum(len(names) for names in groups.values()), "legal move") + ":"]
    for group in (" ".join(names) for names in groups.values()):
        if len(lines) > 1 and len(lines[-1]) + len(_GAP) + len(group) <= _WIDTH:
            lines[-1] += _GAP + group
        else:
            lines += textwrap.wrap(
                group,
                _WIDTH,
                initial_indent=_INDENT,
                subsequent_indent=2 * _INDENT,
                break_on_hyphens=False,
            )
    return "\n".join(lines)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


class Session:
    """A game between persons at one terminal and agents.

    The game is saved after every move, so that neither Ctrl-C nor a crash loses it.

    Args:
        saved: the game, with the moves so far.
        path: the file that it is kept in.
        ask: prints a prompt and returns the line that the person enters; EOFError if there are no
            more, KeyboardInterrupt on Ctrl-C.
        show: prints a text and a line break.
        colour: whether boards have ANSI colours.

    Raises:
        ValueError: a move is not legal, or there is no such agent.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """

    def __init__(
        self,
        saved: SavedGame,
        path: Path,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        colour: bool = False,
    ) -> None:
        self.saved = saved
        self.path = path
        self._ask = ask
        self._show = show
        self._colour = colour
        self._names = saved.game.layout.seat_names
        self._positions = saved.replay()
        self._opponent = make_agent(saved.opponent, saved.game, saved.seed)
        self._adviser: Agent | None = None  # made at the first hint
        self._seen = -1  # moves played when the board was last shown
        self._unsaved = ""  # why the game is not on the disk
        self._told = len(self.saved.moves) - self._count_secret()  # moves that the person knows

    @property
    def state(self) -> State:
        """The position."""
        return self._positions[-1]

    @property
    def is_unsaved(self) -> bool:
        """Whether the last attempt to keep the game failed."""
        return bool(self._unsaved)

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
        """Let the seat to act do something; return False if the person leaves."""
        state = self.state
        if state.is_terminal:
            self._show_board()
            return self._obey(self._ask("undo, save FILE, or Enter to leave> ").strip() or "quit")
        if state.current_player in self.saved.seats:
            self._show_board()
            return self._obey(self._ask(f"{self._names[state.current_player]}> ").strip())
        self._opponent.seed(self._stream(_AGENT_STREAM))
        self._play(self._opponent.act(state))
        return True

    def _count_secret(self) -> int:
        """Return how many of the last moves were chosen together with one still to be chosen."""
        count = 0
        for before, after in zip(self._positions[-2::-1], self._positions[::-1], strict=False):
            others = [seat for seat in before.acting_players() if seat != before.current_player]
            if not others or after.acting_players() != others:
                break
            count += 1
        return count

    def _tell(self) -> None:
        """Show what agents played, apart from secret choices."""
        known = len(self.saved.moves) - self._count_secret()
        for number in range(self._told, known):
            seat = self._positions[number].current_player
            if seat not in self.saved.seats:
                agent = f"{self._names[seat]} ({self.saved.opponent})"
                self._show(f"{agent} plays {self.saved.moves[number]}")
        self._told = known

    def _list_known(self, first: int = 0) -> list[str]:
        """Return the moves from one on, without the secret choices of agents."""
        known = len(self.saved.moves) - self._count_secret()
        return [
            move
            for number, move in enumerate(self.saved.moves)
            if number >= first
            and (number < known or self._positions[number].current_player in self.saved.seats)
        ]

    def _stream(self, purpose: int) -> list[int]:
        """Return the seed for a choice at this point, the same after undo and after resuming."""
        return [self.saved.seed, purpose, len(self.saved.moves)]

    def _play(self, action: int) -> None:
        """Play a legal action, keep the game, and tell what is no secret."""
        name = self.state.action_name(action)
        following = self.state.clone()
        following.apply(action)
        self._positions.append(following)
        self.saved.moves.append(name)
        self.saved.outcomes.append(list(following.last_outcome))
        self._keep()
        self._tell()

    def _keep(self) -> None:
        """Write the game to its file; a failure is told once and does not stop the game."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.saved.save(self.path, self.state)
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
        except (ValueError, OSError) as error:
            text = str(error) if isinstance(error, ValueError) else _os_error(error)
            self._show(textwrap.fill(text, _WIDTH, break_on_hyphens=False))
            return True

    def _carry_out(self, line: str) -> bool:
        if not line:
            self._show("Enter a move, or one of: " + ", ".join(COMMANDS))
            return True
        word, _, argument = line.partition(" ")
        command = _SHORT_FORMS.get(word.casefold(), word.casefold())
        if command not in COMMANDS or self._is_legal_name(line):
            self._play_typed(line)
            return True
        if argument and command not in ("moves", "save"):
            raise ValueError(f"{command!r} takes nothing after it, not {argument!r}")
        if command == "moves":
            self._check_running()
            self._show(list_moves(self.state, argument))
        elif command == "hint":
            self._hint()
        elif command == "undo":
            self._undo()
        elif command == "board":
            self._seen = -1
        elif command == "position":
            self._show(str(self.state))
        elif command == "save":
            self._save(argument)
        elif command == "help":
            self._help()
        return command != "quit"

    def _is_legal_name(self, line: str) -> bool:
        """Whether a game calls a legal move as we call a command: then the move is meant."""
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
        # Random moves are no help, so then greedy gives the hint.
        name = "greedy" if self.saved.opponent == "random" else self.saved.opponent
        if self._adviser is None:
            self._adviser = make_agent(name, self.saved.game, self.saved.seed)
        self._adviser.seed(self._stream(_HINT_STREAM))
        self._show(f"{name} would play {self.state.action_name(self._adviser.act(self.state))}")

    def _undo(self) -> None:
        for number in reversed(range(len(self.saved.moves))):
            if self._positions[number].current_player in self.saved.seats:
                break
        else:
            raise ValueError("there is nothing to undo: you have not moved yet")
        taken_back = self._list_known(number)
        del self._positions[number + 1 :]
        del self.saved.moves[number:]
        del self.saved.outcomes[number:]
        self._told = min(self._told, number)
        self._keep()
        self._show(f"Taken back: {', '.join(taken_back)}")

    def _save(self, argument: str) -> None:
        if argument:
            path = Path(argument).expanduser()
            if path.exists() and not (self.path.exists() and path.samefile(self.path)):
                raise ValueError(f"{str(path)!r} exists already: choose another name")
            self.saved.save(path, self.state)
            self.path = path
        self._keep()
        if not self._unsaved:
            self._show(f"Saved in {self.path}")

    # --- What the person sees --------------------------------------------------------------------

    def _welcome(self) -> None:
        game = self.saved.game
        options = "".join(f", {name}={value}" for name, value in game.options.items())
        self._show(f"{game.spec.title}{options}, seed {self.saved.seed}")
        people = " and ".join(self._names[seat] for seat in self.saved.seats)
        agents = [n for seat, n in enumerate(self._names) if seat not in self.saved.seats]
        against = f", {' and '.join(agents)}: {self.saved.opponent}" if agents else ""
        self._show(f"You play {people}{against}")
        if self.saved.moves:
            self._show(f"{_count(len(self.saved.moves), 'move')} so far: {self._last_moves()}")
        if not self.state.is_terminal:
            example = self.state.action_name(int(self.state.legal_actions()[0]))
            self._show(f"Enter moves like {example}, or: {', '.join(COMMANDS)}")

    def _last_moves(self) -> str:
        known = self._list_known()
        return ("… " if len(known) > 4 else "") + " ".join(known[-4:])

    def _show_board(self) -> None:
        """Show the board, unless the person has just seen it."""
        if self._seen == len(self.saved.moves):
            return
        self._seen = len(self.saved.moves)
        self._show(f"\n{self.state.draw(self._colour, self._viewer())}\n")
        if self.state.is_terminal:
            self._show(self._result())

    def _viewer(self) -> int | None:
        """Return the seat whose view is shown: the person's; of several the one to act."""
        if self.state.is_terminal:
            return None
        return self.saved.seats[0] if len(self.saved.seats) == 1 else self.state.current_player

    def _result(self) -> str:
        returns = self.state.returns()
        cut = " (the move cap ended the game)" if self.state.is_truncated else ""
        if self.saved.game.spec.score_unit is not None:
            scores = zip(self._names, self.state.scores(), strict=True)
            cut += ": " + ", ".join(f"{name} {score:g} points" for name, score in scores)
        if len(self.saved.seats) == 1 and len(self._names) > 1:
            own = returns[self.saved.seats[0]]
            return f"{'You win' if own > 0 else 'You lose' if own < 0 else 'A draw'}{cut}."
        winners = [n for n, value in zip(self._names, returns, strict=True) if value > 0]
        return f"{' and '.join(winners)} won{cut}." if winners else f"A draw{cut}."

    def _help(self) -> None:
        width = max(len(name) for name in COMMANDS)
        self._show("Enter a move in notation; small letters will do. Or a command:")
        self._show("\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()))

    def _say_goodbye(self) -> None:
        count = _count(len(self.saved.moves), "move")
        if self._unsaved:
            self._show(f"The game ({count}) could not be saved in {self.path}: {self._unsaved}")
            return
        if not self.saved.moves and not self.path.exists():
            self._show("No move was played, so nothing was saved.")
            return
        self._show(f"The game ({count}) is saved in {self.path}")
        if not self.state.is_terminal:
            self._show(f"Go on with: tzaar-envs play --resume {shlex.quote(str(self.path))}")


def _os_error(error: OSError) -> str:
    return f"{error.filename or 'file'}: {error.strerror or error}"
