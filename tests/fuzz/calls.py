"""Public calls with arguments of `values`, in sequences on one game.

A call may raise one of `REFUSALS`, with a sentence. Anything else is a finding: another exception,
a crash, a call that does not return, an array that compiled code has corrupted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gymnasium
import numpy as np
from fuzz import authors, browsers, engines, learning, matches, networks, pictures
from fuzz.values import action, answers, anything, expect, number, seeds, spoiled, text, words
from hypothesis import strategies as st
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.agents import Agent, AgentObservation, make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.core.playouts import perft, random_playouts
from tzaar_envs.core.state import State
from tzaar_envs.envs.single_agent import SingleAgentEnv, SingleAgentVectorEnv
from tzaar_envs.jit.rng import new_generators
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.wrappers import (
    RandomSymmetry,
    RecordTransitions,
    RecordVectorTransitions,
    flatten_observation,
    mask_location,
)

REFUSALS = (
    ValueError, TypeError, AssertionError, IndexError, KeyError, OverflowError,
    gymnasium.error.Error, FileNotFoundError, FileExistsError, ModuleNotFoundError,
)  # fmt: skip
"""What a call may raise. A `TypeError` of Numba is another class, and a finding."""


class Fuzzed(Agent):
    """An agent whose answers are drawn."""

    name = "fuzzed"

    def __init__(self, game: Game, draw: st.DrawFn) -> None:
        self.game = game
        self._draw = draw

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Do nothing."""

    def act(self, position: State | AgentObservation) -> Any:
        """Return an action, often a legal one."""
        assert isinstance(position, State)
        return self._draw(action(position))

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> Any:
        """Return actions, often legal ones."""
        right = batch.masks[rows].argmax(axis=1)
        return self._draw(spoiled(right))


class Session:
    """One game with everything that plays it; each method is a public call.

    Attributes:
        calls: how many public calls were made.
        last: the last one, for reports.

    Args:
        game: the game.
        draw: draws arguments.
        note: called before each call with its name; a crash is then known.
    """

    def __init__(self, game: Game, draw: st.DrawFn, note: Callable[[str], None]) -> None:
        self.game = game
        self.draw = draw
        self.calls = 0
        self._note = note
        self.state = game.new_state(draw(st.integers(0, 9)))
        self.env: Any = None
        self.vector: Any = None
        self.batch = Batch(game, 2)
        self.batch.seed(0, 1)
        self.batch.reset(np.ones(2, np.bool_))

    @contextlib.contextmanager
    def call(self, name: str) -> Iterator[None]:
        """Count a call, and let it refuse its arguments."""
        self.calls += 1
        self._note(f"{self.game!r} {name}")
        try:
            yield
        except REFUSALS as error:
            if type(error).__module__.startswith("numba"):
                raise
        assert self.state.is_terminal or self.state.legal_actions().size > 0

    @property
    def over(self) -> bool:
        """Whether the present position ends its game."""
        return bool(self.state.is_terminal)

    # --- State and Game ---

    def play(self) -> None:
        """Play actions, some of them with outcomes."""
        for _ in range(self.draw(st.integers(1, 12))):
            if self.state.is_terminal:
                self.state = self.game.new_state(self.draw(st.integers(0, 99)))
            with self.call("State.apply"):
                self.state.apply(self.draw(action(self.state)))

    def play_outcome(self) -> None:
        """Play an action with given outcomes."""
        outcome = self.draw(st.one_of(anything, st.lists(number(6), max_size=7)))
        with self.call("State.apply outcome"):
            self.state.apply(self.draw(action(self.state)), outcome)

    def ask(self) -> None:
        """Ask a state about an action or a player."""
        state, draw = self.state, self.draw
        given = draw(st.one_of(action(state), number(self.game.num_players)))
        for name in (
            "is_legal", "why_illegal", "action_name", "parse_action", "observation", "evaluate",
            "legal_mask_of",
        ):  # fmt: skip
            with self.call(f"State.{name} {given!r}"):
                getattr(state, name)(given)
        with self.call(f"State.draw {given!r}"):
            state.draw(colour=draw(st.booleans()), viewer=given)
        with self.call(f"State.play_and_observe {given!r}"):
            state.clone().play_and_observe(given)
        with self.call("State.determinize"):
            state.determinize(draw(number(self.game.num_players)), draw(seeds()))

    def text(self) -> None:
        """Read positions and actions."""
        with self.call("Game.parse"):
            seed = self.draw(seeds())
            self._keep(self.game.parse(self.draw(text(str(self.state))), seed), seed)
        legal = self.state.legal_actions()
        if legal.size:
            name = self.state.action_name(int(legal[0]))
            with self.call("State.parse_action"):
                self.state.parse_action(self.draw(text(name)))

    def _keep(self, state: State, seed: Any) -> None:
        """Go on with a state, unless no seed fixes what follows: Hypothesis repeats sequences."""
        if seed is not None:
            self.state = state

    def start(self) -> None:
        """Start games."""
        outcome = self.draw(st.one_of(st.none(), anything, st.lists(number(60), max_size=60)))
        with self.call("Game.new_state"):
            seed = self.draw(seeds())
            self._keep(self.game.new_state(seed, outcome), seed)
        with self.call("State.restart"):
            self.state.restart(outcome)
        with self.call("State.continue_chance"):
            self.state.continue_chance(self.game.new_state(3))

    def words(self) -> None:
        """Make a state of words."""
        with self.call("State()"):
            state = State(
                self.game,
                self.draw(words(self.state)),
                self.state.generator,
            )
            for _ in range(40):
                if state.is_terminal:
                    break
                player = state.current_player
                state.observation(player), state.evaluate(player), state.determinize(player, 0)
                state.draw(colour=False)
                state.apply(int(self.draw(st.sampled_from(state.legal_actions().tolist()))))
            state.returns(), state.scores(), str(state)

    def count(self) -> None:
        """Count sequences, play random games, draw from masks."""
        depth = self.draw(st.one_of(st.integers(0, 2), st.sampled_from([-1, 2**40, 1.5, "1"])))
        with self.call(f"perft {depth!r}"):
            perft(self.state, depth)
        games = self.draw(st.sampled_from([0, 1, 3, -1, 1.5, None, "2"]))
        with self.call(f"random_playouts {games!r}"):
            random_playouts(self.game, games, self.draw(seeds()))
        with self.call("ActionSampler"):
            drawn = ActionSampler(self.draw(seeds())).sample(
                self.draw(spoiled(self.state.legal_mask()[None]))
            )
            most = max(self.game.num_actions, 2) * 2
            expect(bool(((drawn >= -1) & (drawn < most)).all()))
        for symmetry in self.game.symmetries[:3]:
            with self.call("Symmetry.images_of"):
                symmetry.images_of(self.draw(spoiled(self.state.legal_actions())))
            with self.call("Symmetry.apply_to_actions"):
                symmetry.apply_to_actions(self.draw(spoiled(self.state.legal_mask())))

    # --- search ---

    def search(self) -> None:
        """Search positions, some of them no arrays of positions."""
        positions = self.draw(words(self.state, self.draw(st.integers(1, 2))))
        generators = self.draw(
            st.one_of(
                st.just(new_generators(0, len(positions))),
                st.just(np.ones((len(positions), 2), np.uint64)),
                seeds(),
            )
        )
        options = {
            "leaf": self.draw(st.sampled_from(["playout", "evaluation", "lookahead"])),
            "rule": self.draw(st.sampled_from(["uct", "puct"])),
            "threads": self.draw(st.sampled_from([1, 2])),
        }
        with self.call(f"Mcts.search {options}"):
            Mcts(self.game, simulations=12, **options).search(
                self.draw(spoiled(positions)), generators
            )

    def evaluate(self) -> None:
        """Search with an evaluator that answers anything."""
        if self.state.is_terminal:
            return
        search = Mcts(
            self.game,
            lambda states: self.draw(answers(self.game, len(states))),
            simulations=6,
            exploration=self.draw(st.sampled_from([0.0, 1.0, 1000.0])),
        )
        with self.call("Mcts.search with an evaluator"):
            search.search(np.stack([self.state.words] * 2), 0)

    def agents(self) -> None:
        """Ask agents about states, and about anything."""
        name = self.draw(
            st.sampled_from(["random", "greedy", "mcts:simulations=5", "alphabeta:depth=1"])
        )
        with self.call(f"make_agent {name}"):
            agent = make_agent(name, self.game, seed=self.draw(seeds()))
            played = agent.act(self.draw(st.one_of(st.just(self.state), anything)))
            expect(self.state.is_legal(played))

    def alphabeta(self) -> None:
        """Search by alpha-beta, with budgets that may be anything."""
        depth = self.draw(st.sampled_from([0, 1, 2, -1, 65, 10**30, 1.5, "1", None]))
        ms = self.draw(st.sampled_from([0, 1, 0.5, -1, float("nan"), float("inf"), "1", None]))
        entries = self.draw(st.sampled_from([2, 1 << 10, 0, -2, 3, 1.5, 10**30]))
        with self.call(f"AlphaBeta.search {depth!r} {ms!r} {entries!r}"):
            AlphaBeta(self.game, entries).search(self.state, depth, ms)

    # --- environments ---

    def aec(self) -> None:
        """Step the AEC environment."""
        draw = self.draw
        if self.env is None:
            self.env = tzaar_envs.make(
                self.game.spec.env_id,
                illegal=draw(st.sampled_from(["raise", "terminate"])),
                render_mode="ansi",
                viewer=draw(st.sampled_from(["all", "player_1"])),
                **self.game.options,
            )
            self.env.reset(seed=0)
        env = self.env
        with self.call("GameEnv.reset"):
            position = draw(text(str(self.state)))
            env.reset(draw(seeds()), draw(st.sampled_from([None, {"position": position}, {}])))
        for _ in range(draw(st.integers(1, 6))):
            with self.call("GameEnv.step"):
                env.step(draw(action(env.game_state)))
            with self.call("GameEnv.observe"):
                env.observe(draw(st.sampled_from(["player_0", "player_1", "player_9", 0, None])))
            with self.call("GameEnv.last"):
                env.last(), env.render()

    def parallel(self) -> None:
        """Step the parallel environment, where there is one."""
        if not self.game.spec.simultaneous:
            return
        env = tzaar_envs.make_parallel(self.game.spec.env_id, illegal="raise", **self.game.options)
        env.reset(1)
        for _ in range(self.draw(st.integers(1, 6))):
            agents = self.draw(st.lists(st.sampled_from([*env.possible_agents, "x"]), unique=True))
            with self.call("ParallelGameEnv.step"):
                env.step({agent: self.draw(number(self.game.num_actions + 1)) for agent in agents})

    def vectors(self) -> None:
        """Step many games, and write into all that is handed out."""
        draw = self.draw
        if self.vector is None:
            self.vector = tzaar_envs.make_vec(
                self.game.spec.env_id,
                num_envs=3,
                num_threads=1,
                copy=draw(st.booleans()),
                illegal=draw(st.sampled_from(["raise", "terminate"])),
                autoreset=draw(st.sampled_from(["next_step", "same_step", "disabled"])),
                **self.game.options,
            )
            self.vector.reset(seed=0)
        env = self.vector
        rows = draw(spoiled(np.array([True, False, True])))
        with self.call("VectorGameEnv.reset"):
            env.reset(
                seed=draw(st.one_of(seeds(), spoiled(np.arange(3)))),
                options=draw(st.sampled_from([None, {}, {"reset_mask": rows}])),
            )
        for _ in range(draw(st.integers(1, 6))):
            with self.call("VectorGameEnv.step"):
                self._spoil(env.step(draw(spoiled(env.sample_actions()))))

    def _spoil(self, results: Any) -> None:
        """Write into arrays that were handed out."""
        for array in (*results[:4], *results[4].values()):
            if array.dtype != np.dtype(object):
                with contextlib.suppress(ValueError):
                    array[...] = 1

    def batches(self) -> None:
        """Call a batch."""
        batch, draw = self.batch, self.draw
        rows = draw(spoiled(np.array([True, False])))
        for _ in range(draw(st.integers(1, 5))):
            with self.call("Batch.step"):
                batch.step(draw(spoiled(batch.random_actions)), draw(st.sampled_from([None, rows])))
        with self.call("Batch.step and restart"):
            actions = draw(spoiled(batch.random_actions))
            batch.step(actions, restart=True, new_arrays=draw(st.booleans()))
        with self.call("Batch.observe"):
            batch.observe(draw(spoiled(np.array([0, 1]))), draw(spoiled(np.array([0, 1]))))
        with self.call("Batch.evaluate"):
            batch.evaluate(draw(spoiled(np.array([0, 1]))))
        with self.call("Batch.forfeit"):
            batch.forfeit(rows)
        with self.call("Batch.set_positions"):
            batch.set_positions(rows, draw(words(self.state)))
        with self.call("Batch.set_generators"):
            batch.set_generators(batch.generators[: draw(st.integers(0, 2))])
        with self.call("Batch.seed"):
            batch.seed(draw(number(2)), draw(seeds()))
        with self.call("Batch.reset"):
            batch.reset(rows)
        with self.call("Batch.state"):
            batch.state(draw(number(2)))
        with self.call("Batch.copied_observations"):
            batch.copied_observations()
        with self.call("Batch.copied_masks"):
            batch.copied_masks()

    def opponents(self) -> None:
        """Play against an agent whose answers may be anything."""
        draw = self.draw
        agent = Fuzzed(self.game, draw)
        with self.call("SingleAgentEnv"):
            env = SingleAgentEnv(self.game, agent, seat=draw(st.sampled_from([None, 0, 1])))
            env.reset(seed=0)
            for _ in range(draw(st.integers(1, 4))):
                env.step(draw(number(self.game.num_actions)))
        with self.call("SingleAgentVectorEnv"):
            games = SingleAgentVectorEnv(self.game, agent, seed=0, num_envs=2, copy=False)
            _, infos = games.reset()
            for _ in range(draw(st.integers(1, 4))):
                results = games.step(draw(spoiled(infos["action_mask"].argmax(axis=1))))
                infos = results[4]
                self._spoil(results)

    def wrapped(self) -> None:
        """Step wrapped environments."""
        draw = self.draw
        wrapper = draw(
            st.sampled_from([flatten_observation, mask_location, RandomSymmetry, RecordTransitions])
        )
        with self.call(wrapper.__name__):
            env = wrapper(tzaar_envs.make(self.game.spec.env_id, **self.game.options))
            env.reset(seed=1)
            for _ in range(draw(st.integers(1, 8))):
                env.step(draw(action(env.unwrapped.game_state)))
                env.observe(draw(st.sampled_from(["player_0", "player_1", "player_9"])))
        with self.call("RecordVectorTransitions"):
            games = RecordVectorTransitions(
                tzaar_envs.make_vec(self.game.spec.env_id, num_envs=2, **self.game.options)
            )
            games.reset(seed=0)
            for _ in range(draw(st.integers(1, 5))):
                games.step(draw(spoiled(games.env.sample_actions())))
            games.take()

    def stable_baselines(self) -> None:
        """Step the environment for Stable-Baselines3."""
        from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

        with self.call("SingleAgentVecEnv"):
            env = SingleAgentVecEnv(self.game, ["random"], 2, seed=self.draw(seeds()), shaping=0.5)
            env.reset()
            for _ in range(self.draw(st.integers(1, 5))):
                masks = env.action_masks()
                with contextlib.suppress(ValueError):
                    masks[:] = True
                env.step(self.draw(spoiled(masks.argmax(axis=1))))


CALLS = (
    Session.play, Session.play_outcome, Session.ask, Session.text, Session.start, Session.words,
    Session.count, Session.search, Session.evaluate, Session.agents, Session.aec,
    Session.alphabeta, Session.wrapped,
    Session.parallel, Session.vectors, Session.batches, Session.opponents, Session.stable_baselines,
    networks.network, networks.network_of_another_game, networks.self_play,
    pictures.scenes, pictures.rendering, pictures.records, pictures.watching, pictures.rules,
    pictures.loading,
    *authors.CALLS, *engines.CALLS, *learning.CALLS, *matches.CALLS, *browsers.CALLS,
)  # fmt: skip
