"""State: one position of a game."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.errors import GameOverError, IllegalActionError, NotationError
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TRUNCATED
from tzaar_envs.core.masks import ILLEGAL, play, play_and_observe, write_mask
from tzaar_envs.core.spec import MOVE_CAP, OVER
from tzaar_envs.core.validation import array_of, integer
from tzaar_envs.jit.arrays import Mask, Observation, RngState, StateArray
from tzaar_envs.jit.rng import check_tape, new_generator, new_tape, read_tape, rewind
from tzaar_envs.render.scene import EVERYTHING, Scene, View

if TYPE_CHECKING:
    from tzaar_envs.render.svg import Theme

# NumPy takes a dtype faster than a type.
_INT8 = np.dtype(np.int8)
_BOOL = np.dtype(np.bool_)


class Line(NamedTuple):
    """How a position has come about.

    Attributes:
        start: The position before the first move.
        moves: The moves since, in notation.
        outcomes: The outcomes of chance of each move, see `State.apply`.
        seed: Seed of the game; None if unknown.
    """

    start: State
    moves: Sequence[str]
    outcomes: Sequence[Sequence[int]]
    seed: int | Sequence[int] | None


class State:
    """A position, made by `Game.new_state` or `Game.parse`, with its random generator.

    Two states are equal iff they have the same game, options and notation. A state can be copied
    (`clone`, `copy.deepcopy`) and pickled, its random generator included.

    Attributes:
        game: The game that it belongs to.
        line: How it has come about, where `arena.history` has made it for an agent; else None.

    Args:
        game: The game.
        words: int64 `(state_size,)`, see `words`; they are copied.
        rng: uint64 `(1,)`, the random generator, or a tape; it is copied.

    Raises:
        ValueError: Words of another shape or type.
    """

    __slots__ = ("_functions", "_mask", "_tape", "_words", "game", "line")

    def __init__(self, game: Game, words: StateArray, rng: RngState) -> None:
        self.game = game
        self.line: Line | None = None
        self._functions = game.rules.functions
        self._words = array_of("words", words, np.int64, (game.rules.state_size,)).copy()
        self._tape = new_tape(rng)
        self._mask: Mask | None = None  # of the current position, never handed out

    def restart(self, outcome: Sequence[int] | None = None) -> None:
        """Return to a start position; further chance events are drawn from the state's generator.

        Args:
            outcome: The outcomes of chance in the set-up, see `apply`; None draws them.

        Raises:
            ValueError: These outcomes are not possible; the position is unchanged.
        """
        rules, options = self.game.rules, self.game.encoded_options
        self._change(lambda words: rules.reset(words, options, self._tape), outcome)

    def _change(self, change: Callable[[StateArray], None], outcome: Sequence[int] | None) -> None:
        """Let the kernel write a new position; undo it if the given outcomes are not possible."""
        self._mask = None
        if outcome is None:
            rewind(self._tape)
            change(self._words)
            return
        before, tape_before = self._words.copy(), self._tape.copy()
        try:
            rewind(self._tape, outcome)
            change(self._words)
            check_tape(self._tape)
        except (ValueError, TypeError):
            self._words, self._tape = before, tape_before
            raise

    @property
    def last_outcome(self) -> tuple[int, ...]:
        """The outcomes of chance in the last action, or in the set-up before any; see `apply`.

        At most `jit.rng.TAPE_LENGTH` outcomes are kept.
        """
        return read_tape(self._tape)

    def continue_chance(self, other: State) -> None:
        """Draw all further chance events from a copy of another state's generator."""
        self._tape = new_tape(other.generator)

    @property
    def words(self) -> StateArray:
        """A copy of the flat int64 array that compiled code works on, see `core.kernel`."""
        return self._words.copy()

    @property
    def generator(self) -> RngState:
        """A copy of the random generator, uint64 `(1,)`."""
        return self._tape[:1].copy()

    @property
    def current_player(self) -> int:
        """The player to act, -1 when the game is over."""
        return int(self._words[SEAT]) if self._words[STATUS] == RUNNING else -1

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over, for any reason."""
        return bool(self._words[STATUS] != RUNNING)

    @property
    def is_truncated(self) -> bool:
        """Whether only a move cap has ended the game."""
        return bool(self._words[STATUS] == TRUNCATED)

    @property
    def end_code(self) -> str | None:
        """Why the game ended: a code of `GameSpec.end_reasons`, `over` or `move_cap`.

        None while the game runs.
        """
        if not self.is_terminal:
            return None
        if self.is_truncated:
            return MOVE_CAP.code
        return self.game.rules.end_code(self._words) or OVER.code

    @property
    def end_reason(self) -> str | None:
        """Why the game ended, in one sentence; None while it runs."""
        code = self.end_code
        for reason in (*self.game.spec.end_reasons, OVER, MOVE_CAP):
            if reason.code == code:
                pairs = [*zip(self.game.layout.seat_names, self.returns(), strict=True)]
                return reason.sentence.format(
                    winner=" and ".join(name for name, value in pairs if value > 0),
                    loser=" and ".join(name for name, value in pairs if value < 0),
                    max_plies=self.game.max_plies,
                )
        return code

    def _legal(self) -> Mask:
        mask = self._mask
        if mask is None:
            mask = self._mask = np.empty(self.game.num_actions, _INT8)
            write_mask(self._functions, self._words, mask)
        return mask

    def legal_mask(self) -> Mask:
        """Return int8 `(num_actions,)`: 1 where legal, else 0; zeros when the game is over."""
        return (self._legal() if self._mask is None else self._mask).copy()

    def legal_actions(self) -> NDArray[np.intp]:
        """Return the legal actions in ascending order; none when the game is over."""
        return (self._legal() if self._mask is None else self._mask).view(_BOOL).nonzero()[0]

    def is_legal(self, action: int) -> bool:
        """Return whether the action can be played now; False for a number that is not an action.

        Raises:
            TypeError: The action is not an integer.
        """
        number = integer("action", action)
        return 0 <= number < self.game.num_actions and bool(self._legal()[number])

    def apply(self, action: int, outcome: Sequence[int] | None = None) -> None:
        """Play an action.

        Args:
            action: A legal action.
            outcome: The outcomes of all chance events of the action, in the order of the game's
                rules page, for instance the values of the dice. None draws them.

        Raises:
            IllegalActionError: The action is not legal; the position is unchanged.
            GameOverError: The game is over.
            ValueError: These outcomes are not possible; the position is unchanged.
            TypeError: The action is not an integer.
        """
        try:
            number = index(action)  # `integer`, without another call
        except TypeError:
            number = integer("action", action)  # raises
        # A number beyond int64 would be of another type to compiled code.
        if not 0 <= number < self.game.num_actions:
            raise self.refusal(number)
        mask = self._legal() if self._mask is None else self._mask
        if outcome is not None:
            if not mask[number]:
                raise self.refusal(number)
            apply = self.game.rules.apply
            self._change(lambda words: apply(words, number, self._tape), outcome)
        elif play(self._functions, self._words, number, self._tape, mask):
            self._mask = None
        else:
            raise self.refusal(number)

    def play_and_observe(self, action: int) -> tuple[int, Mask, Observation]:
        """Play an action and return what the next player sees, from one compiled call.

        Args:
            action: Any integer.

        Returns:
            The next player, its mask and its observation. In place of the player `NOBODY` (the
            game is over) or `ILLEGAL` (nothing was played); the arrays then mean nothing.

        Raises:
            TypeError: The action is not an integer.
        """
        try:
            number = index(action)  # `integer`, without another call
        except TypeError:
            number = integer("action", action)  # raises
        game = self.game
        mask = self._legal() if self._mask is None else self._mask
        observation = np.empty(game.observation_shape, _INT8)
        if not 0 <= number < game.num_actions:
            return ILLEGAL, mask.copy(), observation
        player = play_and_observe(
            self._functions, self._words, number, self._tape, mask, observation
        )
        return player, mask.copy(), observation

    def why_illegal(self, action: int) -> str | None:
        """Return in a sentence why an action cannot be played now; None if it can."""
        action = integer("action", action)
        if self.is_legal(action):
            return None
        if not 0 <= action < self.game.num_actions:
            last = self.game.num_actions - 1
            return f"action {action} is out of range: {self.game.name} has the actions 0 to {last}"
        if self.is_terminal:
            return f"action {action} is not legal: the game is over"
        count = self.legal_actions().size
        return f"action {action} is not among the {count} legal actions of {self.label}"

    def refusal(self, action: int) -> ValueError:
        """Return the error for an action that cannot be played now."""
        kind = GameOverError if self.is_terminal else IllegalActionError
        return kind(self.why_illegal(action))

    @property
    def label(self) -> str:
        """The position as messages to players name it: without what is hidden from some of them."""
        if not self.game.spec.hidden_information:
            return f"position '{self}'"
        return f"the position in which player {self.current_player} is to move"

    def returns(self) -> NDArray[np.float64]:
        """Return float64 `(num_players,)` in -1 .. 1, zeros while the game runs."""
        out = np.empty(self.game.num_players, np.float64)
        self.game.rules.returns(self._words, out)
        return out

    def scores(self) -> NDArray[np.float64]:
        """Return float64 `(num_players,)`: the points so far; without points, the returns."""
        out = np.empty(self.game.num_players, np.float64)
        self.game.rules.scores(self._words, out)
        return out

    def acting_players(self) -> list[int]:
        """Return the players who are to choose now, unseen by each other: one in most games.

        `current_player` is the first to be asked; the list is empty when the game is over.
        """
        out = np.empty(self.game.num_players, np.int8)
        self.game.rules.acting(self._words, out)
        players: list[int] = out.nonzero()[0].tolist()
        return players

    def legal_mask_of(self, player: int) -> Mask:
        """Return the `legal_mask` of one of the `acting_players`; zeros for any other player."""
        mask = np.zeros(self.game.num_actions, np.int8)
        player = self.game.checked_player(player)
        if player in self.acting_players():
            words = self._words.copy()
            words[SEAT] = player
            write_mask(self._functions, words, mask)
        return mask

    def determinize(self, player: int, seed: int | Sequence[int] | None = None) -> State:
        """Return a copy in which all that the player cannot know is drawn again.

        The player's observation is the same. The seed also determines the further chance events of
        the copy.
        """
        player = self.game.checked_player(player)
        copied = State(self.game, self._words, new_generator(seed))
        self.game.rules.determinize(copied._words, player, copied._tape)
        rewind(copied._tape)
        return copied

    def evaluate(self, player: int) -> float:
        """Estimate the player's return with the game's evaluation function, -1 .. 1."""
        return float(self.game.rules.evaluate(self._words, self.game.checked_player(player)))

    def observation(self, player: int) -> Observation:
        """Return a new int8 array of `observation_shape`: what the player can see."""
        game = self.game
        out = np.empty(game.observation_shape, _INT8)
        game.rules.observe(self._words, game.checked_player(player), out.ravel())
        return out

    def action_name(self, action: int) -> str:
        """Return a legal action in notation.

        Raises:
            TypeError: The action is not an integer.
            IllegalActionError: The action is not legal here, so it may not have a name.
            GameOverError: The game is over.
        """
        if not self.is_legal(action):
            raise self.refusal(action)
        return self.game.rules.format_action(self._words, int(action))

    def parse_action(self, text: str) -> int:
        """Return the legal action that the notation names.

        Raises:
            TypeError: Not a text.
            NotationError: The text is not an action.
            IllegalActionError: The action is not legal here.
            GameOverError: The game is over.
        """
        if not isinstance(text, str):
            raise TypeError(f"an action is text in the notation of {self.game.name}, not {text!r}")
        try:
            action = self.game.rules.parse_action(self._words, text)
        except ValueError as error:
            raise NotationError(str(error)) from None
        if self.is_legal(action):
            return action
        if self.is_terminal:
            raise GameOverError(f"{text!r} is not legal: the game is over")
        raise IllegalActionError(f"{text!r} is not legal: {self.label}")

    def draw(self, *, colour: bool | None = None, viewer: int | None = None) -> str:
        """Return the board as text to play from.

        Args:
            colour: Whether to use ANSI colours; None: if the standard output is a terminal.
            viewer: The player whose view is drawn; None shows everything.
        """
        if colour is None:
            colour = sys.stdout.isatty()
        from tzaar_envs.render.text import to_text

        seat = EVERYTHING if viewer is None else self.game.checked_player(viewer)
        return to_text(self.game.rules.scene(self._words, View(seat)), colour)

    def scene(
        self,
        viewer: int | None = None,
        *,
        last: tuple[State, int] | None = None,
        legal: bool = False,
        weights: Mapping[int, float] | None = None,
        values: Sequence[float] | None = None,
    ) -> Scene:
        """Return the picture of the position, without colours and size, see `render.scene`.

        What would tell the viewer about hidden things is left out, so legal actions and weights are
        only shown to the player to act in a game with hidden information.

        Args:
            viewer: The player whose view it is; None shows everything.
            last: The position before the last action, and that action.
            legal: Whether the legal actions are marked.
            weights: Numbers from 0 on for some actions, such as the probability of a policy or
                the visits of a search; they are marked accordingly.
            values: The expected return of every player, -1 to 1, which are shown as a bar.

        Raises:
            ValueError: A player or a last action that does not exist, or not as many values as
                players.
        """
        from tzaar_envs.render import overlays

        rules = self.game.rules
        seat = EVERYTHING if viewer is None else self.game.checked_player(viewer)
        view = View(seat)
        if last is not None:
            before, action = last
            if before.game != self.game:
                raise ValueError(f"the last action is one of {before.game!r}, not of {self.game!r}")
            if reason := before.why_illegal(action):
                raise ValueError(f"the last action cannot have been played: {reason}")
            view = View(seat, before._words, int(action))
        scene = rules.scene(self._words, view)
        if view.before is not None and not self.game.spec.simultaneous:
            scene = overlays.with_last(scene, rules.trace(view.before, view.last))
        if not self.game.spec.hidden_information or seat in (EVERYTHING, self.current_player):
            if legal:
                actions = self.legal_actions().tolist()
                scene = overlays.with_legal(scene, [rules.trace(self._words, a) for a in actions])
            if weights:
                kept = {int(a): float(w) for a, w in weights.items() if w > 0 and self.is_legal(a)}
                traces = [rules.trace(self._words, action) for action in kept]
                scene = overlays.with_heat(scene, traces, [*kept.values()])
        if values is None:
            return scene
        if len(values) != self.game.num_players:
            raise ValueError(
                f"values: give {self.game.num_players}, one for each player, not {len(values)}"
            )
        return overlays.with_values(scene, values)

    def svg(self, theme: str | Theme = "auto", width: int | None = None, **shown: Any) -> str:
        """Return the picture of the position as SVG.

        Args:
            theme: `"light"`, `"dark"`, `"auto"` (as the reader's system says), or a theme.
            width: Width in pixels; None: as wide as there is room.
            **shown: What is shown, see `scene`.
        """
        from tzaar_envs.render.svg import to_svg

        return to_svg(self.scene(**shown), theme, width)

    def _repr_svg_(self) -> str:
        return self.svg(width=480)

    def clone(self) -> State:
        """Return an independent copy, generator included."""
        copied = State.__new__(State)
        copied.game, copied._functions = self.game, self._functions
        copied._words, copied._tape = self._words.copy(), self._tape.copy()
        copied._mask = copied.line = None
        return copied

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self.game, self._words, self._tape)

    def __str__(self) -> str:
        return self.game.rules.format_position(self._words)

    def __repr__(self) -> str:
        return f"<State of {self.game.name}: {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and str(self) == str(other)

    def __hash__(self) -> int:
        return hash((self.game, str(self)))
