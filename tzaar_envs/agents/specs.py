"""The agents of a game, and the agent texts that name them: `NAME:KEY=VALUE,KEY=VALUE`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tzaar_envs.agents.agent import Agent
from tzaar_envs.core.action_values import ActionValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.options import Option, resolve_options
from tzaar_envs.core.spec import Baseline, GameSpec
from tzaar_envs.search.options import ALPHABETA_OPTIONS, ENGINE_OPTIONS, MCTS_OPTIONS

Seed = int | Sequence[int] | None

_OF_ENGINE = "set."  # what names of an engine's own options begin with

GREEDY = Baseline(
    "greedy",
    "one ply over the game's evaluation function",
    "tzaar_envs.agents.greedy:action_values",
)

POLICY_OPTIONS = (
    Option(
        "sample", bool, False, "sample actions from the policy; otherwise play the most likely one"
    ),
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
        is_quoted: whether quotes in the argument protect commas, as a shell reads them.
        prefix: options whose names begin with it are passed on as text; empty: there are none.
        unsuitable: says why a game has no such agent, in a few words; None if it has one.
    """

    name: str
    summary: str
    make: Callable[..., Agent]
    options: tuple[Option, ...] = ()
    argument: str = ""
    is_quoted: bool = False
    prefix: str = ""
    unsuitable: Callable[[GameSpec], str | None] = lambda spec: None

    @property
    def syntax(self) -> str:
        """The agent text as lists show it."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    @property
    def description(self) -> str:
        """The summary, with the parameters and their defaults."""
        return f"{self.summary} ({self._defaults()})" if self.options else self.summary

    def accepts(self, rest: str | None) -> bool:
        """Whether an agent text may have this after the colon; None: there is no colon."""
        if rest is None:
            return not self.argument
        return bool(rest and (self.argument or self.options))

    def agent_text(self, options: Mapping[str, Any], argument: str = "") -> str:
        """Return the agent text that names this agent with this argument and these options."""
        values = [f"{name}={_plain(value)}" for name, value in options.items()]
        rest = ",".join([argument, *values] if argument else values)
        return f"{self.name}:{rest}" if rest else self.name

    def split_argument(self, rest: str) -> tuple[str, str]:
        """Split the part after the colon into the argument and the options.

        An argument may contain any character, so only known names at the end are options.
        """
        parts = _split_unquoted(rest) if self.is_quoted else rest.split(",")
        first = len(parts)
        while first > 1 and self._is_option(parts[first - 1].partition("=")[0]):
            first -= 1
        return ",".join(parts[:first]), ",".join(parts[first:])

    def _is_option(self, name: str) -> bool:
        passed_on = self.prefix and name.startswith(self.prefix) and name != self.prefix
        return bool(passed_on) or any(option.name == name for option in self.options)

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
            if name not in known and self._is_option(name):
                passed_on[name] = value
                continue
            # resolve_options reports an unknown name and lists the known ones.
            given[name] = known[name].parse(value) if name in known else value
        values = resolve_options(self.options, given, f"agent {self.name}")
        changed = {name: value for name, value in values.items() if value != known[name].default}
        return changed | passed_on

    def _defaults(self) -> str:
        return ", ".join(f"{option.name}={_plain(option.default)}" for option in self.options)


def _split_unquoted(text: str) -> list[str]:
    """Split at the commas that are not quoted: by quotes or a backslash, as a shell has them."""
    parts = [""]
    quote = ""
    is_escaped = False
    for letter in text:
        if letter == "," and not quote and not is_escaped:
            parts.append("")
            continue
        parts[-1] += letter
        if is_escaped:
            is_escaped = False
        elif letter == "\\" and quote != "'":
            is_escaped = True
        elif letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
    return parts


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _random(game: Game, seed: Seed) -> Agent:
    from tzaar_envs.agents.random import RandomAgent

    return RandomAgent(game, seed)


def _mcts(game: Game, seed: Seed, policy: str = "", **options: Any) -> Agent:
    from tzaar_envs.agents.mcts import MctsAgent

    if not policy:
        return MctsAgent(game, seed, **options)
    from tzaar_envs.networks.evaluator import load_evaluator
    from tzaar_envs.networks.names import find_policy

    evaluator = load_evaluator(find_policy(policy, game.spec), game)
    return MctsAgent(game, seed, evaluator, **options)


def _greedy(game: Game, seed: Seed, policy: str = "", plies: int = 2) -> Agent:
    from tzaar_envs.agents.best_action import BestActionAgent

    if not policy:
        if plies != 2:
            raise ValueError(f"agent greedy: plies={plies} is not allowed without a policy")
        return BestActionAgent(game, "greedy", GREEDY.load(), seed)
    from tzaar_envs.agents.greedy_network import NetworkValues
    from tzaar_envs.networks.evaluator import load_compiled
    from tzaar_envs.networks.names import find_policy

    evaluator = load_compiled(find_policy(policy, game.spec), game)
    return BestActionAgent(game, "greedy", NetworkValues(game, evaluator, plies), seed)


def _alphabeta(game: Game, seed: Seed, policy: str = "", **options: Any) -> Agent:
    from tzaar_envs.agents.alphabeta import AlphaBetaAgent

    if not policy:
        return AlphaBetaAgent(game, seed=seed, **options)
    from tzaar_envs.networks.evaluator import load_compiled
    from tzaar_envs.networks.names import find_policy

    evaluator = load_compiled(find_policy(policy, game.spec), game)
    return AlphaBetaAgent(game, seed=seed, evaluator=evaluator, **options)


def _policy(game: Game, seed: Seed, argument: str, **options: Any) -> Agent:
    from tzaar_envs.networks.file import is_onnx
    from tzaar_envs.networks.names import find_policy

    path = find_policy(argument, game.spec)
    if is_onnx(path):
        from tzaar_envs.agents.onnx_policy import OnnxPolicyAgent

        return OnnxPolicyAgent.load(path, game, seed, **options)
    from tzaar_envs.agents.policy import PolicyAgent

    return PolicyAgent.load(path, game, seed, **options)


def _engine(game: Game, seed: Seed, argument: str, **options: Any) -> Agent:
    from tzaar_envs.agents.engine import EngineAgent

    own = {name: value for name, value in options.items() if name.startswith(_OF_ENGINE)}
    limits = {name: value for name, value in options.items() if name not in own}
    set_options = {name.removeprefix(_OF_ENGINE): value for name, value in own.items()}
    agent = EngineAgent(game, argument, seed, set_options, **limits)
    agent.name = specs_of(game.spec)["engine"].agent_text(options, argument)
    return agent


def _reference(game: Game, seed: Seed) -> Agent:
    name, _, rest = game.spec.reference_agent.partition(":")
    agent_spec = specs_of(game.spec)[name]
    named: dict[str, Any] = {}
    if agent_spec.argument:
        named["argument"], rest = agent_spec.split_argument(rest)
    agent = agent_spec.make(game, seed, **named, **agent_spec.parse_options(rest))
    agent.name = "reference"
    return agent


def _valuing(name: str, load: Callable[[], ActionValues]) -> Callable[..., Agent]:
    def make(game: Game, seed: Seed) -> Agent:
        from tzaar_envs.agents.best_action import BestActionAgent

        return BestActionAgent(game, name, load(), seed)

    return make


def valuing_agents(spec: GameSpec) -> dict[str, Baseline]:
    """Return the agents of a game that value actions: `greedy`, and the baselines of its spec."""
    return {baseline.name: baseline for baseline in (GREEDY, *spec.baselines)}


def _why_no_alphabeta(spec: GameSpec) -> str | None:
    obstacles = {
        "its actions involve chance": spec.chance_in_play,
        "something is hidden": spec.hidden_information,
        "players choose at the same time": spec.simultaneous,
    }
    found = [reason for reason, holds in obstacles.items() if holds]
    return f"{' and '.join(found)}, and alpha-beta needs to know every position" if found else None


def _why_no_reference(spec: GameSpec) -> str | None:
    there_is_one = spec.reference is not None and spec.reference.exists()
    return None if there_is_one else "no trained policy comes with it"


def specs_of(spec: GameSpec) -> dict[str, AgentSpec]:
    """Return the agents that a game has, by name."""
    return {name: agent for name, agent in all_specs(spec).items() if not agent.unsuitable(spec)}


def all_specs(spec: GameSpec) -> dict[str, AgentSpec]:
    """Return all agents by name, also those that do not suit the game."""
    specs = [
        AgentSpec("random", "uniformly random legal actions", _random),
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
            unsuitable=_why_no_alphabeta,
        ),
        AgentSpec("mcts", "Monte Carlo tree search", _mcts, (*MCTS_OPTIONS, _POLICY_OF_SEARCH)),
        AgentSpec(
            "reference",
            f"the trained network that comes with the game: `{spec.reference_agent}`",
            _reference,
            unsuitable=_why_no_reference,
        ),
        AgentSpec(
            "policy",
            "the trained policy in the file PATH, .safetensors or .onnx",
            _policy,
            POLICY_OPTIONS,
            argument="PATH",
        ),
        AgentSpec(
            "engine",
            "the program that COMMAND starts, which speaks the engine protocol; set.NAME=VALUE "
            "sets its own options",
            _engine,
            ENGINE_OPTIONS,
            argument="COMMAND",
            is_quoted=True,
            prefix=_OF_ENGINE,
        ),
    ]
    return {agent.name: agent for agent in specs}
