"""Games in the terminal: those that people play against an agent, and those that they watch."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import platformdirs

from tzaar_envs.agents import Agent, AgentText, make_agent
from tzaar_envs.arena.history import HUMAN, GameHistory
from tzaar_envs.arena.playing import ask, play
from tzaar_envs.arena.records import RecordedGamesHeader, read_games, write_records
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.replay.text import (
    WIDTH,
    find_action,
    list_moves,
    points_text,
    result_text,
    search_text,
)
from tzaar_envs.rulebook import RulesPage
from tzaar_envs.system.files import existing_file
from tzaar_envs.system.interrupts import signals_deferred

COMMANDS = {
    "moves": "list all legal moves; `moves A3` only those that start with A3",
    "hint": "show what an agent would play in your place",
    "undo": "take back your last move and all moves after it",
    "board": "show the board again",
    "rules": "list the sections of the rules; `rules 3.2` shows one",
    "position": "show the position in notation, with what is hidden",
    "help": "show the legend of the board, and this list",
    "quit": "leave; the game is saved and can be resumed",
}
_SHORT_FORMS = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}
_AGENT_STREAM, _HINT_STREAM = 1, 2  # of the game's seed; chance in the rules uses the seed itself


def start_history(
    game: Game, seed: int, position: str | None, agents: Sequence[str] = ()
) -> GameHistory:
    """Return the history of a new game.

    Args:
        game: The game.
        seed: All chance events follow from it.
        position: The start position in notation; None: the one that the seed gives.
        agents: The agent of each seat.

    Raises:
        ValueError: The position is not valid.
    """
    start = game.new_state(seed) if position is None else game.parse(position, seed)
    return GameHistory(start, seed=seed, agents=agents)


# --- Saved games ----------------------------------------------------------------------------------


def load_saved_game(path: Path) -> tuple[GameHistory, str]:
    """Read and check a saved game; every move of it is played again.

    Returns:
        The game, in which persons are the agent `human`, and the opponent; `greedy` without one.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: Says what is wrong and where.
    """
    records = [*read_games(existing_file(path, "saved game"))]
    try:
        if len(records) != 1:
            raise ValueError(f"expected one game, not {len(records)}")
        [record] = records
        if not isinstance(record.seed, int):
            raise ValueError(f"seed: expected one integer, not {record.seed!r}")
        history = GameHistory.from_record(record)
        if HUMAN not in history.agents:
            raise ValueError(f"agents: expected {HUMAN!r} once or more, not {history.agents!r}")
        if len({*history.agents} - {HUMAN}) > 1:
            raise ValueError(f"agents: expected one opponent, not {history.agents!r}")
    except ValueError as error:
        raise ValueError(f"saved game {str(path)!r}: {error}") from error
    return history, next((agent for agent in history.agents if agent != HUMAN), "greedy")


def new_file(game: Game) -> Path:
    """Return a path in the user's folder for games that does not exist yet."""
    folder = platformdirs.user_state_path("tzaar-envs", appauthor=False) / "play"
    return folder / f"{game.name}-{datetime.now():%Y%m%d-%H%M%S-%f}.jsonl"


# --- Games that people play -----------------------------------------------------------------------


class TerminalGame:
    """A game between people at one terminal and an agent.

    The game is saved after every move, so neither Ctrl-C nor a crash loses it.

    Args:
        history: The game so far; the agent `human` stands for a person.
        opponent: The agent of the other seats, see `tzaar_envs.agents`.
        path: The file that the game is saved in.
        ask: Prints a prompt and returns the line that the person enters; raises EOFError at the end
            of the input and KeyboardInterrupt on Ctrl-C.
        show: Prints a text and a line break.
        colour: Whether boards have ANSI colours.
        show_page: Shows Markdown, such as a section of the rules; None: as plain text.

    Raises:
        ValueError: There is no such agent.
        ModuleNotFoundError: The agent needs an extra that is not installed.
    """

    def __init__(
        self,
        history: GameHistory,
        opponent: str,
        path: Path,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        colour: bool = False,
        show_page: Callable[[str], None] | None = None,
    ) -> None:
        start = history.positions[0]
        if start.is_terminal:
            raise ValueError(f"the game is over in position {str(start)!r}: nobody could move")
        self.history = history
        self.path = path
        self._seats = [seat for seat, agent in enumerate(history.agents) if agent == HUMAN]
        history.agents = [agent if agent == HUMAN else opponent for agent in history.agents]
        self._ask = ask
        self._show = show
        self._show_page = show_page or show
        self._colour = colour
        game = history.game
        spec = game.spec
        self._page = RulesPage(f"# {spec.title}\n\n{spec.summary}")
        if spec.rules_page is not None:
            self._page = RulesPage.read(spec.rules_page)
        self._names = game.layout.seat_names
        self._opponent_text = opponent
        self._opponent = make_agent(opponent, game, history.seed)
        self._adviser: Agent | None = None  # made at the first hint
        self._seen = -1  # moves played when the board was last shown
        self._unsaved = ""  # why the last attempt to save failed; empty if it did not
        self._told = history.plies - history.unrevealed  # moves that the person knows

    @property
    def state(self) -> State:
        """The current position."""
        return self.history.state

    def run(self) -> None:
        """Play until the person leaves.

        Raises:
            KeyboardInterrupt: That was by Ctrl-C; all is saved and said.
        """
        try:
            self._welcome()
            while self._step():
                pass
        except EOFError:
            self._show("")
        except KeyboardInterrupt:
            self._show("\nInterrupted.")
            raise
        finally:
            self._say_goodbye()

    # --- The course of the game -------------------------------------------------------------------

    def _step(self) -> bool:
        """Let the player to move act once; return False if the person leaves."""
        state = self.state
        if state.is_terminal:
            self._show_board()
            return self._obey(self._ask("undo, or Enter to leave> ").strip() or "quit")
        if state.current_player in self._seats:
            self._show_board()
            return self._obey(self._ask(f"{self._names[state.current_player]}> ").strip())
        self._opponent.seed(self._stream(_AGENT_STREAM))
        [answer] = ask(self._opponent, [self.history])
        play(self.history, answer)
        self._tell()
        if self.history.error is not None:
            loser = self._names[state.current_player]
            self._show_text(f"{loser} has lost the game: {self.history.error}")
            return False
        return True

    def _stream(self, purpose: int) -> list[int]:
        """Return the seed for a choice at this move, the same after undo and after resuming."""
        seed = self.history.seed
        assert isinstance(seed, int)
        return [seed, purpose, self.history.plies]

    def _tell(self) -> None:
        """Save the game, and show what agents played and is not secret."""
        history = self.history
        self._save()
        known = history.plies - history.unrevealed
        for ply in range(self._told, known):
            seat = history.player(ply)
            if seat not in self._seats:
                agent = f"{self._names[seat]} ({self._opponent_text})"
                self._show(f"{agent} plays {history.moves[ply]}")
        self._told = known

    def _save(self) -> None:
        """Write the game to its file; a failure is reported and does not stop the game."""
        self._unsaved = ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_records(self.path, RecordedGamesHeader(), [self.history.to_record()])
        except OSError as error:
            self._unsaved = f"the game cannot be saved in {self.path}: {error.strerror}"
            self._show(f"warning: {self._unsaved}")

    # --- What the person enters -------------------------------------------------------------------

    def _obey(self, line: str) -> bool:
        """Carry out a move or a command; return False to leave."""
        state, line = self.state, " ".join(line.split())
        word, _, argument = line.partition(" ")
        command = _SHORT_FORMS.get(word.casefold(), word.casefold())
        if line in {state.action_name(action) for action in state.legal_actions()}:
            command = "a move that is called like a command"
        try:
            match command:
                case "undo":
                    self._undo()
                case "board":
                    self._seen = -1
                case "rules" if argument:
                    self._show_page(self._page.find(argument).text)
                case "rules":
                    self._show(self._page.contents() or self._page.text)
                case "position":
                    self._show(str(state))
                case "help":
                    self._help()
                case "quit":
                    return False
                case "":
                    raise ValueError(f"Enter a move, or one of: {', '.join(COMMANDS)}")
                case _ if state.is_terminal:
                    raise ValueError("the game is over: enter undo, position, board or quit")
                case "moves":
                    self._show(list_moves(state, argument))
                case "hint":
                    self._hint()
                case _:
                    self.history.apply(find_action(state, line))
                    self._tell()
        except (ValueError, ForfeitError) as error:
            self._show_text(str(error))
        return True

    def _hint(self) -> None:
        # Random moves do not help, so greedy gives the hint then.
        name = "greedy" if self._opponent_text == "random" else self._opponent_text
        if self._adviser is None:
            self._adviser = make_agent(name, self.history.game)
        self._adviser.seed(self._stream(_HINT_STREAM))
        [answer] = ask(self._adviser, [self.history])
        if isinstance(answer, ForfeitError):
            raise answer
        self._show(f"{name} would play {self.state.action_name(answer[0])}")

    def _undo(self) -> None:
        plies = self.history.plies
        own = [ply for ply in range(plies) if self.history.player(ply) in self._seats]
        if not own:
            raise ValueError("there is nothing to undo: you have not moved yet")
        self.history.go_to(own[-1])
        self._told = min(self._told, own[-1])
        self._save()
        self._show(f"Taken back: {_moves(plies - own[-1])}")

    # --- What the person sees ---------------------------------------------------------------------

    def _welcome(self) -> None:
        game = self.history.game
        options = "".join(f", {name}={value}" for name, value in game.options.items())
        self._show_text(f"{game.spec.title}{options}, seed {self.history.seed}")
        self._show_text(self._page.goal)
        people = " and ".join(self._names[seat] for seat in self._seats)
        agents = [name for seat, name in enumerate(self._names) if seat not in self._seats]
        against = f" against {self._opponent_text} ({' and '.join(agents)})" if agents else ""
        self._show_text(f"You play {people}{against}")
        if self.history.plies:
            self._show(f"{_moves(self.history.plies)} so far")
        if not self.state.is_terminal:
            example = self.state.action_name(int(self.state.legal_actions()[0]))
            self._show_text(f"Enter moves like {example}, or: {', '.join(COMMANDS)}")

    def _show_board(self) -> None:
        """Show the board, unless it has just been shown."""
        if self._seen == self.history.plies:
            return
        self._seen = self.history.plies
        state, viewer = self.state, None  # at the end everything is shown
        if not state.is_terminal:
            viewer = self._seats[0] if len(self._seats) == 1 else state.current_player
        self._show(f"\n{state.draw(colour=self._colour, viewer=viewer)}\n")
        if state.is_terminal:
            returns, points = state.returns(), points_text(state.game, state.scores())
            result = result_text(self._names, returns, points)
            if len(self._seats) == 1 and len(self._names) > 1:
                own = returns[self._seats[0]]
                result = f"{'You win' if own > 0 else 'You lose' if own < 0 else 'A draw'}{points}."
            self._show_text(f"{state.end_reason}\n{result}")

    def _help(self) -> None:
        parts = [self._page.legend, self._page.moves]
        self._show_page("\n\n".join(part.text for part in parts if part is not None))
        self._show("")
        self._show_text("Enter a move in notation, in capital or small letters, or a command:")
        for name, text in COMMANDS.items():
            self._show(f"  {name:<10}{text}")

    def _show_text(self, text: str) -> None:
        """Show sentences, wrapped into short lines."""
        for line in text.splitlines():
            self._show(textwrap.fill(line, WIDTH, break_on_hyphens=False))

    def _say_goodbye(self) -> None:
        if self._unsaved:
            self._show(self._unsaved)
        elif not self.history.plies and not self.path.exists():
            self._show("No move was played, so nothing was saved.")
        else:
            self._show(f"The game ({_moves(self.history.plies)}) is saved in:\n{self.path}")
            if not self.state.is_terminal:
                self._show(f"Resume with:\ntzaar-envs play --resume {shlex.quote(str(self.path))}")


def _moves(count: int) -> str:
    return f"{count} move{'' if count == 1 else 's'}"


# --- Games that people watch ----------------------------------------------------------------------


class WatchedGame:
    """A game that agents play while somebody watches.

    Args:
        game: The game.
        agents: An agent text per seat, see `tzaar_envs.agents`.
        seed: All chance events and all choices follow from it.
        position: The start position in notation; None: the one that the seed gives.

    Raises:
        ValueError: There are not as many agents as seats, an agent does not exist, or the position
            is not valid.
        ModuleNotFoundError: An agent needs an extra that is not installed.

    Attributes:
        history: The game so far.
    """

    def __init__(
        self, game: Game, agents: Sequence[str], seed: int, position: str | None = None
    ) -> None:
        if len(agents) != game.num_players:
            raise ValueError(
                f"name {game.num_players} agents, not {len(agents)}: {game.name} has "
                f"{game.num_players} seats"
            )
        texts = [AgentText.parse(text, game.spec) for text in agents]  # before anything is compiled
        self.history = start_history(game, seed, position, agents)
        self._agents = [text.make(game, [seed, seat]) for seat, text in enumerate(texts)]
        self._sides = [
            f"{name} ({agent})" for name, agent in zip(game.layout.seat_names, agents, strict=True)
        ]

    def step(self) -> None:
        """Let the agent to move play; without a legal move it forfeits the game."""
        [answer] = ask(self._agents[self.history.state.current_player], [self.history])
        with signals_deferred():
            play(self.history, answer)

    def text(self, colour: bool = False) -> str:
        """Return the position, the last move of each agent with what it found, and the result.

        Args:
            colour: Whether the board has ANSI colours.
        """
        history, state = self.history, self.history.state
        title = f"{history.game.spec.title}: {' - '.join(self._sides)}"
        lines = [f"{title}, move {history.plies}", "", state.draw(colour=colour), ""]
        last = {history.player(ply): ply for ply in range(history.plies)}
        for seat, side in enumerate(self._sides):
            line = f"  {side}: "
            if (ply := last.get(seat)) is not None:
                mark = ">" if ply == history.plies - 1 else " "
                found = search_text(history.data[ply])
                line = f"{mark} {side}: {history.moves[ply]}{f' ({found})' if found else ''}"
            lines.append(line)
        if state.is_terminal:
            lines += ["", str(state.end_reason), result_text(self._sides, state.returns())]
        if history.error is not None:
            loser = self._sides[state.current_player]
            lines += ["", f"{loser} has lost the game: {history.error}"]
        return "\n".join(lines)
