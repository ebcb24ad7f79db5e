"""The agents of a game, and the agent texts that name them: `NAME:ARGUMENT,KEY=VALUE,KEY=VALUE`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from tzaar_envs.agents.agent import Agent, RandomAgent
from tzaar_envs.core.game import ActionValues, Game
from tzaar_envs.core.spec import Baseline, GameSpec, Option, resolve_options
from tzaar_envs.search.leaf_network import CompiledEvaluator
from tzaar_envs.search.options import ALPHABETA_OPTIONS, ENGINE_OPTIONS, MCTS_OPTIONS

Seed = int | Sequence[int] | None

GREEDY = Baseline(
    "greedy",
    "one ply over the game's evaluation function",
    "tzaar_envs.agents.greedy:action_values",
)

_SAMPLE = Option(
    "sample", bool, False, "sample actions from the policy; otherwise play the most likely one"
)
_POLICY_OF_SEARCH = Option(
    "policy",
    str,
    "",
    "file of a policy, or `reference`, whose network values leaves and actions, in place of "
    "`leaf`; empty: none",
)
_POLICY_OF_VALUES = Option(
    "policy",
    str,
    "",
    "file of a policy, or `reference`, whose sparse network values positions, in place of the "
    "evaluation function; empty: none",
)
_PLIES_OF_VALUES = Option(
    "plies",
    int,
    2,
    "2: if the same seat acts again, compare the positions after its next action; 1: do not; of a "
    "policy only",
    choices=(1, 2),
)

_OF_ENGINE = "set."  # what names of an engine's own options begin with

# Up to a comma that is not quoted, by quotes or a backslash as a shell reads them.
_PART_OF_COMMAND = re.compile(r"""((?:[^,\\'"]|\\.?|'[^']*'?|"(?:[^"\\]|\\.?)*"?)*),""", re.DOTALL)


@dataclass(frozen=True)
class AgentSpec:
    """A kind of agent that an agent text can name.

    Attributes:
        name: the part of the text before the colon.
        summary: one sentence for people.
        make: `(game, seed, **options)`, imports the agent's code and returns the agent; if the spec
            has an `argument`, it gets that part of the text as the keyword `argument`.
        options: its parameters.
        argument: the name, for people, of what comes after the colon and before the options; empty
            if nothing does.
        is_command: whether quotes in the argument protect commas, as a shell reads them, and
            options of the program, whose names begin with `set.`, are passed on as text.
        unsuitable: why the game has no such agent, in a few words; empty if it has one.
    """

    name: str
    summary: str
    make: Callable[..., Agent]
    options: tuple[Option, ...] = ()
    argument: str = ""
    is_command: bool = False
    unsuitable: str = ""

    @property
    def syntax(self) -> str:
        """The agent text as lists show it."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    @property
    def description(self) -> str:
        """The summary, with the parameters and their defaults."""
        return f"{self.summary} ({self._defaults()})" if self.options else self.summary

    def split_argument(self, rest: str) -> tuple[str, str]:
        """Split the part after the colon into the argument and the options.

        An argument may contain any character, so only known names at the end are options.
        """
        if not self.argument:
            return "", rest
        parts = _PART_OF_COMMAND.findall(f"{rest},") if self.is_command else rest.split(",")
        first = len(parts)
        while first > 1 and self._is_option(parts[first - 1].partition("=")[0]):
            first -= 1
        return ",".join(parts[:first]), ",".join(parts[first:])

    def _is_option(self, name: str) -> bool:
        return self._is_passed_on(name) or any(option.name == name for option in self.options)

    def _is_passed_on(self, name: str) -> bool:
        return self.is_command and name.startswith(_OF_ENGINE) and name != _OF_ENGINE

    def parse_options(self, text: str) -> dict[str, Any]:
        """Parse options, `KEY=VALUE,KEY=VALUE`, and return those that differ from the default.

        Raises:
            ValueError: not an option, an unknown one, one given twice, or a value that is not
                allowed.
        """
        known = {option.name: option for option in self.options}
        given: dict[str, Any] = {}
        passed_on: dict[str, str] = {}
        for part in text.split(",") if text else ():
            name, equals, value = part.partition("=")
            if not equals:
                raise ValueError(
                    f"agent {self.name}: parameter {part!r} is not allowed: use NAME=VALUE; "
                    f"the names with their defaults are {self._defaults()}"
                )
            if name in given or name in passed_on:
                raise ValueError(f"agent {self.name}: parameter {name} is given twice")
            if self._is_passed_on(name):
                passed_on[name] = value
            else:  # resolve_options reports an unknown name and lists the known ones
                given[name] = known[name].parse(value) if name in known else value
        values = resolve_options(self.options, given, f"agent {self.name}")
        changed = {name: value for name, value in values.items() if value != known[name].default}
        return changed | passed_on

    def _defaults(self) -> str:
        return ", ".join(f"{option.name}={_plain(option.default)}" for option in self.options)


@dataclass(frozen=True)
class AgentText:
    """An agent text in its parts.

    Attributes:
        spec: the kind of agent.
        options: its parameters that differ from their defaults.
        argument: the text between the colon and the parameters; empty if there is none.
    """

    spec: AgentSpec
    options: Mapping[str, Any]
    argument: str = ""

    @classmethod
    def parse(cls, text: str, spec: GameSpec) -> Self:
        """Return the parts of an agent text.

        Raises:
            ValueError: the game has no such agent, it cannot play it, or a parameter is unknown or
                not allowed.
        """
        name, colon, rest = text.partition(":")
        agent = _all_specs(spec).get(name)
        if agent is not None and agent.unsuitable:
            able = ", ".join(agent_specs(spec))
            raise ValueError(
                f"the agent {name} cannot play {spec.name}: {agent.unsuitable}; the agents that "
                f"can are {able}"
            )
        if agent is not None and colon:
            is_complete = bool(rest and (agent.argument or agent.options))
        else:
            is_complete = agent is not None and not agent.argument
        if agent is None or not is_complete:
            listing = agent_specs(spec)
            close = difflib.get_close_matches(text, listing, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(
                f"there is no agent {text!r}: {hint}the agents of {spec.name} are "
                f"{', '.join(listing)}"
            )
        argument, given = agent.split_argument(rest)
        return cls(agent, agent.parse_options(given), argument)

    def changed(self, name: str, value: str) -> Self:
        """Return the text with another value of a parameter.

        Raises:
            ValueError: the parameter is unknown, or the value is not allowed.
        """
        changed = self.spec.parse_options(f"{name}={value}")
        kept = {other: kept for other, kept in self.options.items() if other != name}
        return replace(self, options=kept | changed)

    def make(self, game: Game, seed: Seed = None) -> Agent:
        """Return the agent, see `make_agent`."""
        argument = {"argument": self.argument} if self.spec.argument else {}
        agent = self.spec.make(game, seed, **argument, **self.options)
        if self.spec.name != "policy":  # which is named after its file
            agent.name = str(self)
        return agent

    def __str__(self) -> str:
        values = [f"{name}={_plain(value)}" for name, value in self.options.items()]
        rest = ",".join([self.argument, *values] if self.argument else values)
        return f"{self.spec.name}:{rest}" if rest else self.spec.name


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def agent_specs(spec: GameSpec) -> dict[str, str]:
    """Return the agent texts of a game, each with a description of the agent and its parameters."""
    return {agent.syntax: agent.description for agent in specs_of(spec).values()}


def starts_program(text: str) -> bool:
    """Whether an agent text starts a program, which no file may name unless its user does, too."""
    return text.partition(":")[0].strip() == "engine"


# --- What makes the agents ------------------------------------------------------------------------


def _mcts(game: Game, seed: Seed, policy: str = "", **options: Any) -> Agent:
    from tzaar_envs.agents.searchers import MctsAgent
    from tzaar_envs.networks.evaluator import load_evaluator
    from tzaar_envs.networks.file import find_policy

    evaluator = load_evaluator(find_policy(policy, game.spec), game) if policy else None
    return MctsAgent(game, seed, evaluator, **options)


def _compiled_network(policy: str, game: Game) -> CompiledEvaluator:
    from tzaar_envs.networks.evaluator import load_compiled
    from tzaar_envs.networks.file import find_policy

    return load_compiled(find_policy(policy, game.spec), game)


def _alphabeta(game: Game, seed: Seed, policy: str = "", **options: Any) -> Agent:
    from tzaar_envs.agents.searchers import AlphaBetaAgent

    evaluator = _compiled_network(policy, game) if policy else None
    return AlphaBetaAgent(game, seed=seed, evaluator=evaluator, **options)


def _greedy(game: Game, seed: Seed, policy: str = "", plies: int = 2) -> Agent:
    from tzaar_envs.agents.greedy import NetworkValues, action_values
    from tzaar_envs.agents.searchers import BestActionAgent

    values: ActionValues = action_values
    if policy:
        values = NetworkValues(game, _compiled_network(policy, game), plies)
    elif plies != 2:
        raise ValueError(f"agent greedy: plies={plies} is not allowed without a policy")
    return BestActionAgent(game, "greedy", values, seed)


def _valuing(name: str, load: Callable[[], ActionValues]) -> Callable[..., Agent]:
    def make(game: Game, seed: Seed) -> Agent:
        from tzaar_envs.agents.searchers import BestActionAgent

        return BestActionAgent(game, name, load(), seed)

    return make


def _policy(game: Game, seed: Seed, argument: str, sample: bool = False) -> Agent:
    from tzaar_envs.agents.policies import PolicyAgent
    from tzaar_envs.networks.file import find_policy

    return PolicyAgent.load(find_policy(argument, game.spec), game, seed, sample=sample)


def _engine(game: Game, seed: Seed, argument: str, **options: Any) -> Agent:
    from tzaar_envs.agents.engine import EngineAgent

    own = {name: value for name, value in options.items() if name.startswith(_OF_ENGINE)}
    limits = {name: value for name, value in options.items() if name not in own}
    set_options = {name.removeprefix(_OF_ENGINE): value for name, value in own.items()}
    return EngineAgent(game, argument, seed, set_options, **limits)


def _reference(game: Game, seed: Seed) -> Agent:
    return AgentText.parse(game.spec.reference_agent, game.spec).make(game, seed)


# --- Which agents there are -----------------------------------------------------------------------


def specs_of(spec: GameSpec) -> dict[str, AgentSpec]:
    """Return the agents that a game has, by name."""
    return {name: agent for name, agent in _all_specs(spec).items() if not agent.unsuitable}


def valuing_agents(spec: GameSpec) -> dict[str, Baseline]:
    """Return the agents of a game that value actions: `greedy`, and the baselines of its spec."""
    return {baseline.name: baseline for baseline in (GREEDY, *spec.baselines)}


def _why_no_alphabeta(spec: GameSpec) -> str:
    obstacles = {
        "its actions involve chance": spec.chance_in_play,
        "something is hidden": spec.hidden_information,
        "players choose at the same time": spec.simultaneous,
    }
    found = [reason for reason, holds in obstacles.items() if holds]
    return f"{' and '.join(found)}, and alpha-beta needs to know every position" if found else ""


def _all_specs(spec: GameSpec) -> dict[str, AgentSpec]:
    """Return all agents by name, also those that do not suit the game."""
    has_reference = spec.reference is not None and spec.reference.exists()
    specs = [
        AgentSpec("random", "uniformly random legal actions", RandomAgent),
        AgentSpec("greedy", GREEDY.description, _greedy, (_POLICY_OF_VALUES, _PLIES_OF_VALUES)),
        *(
            AgentSpec(baseline.name, baseline.description, _valuing(baseline.name, baseline.load))
            for baseline in spec.baselines
        ),
        AgentSpec(
            "alphabeta",
            "alpha-beta search to a depth in plies, or for a time",
            _alphabeta,
            (*ALPHABETA_OPTIONS, _POLICY_OF_VALUES),
            unsuitable=_why_no_alphabeta(spec),
        ),
        AgentSpec("mcts", "Monte Carlo tree search", _mcts, (*MCTS_OPTIONS, _POLICY_OF_SEARCH)),
        AgentSpec(
            "reference",
            f"the trained network that comes with the game: `{spec.reference_agent}`",
            _reference,
            unsuitable="" if has_reference else "no trained policy comes with it",
        ),
        AgentSpec(
            "policy",
            "the trained policy in the file PATH, .safetensors or .onnx",
            _policy,
            (_SAMPLE,),
            argument="PATH",
        ),
        AgentSpec(
            "engine",
            "the program that COMMAND starts, which speaks the engine protocol; set.NAME=VALUE "
            "sets its own options",
            _engine,
            ENGINE_OPTIONS,
            argument="COMMAND",
            is_command=True,
        ),
    ]
    return {agent.name: agent for agent in specs}
