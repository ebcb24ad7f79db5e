"""Games of OpenSpiel: every game of the suite, registered with `pyspiel` (extra `openspiel`).

All chance is explicit: an action whose rules draw k numbers is followed by k chance nodes, and then
played with these outcomes. Players that choose at the same time act one after the other, and nobody
sees the others' choices.
"""

from __future__ import annotations

import functools
import hashlib
import operator
import urllib.parse
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyspiel
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.state import State
from tzaar_envs.jit import rng
from tzaar_envs.registry import find_spec, list_games

POSITION = "position"
"""The parameter with a start position, in the notation of the game; empty: a new game."""

_PREFIX = "tzaar_envs_"
_WORDS = 2**32  # that a generator can return
_MARGIN = 2**8  # words on both sides of a border, which rounding may displace
_MOST_WEIGHT = 10_000  # of all outcomes of an event together


def register_games() -> list[str]:
    """Register every game with `pyspiel`; registering again does nothing.

    Returns:
        Their names, for instance `tzaar_envs_tzaar`, for `pyspiel.load_game(name, parameters)`.
    """
    known = set(pyspiel.registered_names())
    names = {_PREFIX + name: find_spec(name) for name in list_games()}
    for name, spec in names.items():
        if name not in known:
            # Not a function: when Python ends, only classes outlive what OpenSpiel still holds.
            made = type(name, (OpenSpielGame,), {"spec": spec})
            pyspiel.register_game(_type_of(spec, spec.has_chance), made)
    return list(names)


def _type_of(spec: GameSpec, draws: bool) -> pyspiel.GameType:
    """Return the type of a game; `draws` says whether its rules draw anything at random."""
    kind, hidden = pyspiel.GameType, spec.hidden_information
    return kind(
        short_name=_PREFIX + spec.name,
        long_name=spec.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if draws else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION
        if hidden
        else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=10,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **{option.name: _quoted(option.default) for option in spec.options},
            POSITION: "",
        },
    )


def _quoted(value: Any) -> Any:
    """Return a parameter as it survives in OpenSpiel's texts, where commas have a meaning."""
    if not isinstance(value, str):
        return value
    return urllib.parse.quote(urllib.parse.unquote(value), safe="")


@functools.lru_cache(maxsize=64)
def _setting(name: str, parameters: tuple[tuple[str, Any], ...]) -> tuple[Game, State | None]:
    """Return a game with its options, and the start position that was given."""
    options = {
        option: urllib.parse.unquote(value) if isinstance(value, str) else value
        for option, value in parameters
    }
    position = options.pop(POSITION, "")
    game = Game(find_spec(name), **options)
    return game, game.parse(position, 0) if position else None


class OpenSpielGame(pyspiel.Game):
    """A game of the suite as a game of OpenSpiel; each has a subclass.

    Attributes:
        spec: The game.

    Args:
        params: The parameters: the options of the game, and `position`.

    Raises:
        ValueError: An option or a position that is not allowed.
    """

    spec: ClassVar[GameSpec]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        spec = self.spec
        parameters = {name: _quoted(value) for name, value in (params or {}).items()}
        game, start = _setting(spec.name, tuple(sorted(parameters.items())))
        draws = spec.chance_in_play or (start is None and bool(_drawn(game, None, None)))
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            # Above all outcomes: chance draws the places of an array.
            max_chance_outcomes=max(game.rules.state_size, game.num_actions) if draws else 0,
            num_players=game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=game.max_plies,
        )
        super().__init__(_type_of(spec, draws), info, parameters)

    # OpenSpiel drops the attributes of games, so these follow from what it keeps.

    @property
    def setting(self) -> tuple[Game, State | None]:
        """The game with its options, and the start position that was given; None: a new game."""
        return _setting(self.spec.name, tuple(sorted(self.get_parameters().items())))

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound, far above most games, of the outcomes of chance in a game."""
        game, start = self.setting
        in_play = rng.TAPE_LENGTH * game.max_plies if self.spec.chance_in_play else 0
        return in_play + (0 if start is not None else len(_drawn(game, None, None)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (str(self),)

    def new_initial_state(self, _: str | None = None) -> OpenSpielState:
        """Return the start of a game, or the chance node of its set-up."""
        return OpenSpielState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> Observer:
        """Return an observer of positions, see `Observer`."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.setting[0], kind, params)


def _loaded(text: str) -> pyspiel.Game:
    """Return a game from its text, also in a process that has not registered the games yet."""
    register_games()
    return pyspiel.load_game(text)


def _drawn(
    game: Game,
    before: State | None,
    action: int | None,
    outcomes: tuple[int, ...] = (),
    word: int = 0,
) -> tuple[int, ...]:
    """Return the outcomes of chance in an action, or in the set-up: those given, and further ones.

    Args:
        game: The game.
        before: The position in which the action is played; None: the set-up.
        action: The action, which is legal.
        outcomes: The first outcomes.
        word: Word of the generator from which the next outcome is drawn.

    Raises:
        ValueError: One of the outcomes is impossible.
    """
    tape = rng.new_tape(rng.generator_before(word, len(outcomes)))
    rng.rewind(tape, outcomes)
    if before is None or action is None:
        words = np.zeros(game.rules.state_size, np.int64)
        game.rules.reset(words, game.encoded_options, tape)
    else:
        game.rules.apply(before.words, action, tape)
    rng.check_tape(tape, complete=False)
    return rng.read_tape(tape)


def _probabilities(draw: Any) -> list[tuple[int, float]]:
    """Return the outcomes of an event and their probabilities.

    Outcomes rise with the word that they are drawn from, so the words that lead to one of them are
    a range, whose share of all words is its probability. Weights are whole numbers, so a share is
    a fraction that a good approximation determines.

    Args:
        draw: The outcome that a word leads to.
    """
    first, last = _MARGIN, _WORDS - _MARGIN

    def drawn(word: int) -> int:
        """Return what words around this one lead to: at most one of three is drawn anew."""
        return sorted(draw(word + step) for step in range(3))[1]

    low, high = drawn(first), drawn(last)
    count = high - low + 1
    borders = [_WORDS * index // count for index in range(1, count)]
    if all(
        drawn(border - _MARGIN) == low + index and drawn(border + _MARGIN) == low + index + 1
        for index, border in enumerate(borders)
    ):
        return [(low + index, 1.0 / count) for index in range(count)]
    found = []
    begin, outcome = 0, low
    while outcome != high:
        below, above = max(begin, first), last  # the outcome of `above` is a higher one
        while above - below > 1:
            middle = (below + above) // 2
            if drawn(middle) == outcome:
                below = middle
            else:
                above = middle
        found.append((outcome, above - begin))
        begin, outcome = above, drawn(above + _MARGIN)
    found.append((high, _WORDS - begin))
    shares = [Fraction(size, _WORDS).limit_denominator(_MOST_WEIGHT) for _, size in found]
    return [(value, float(share)) for (value, _), share in zip(found, shares, strict=True)]


class OpenSpielState(pyspiel.State):
    """A position of a game of the suite, or a chance node on the way to one.

    Attributes:
        position: The position; None: the game is not set up yet.
        played: The player and the action of every ply.
        memories: Of each player a digest of all that it has seen and done, in a game that hides
            something: the same in all states that the player cannot tell apart.

    Args:
        spiel: What it belongs to.
    """

    def __init__(self, spiel: OpenSpielGame) -> None:
        super().__init__(spiel)
        self._game, start = spiel.setting
        self.position: State | None = None
        self.played: list[tuple[int, int]] = []
        self._action: int | None = None  # that waits for its outcomes
        self._outcomes: tuple[int, ...] = ()
        self._waits = False
        self.memories = [b""] * self._game.num_players
        if start is not None:
            self.position = start.clone()
            self._remember(None)
        else:
            self._proceed(None, ())

    def _proceed(self, action: int | None, outcomes: tuple[int, ...]) -> None:
        """Wait for the next outcome of chance, or go on to the next position if all are known."""
        known = _drawn(self._game, self.position, action, outcomes)
        self._waits = len(known) > len(outcomes)
        self._action, self._outcomes = (action, outcomes) if self._waits else (None, ())
        if self._waits:
            return
        if self.position is None or action is None:
            self.position = self._game.new_state(0, outcomes)
            self._remember(None)
            return
        player = self.position.current_player
        self.position.apply(action, outcomes)
        self.played.append((player, action))
        self._remember((player, action))

    def _remember(self, move: tuple[int, int] | None) -> None:
        """Add what every player sees and has done to its memory."""
        if not self._game.spec.hidden_information:
            return
        assert self.position is not None
        for player, memory in enumerate(self.memories):
            own = move[1] if move is not None and move[0] == player else -1
            seen = self.position.observation(player).tobytes()
            self.memories[player] = hashlib.sha256(memory + seen + b"%d" % own).digest()

    # What OpenSpiel calls.

    def current_player(self) -> int:
        """Return the player to act, or OpenSpiel's number for chance or for the end."""
        if self._waits:
            return int(pyspiel.PlayerId.CHANCE)
        assert self.position is not None
        if self.position.is_terminal:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.position.current_player

    def _legal_actions(self, player: int) -> list[int]:
        assert self.position is not None
        actions: list[int] = self.position.legal_actions().tolist()
        return actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes that are possible at a chance node, with their probabilities."""
        game, position, action, outcomes = self._game, self.position, self._action, self._outcomes
        return _probabilities(
            lambda word: _drawn(game, position, action, outcomes, word)[len(outcomes)]
        )

    def _apply_action(self, action: int) -> None:
        if self._waits:
            self._proceed(self._action, (*self._outcomes, action))
            return
        assert self.position is not None
        if not self.position.is_legal(action):
            raise self.position.refusal(action)
        self._proceed(action, ())

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        if self.position is None or not self.position.is_legal(action):
            return f"action {action}"
        return self.position.action_name(action)

    def __reduce__(self) -> tuple[Any, ...]:
        return operator.methodcaller("deserialize_state", self.serialize()), (self.get_game(),)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return not self._waits and self.position is not None and self.position.is_terminal

    def returns(self) -> list[float]:
        """Return the result of every player, zeros while the game runs."""
        if self.position is None or not self.is_terminal():
            return [0.0] * self._game.num_players
        values: list[float] = self.position.returns().tolist()
        return values

    def __str__(self) -> str:
        here = "set-up" if self.position is None else str(self.position)
        if not self._waits:
            return here
        if self._action is not None and self.position is not None:
            here = f"{here}, {self.position.action_name(self._action)}"
        return f"{here}, outcomes {' '.join(map(str, self._outcomes))}".rstrip()


class Observer:
    """The view of one player of a state, as OpenSpiel's observers have it.

    **Observation**: the observation of the game, in its shape. The text is that which the game
    draws for this player.

    **Information state**, with perfect recall: also the actions that were played, in order, each as
    `(action + 1) / num_actions`; where players choose at the same time, only the player's own. The
    text holds all that the player can know: where everything is open, the history; else a digest of
    all observations and of the player's own actions.

    Args:
        game: The game.
        kind: The kind of observation.
        params: None are supported.

    Raises:
        ValueError: Parameters, or a kind other than what one player sees.
    """

    def __init__(self, game: Game, kind: Any, params: Mapping[str, Any] | None) -> None:
        alone = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if params or not kind.public_info or kind.private_info != alone:
            raise ValueError("observers show what one player sees, and have no parameters")
        self._game = game
        self._recalls = bool(kind.perfect_recall)
        sizes = {"observation": game.observation_shape}
        if self._recalls:
            sizes["actions"] = (game.max_plies,)
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in sizes.values())]).tolist()
        self.tensor: NDArray[np.float32] = np.zeros(ends[-1], np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {
            name: self.tensor[begin:end].reshape(shape)
            for (name, shape), begin, end in zip(sizes.items(), ends[:-1], ends[1:], strict=True)
        }

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what a player sees into `tensor`; zeros before the set-up."""
        self.tensor.fill(0)
        if state.position is None:
            return
        self.dict["observation"][...] = state.position.observation(player)
        if self._recalls:
            for ply, (mover, action) in enumerate(state.played):
                if mover == player or not self._game.spec.simultaneous:
                    self.dict["actions"][ply] = (action + 1) / self._game.num_actions

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return a player's view as text."""
        if state.position is None:
            return "set-up"
        hides = self._game.spec.hidden_information
        if not self._recalls:
            return state.position.draw(viewer=player) if hides else str(state.position)
        known = state.memories[player].hex()[:32] if hides else state.history_str()
        return f"player {player} {known}"
