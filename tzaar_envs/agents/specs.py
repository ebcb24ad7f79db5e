"""The agents of a game, and the agent texts that name them: `NAME:ARGUMENT,KEY=VALUE,KEY=VALUE`.

An argument or a value that has a comma stands in quotes, in which a quote is doubled: `mcts:policy=
"a,b.safetensors",ms=100`. In the command of an engine, quotes are those of a shell.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from tzaar_envs.agents.agent import ENGINE_OPTIONS, Agent, RandomAgent
from tzaar_envs.agents.ladder import MixtureAgent, agent_of_level, levels, mixture
from tzaar_envs.core.game import ActionValues, Game
from tzaar_envs.core.spec import Baseline, GameSpec, Option, resolve_options
from tzaar_envs.networks.device import DEVICES
from tzaar_envs.registry import load_game
from tzaar_envs.search.options import MCTS_OPTIONS

GREEDY = Baseline(
    "greedy",
    "the best action by the game's evaluation function",
    "tzaar_envs.agents.searchers:action_values",
)

_SAMPLE = Option(
    "sample", bool, False, "sample actions from the policy; otherwise play the most likely one"
)
_DEVICE = Option(
    "device",
    str,
    "cpu",
    "where the network computes; auto: on an accelerator where one is present",
    choices=DEVICES,
)
_POLICY = Option(
    "policy",
    str,
    "",
    "file of a policy, or `reference`, whose network values positions, and in `mcts` actions; "
    "other agents need a sparse network; empty: none",
)
_PLIES = Option(
    "plies",
    int,
    2,
    "2: if the same seat acts again, compare the positions after its next action; 1: do not; of a "
    "policy only",
    choices=(1, 2),
)

_ALPHABETA_OPTIONS = (
    Option("depth", int, 3, "plies to look ahead", minimum=1, maximum=64),
    Option("ms", int, 0, "milliseconds per move, in place of `depth`; 0: no time limit", minimum=0),
)

_OF_ENGINE = "set."  # what names of an engine's own options begin with

# A value in quotes, and all up to a comma that is in no such value.
_QUOTED = r"""\s*(?:"(?:[^"]|"")*"|'(?:[^']|'')*')\s*"""
_PART = re.compile(rf"""((?:[^,='"]*=)?{_QUOTED}|[^,]*),""", re.DOTALL)

# Up to a comma that is not quoted, by quotes or a backslash as a shell reads them.
_PART_OF_COMMAND = re.compile(
    rf"""(\s*set\.[^,='"]*={_QUOTED}|(?:[^,\\'"]|\\.?|'[^']*'?|"(?:[^"\\]|\\.?)*"?)*),""",
    re.DOTALL,
)


@dataclass(frozen=True)
class AgentSpec:
    """A kind of agent that an agent text can name.

    Attributes:
        name: The part of the text before the colon.
        summary: One sentence for people.
        options: Its options.
        argument: The name, for people, of what comes after the colon and before the options; empty
            if nothing does.
        is_command: Whether quotes in the argument protect commas, as a shell reads them, and
            options of the program, whose names begin with `set.`, are passed on as text.
        unsuitable: Why the game has no such agent, in a few words; empty if it has one.
    """

    name: str
    summary: str
    options: tuple[Option, ...] = ()
    argument: str = ""
    is_command: bool = False
    unsuitable: str = ""

    @property
    def syntax(self) -> str:
        """The agent text as lists show it."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    @property
    def defaults(self) -> str:
        """The options with their defaults, as an agent text has them."""
        return ", ".join(f"{option.name}={_plain(option.default)}" for option in self.options)

    def split(self, rest: str) -> tuple[str, list[str]]:
        """Split the part after the colon into the argument and the options.

        An argument may contain any character, so only known names at the end are options.
        """
        parts = (_PART_OF_COMMAND if self.is_command else _PART).findall(f"{rest},")
        if not self.argument:
            return "", parts if rest else []
        names = {option.name for option in self.options}
        first = len(parts)
        while first > 1:
            name = parts[first - 1].partition("=")[0].strip()
            if name not in names and not self._is_passed_on(name):
                break
            first -= 1
        argument = ",".join(parts[:first])
        return argument if self.is_command else _unquoted(argument), parts[first:]

    def _is_passed_on(self, name: str) -> bool:
        return self.is_command and name.startswith(_OF_ENGINE)

    def parse_options(self, texts: Iterable[str]) -> dict[str, Any]:
        """Read options, each `KEY=VALUE`, and return those that differ from the default.

        Raises:
            ValueError: Not an option, an unknown one, one given twice, or a value that is not
                allowed.
        """
        known = {option.name: option for option in self.options}
        given: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            name, value = name.strip(), _unquoted(value.strip())
            if not equals:
                raise ValueError(
                    f"agent {self.name}: option {text!r} is not allowed: use NAME=VALUE; "
                    f"the names with their defaults are {self.defaults}"
                )
            if name in given:
                raise ValueError(f"agent {self.name}: option {name} is given twice")
            # resolve_options refuses an unknown name and lists the known ones.
            given[name] = known[name].parse(value) if name in known else value
        passed_on = {name: given.pop(name) for name in [*given] if self._is_passed_on(name)}
        values = resolve_options(self.options, given, f"agent {self.name}")
        changed = {name: value for name, value in values.items() if value != known[name].default}
        return changed | passed_on


@dataclass(frozen=True)
class AgentText:
    """An agent text in its parts.

    Attributes:
        spec: The kind of agent.
        options: Its options that differ from their defaults.
        argument: The text between the colon and the options; empty if there is none.
    """

    spec: AgentSpec
    options: Mapping[str, Any]
    argument: str = ""

    @classmethod
    def parse(cls, text: str, spec: GameSpec) -> Self:
        """Return the parts of an agent text.

        Raises:
            ValueError: The game has no such agent, it cannot play it, or an option is unknown or
                not allowed.
        """
        _, colon, rest = text.partition(":")
        agents = {agent.name.casefold(): agent for agent in _all_specs(spec).values()}
        agent = agents.get(agent_name(text))
        if agent is not None and agent.unsuitable:
            able = ", ".join(agent_specs(spec))
            raise ValueError(
                f"the agent {agent.name} cannot play {spec.name}: {agent.unsuitable}; the agents "
                f"that can are {able}"
            )
        if agent is None or (
            not (rest and (agent.argument or agent.options)) if colon else agent.argument
        ):
            listing = agent_specs(spec)
            close = difflib.get_close_matches(text, listing, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(
                f"there is no agent {text!r}: {hint}the agents of {spec.name} are "
                f"{', '.join(listing)}"
            )
        argument, given = agent.split(rest)
        if agent.name == "elo":
            mixture(argument, spec)  # which refuses a rating that no agent has
        elif agent.name == "level":
            agent_of_level(argument, spec)
        return cls(agent, agent.parse_options(given), argument)

    def changed(self, name: str, value: str) -> Self:
        """Return the text with another value of an option.

        Raises:
            ValueError: The option is unknown, or the value is not allowed.
        """
        changed = self.spec.parse_options([f"{name}={quoted(value)}"])
        kept = {other: kept for other, kept in self.options.items() if other != name}
        return replace(self, options=kept | changed)

    def make(self, game: Game, seed: int | Sequence[int] | None = None) -> Agent:
        """Return the agent, see `make_agent`."""
        agent = self._made(game, seed)
        if self.spec.name not in ("policy", "python"):  # which have names of their own
            agent.name = str(self)
        return agent

    def _made(self, game: Game, seed: int | Sequence[int] | None) -> Agent:
        if self.spec.name == "random":
            return RandomAgent(game, seed)
        # What is imported here takes time, and few need all of it.
        from tzaar_envs.agents.searchers import (
            AlphaBetaAgent,
            BestActionAgent,
            MctsAgent,
            NetworkValues,
        )
        from tzaar_envs.networks.device import refuse_accelerator
        from tzaar_envs.networks.evaluator import load_compiled, load_evaluator
        from tzaar_envs.networks.file import find_policy

        options = dict(self.options)
        policy = options.pop("policy", "")
        path = find_policy(policy, game.spec) if policy else None
        match self.spec.name:
            case "mcts":
                device = options.pop("device", "cpu")
                if not path:
                    refuse_accelerator(device, "mcts without a policy")
                leaves = load_evaluator(path, game, device) if path else None
                return MctsAgent(game, seed, leaves, **options)
            case "alphabeta":
                network = load_compiled(path, game) if path else None
                return AlphaBetaAgent(game, seed=seed, evaluator=network, **options)
            case "greedy" if path:
                values = NetworkValues(game, load_compiled(path, game), **options)
                return BestActionAgent(game, values, seed)
            case "reference":
                return make_agent(game.spec.reference_agent, game, seed)
            case "policy":
                from tzaar_envs.agents.policies import PolicyAgent

                path = find_policy(self.argument, game.spec)
                return PolicyAgent.load(path, game, seed, **options)
            case "engine":
                from tzaar_envs.agents.engine import EngineAgent

                own = [name for name in options if name.startswith(_OF_ENGINE)]
                set_options = {name.removeprefix(_OF_ENGINE): options.pop(name) for name in own}
                return EngineAgent(game, self.argument, seed, set_options, **options)
            case "level":
                return make_agent(agent_of_level(self.argument, game.spec), game, seed)
            case "elo":
                members = mixture(self.argument, game.spec)
                agents = {make_agent(text, game): share for text, share in members.items()}
                return MixtureAgent(game, agents, str(self), seed)
            case "python":
                from tzaar_envs.agents.python_agent import load_python_agent

                return load_python_agent(self.argument, game, seed)
        if options:
            raise ValueError(
                f"agent greedy: plies={options['plies']} is not allowed without a policy"
            )
        return BestActionAgent(game, action_values_of(self.spec.name, game.spec), seed)

    def __str__(self) -> str:
        values = [f"{name}={quoted(_plain(value))}" for name, value in self.options.items()]
        argument = self.argument if self.spec.is_command else quoted(self.argument)
        rest = ",".join([argument, *values] if argument else values)
        return f"{self.spec.name}:{rest}" if rest else self.spec.name


def make_agent(text: str, game: str | Game, seed: int | Sequence[int] | None = None) -> Agent:
    """Return the agent that an agent text names, for one game.

    Args:
        text: One of `agent_specs`, with options for instance `mcts:simulations=100,rule=puct`.
        game: The name of a game, or a game.
        seed: Fixes its random choices.

    Raises:
        ValueError: There is no such agent or game, it cannot play the game, an option is unknown
            or not allowed, or the file is not a policy for this game.
        ModuleNotFoundError: The agent needs an extra that is not installed.
    """
    game = load_game(game) if isinstance(game, str) else game
    return AgentText.parse(text, game.spec).make(game, seed)


def quoted(value: str) -> str:
    """Return an argument or a value as an agent text has it: in quotes, if it needs them."""
    needs_quotes = re.search(r"""[,'"]|\\$|^\s|\s$""", value)
    return '"{}"'.format(value.replace('"', '""')) if needs_quotes else value


def _unquoted(value: str) -> str:
    if not re.fullmatch(_QUOTED, value, re.DOTALL):
        return value
    quote = value.strip()[0]
    return value.strip()[1:-1].replace(2 * quote, quote)


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def agent_specs(spec: GameSpec) -> dict[str, str]:
    """Return the agent texts of a game, each with a description of the agent and its options."""
    return {
        agent.syntax: f"{agent.summary} ({agent.defaults})" if agent.options else agent.summary
        for agent in specs_of(spec).values()
    }


def runs_code(text: str) -> bool:
    """Whether an agent text runs a program or Python code, which no file or page may start."""
    return agent_name(text) in ("engine", "python")


def agent_name(text: str) -> str:
    """Return the name in an agent text, in small letters."""
    return text.partition(":")[0].strip().casefold()


# --- Which agents there are -----------------------------------------------------------------------


def specs_of(spec: GameSpec) -> dict[str, AgentSpec]:
    """Return the agents that a game has, by name."""
    return {name: agent for name, agent in _all_specs(spec).items() if not agent.unsuitable}


def action_values_of(name: str, spec: GameSpec) -> ActionValues:
    """Return the action values behind `greedy` or a baseline of the game's spec.

    Raises:
        ValueError: There is no such baseline.
    """
    agents = {baseline.name: baseline for baseline in (GREEDY, *spec.baselines)}
    if name not in agents:
        raise ValueError(
            f"{name!r} does not value the actions of {spec.name}: use one of {', '.join(agents)}"
        )
    return agents[name].load()


def _all_specs(spec: GameSpec) -> dict[str, AgentSpec]:
    """Return all agents by name, also those that do not suit the game."""
    is_rated = spec.ratings is not None and spec.ratings.exists()
    has_reference = spec.reference is not None and spec.reference.exists()
    obstacles = {
        "chance": spec.chance_in_play,
        "hidden information": spec.hidden_information,
        "simultaneous choices": spec.simultaneous,
    }
    unknown = " and ".join(reason for reason, holds in obstacles.items() if holds)
    specs = [
        AgentSpec("random", "uniformly random legal actions"),
        AgentSpec("greedy", GREEDY.description, (_POLICY, _PLIES)),
        *(AgentSpec(baseline.name, baseline.description) for baseline in spec.baselines),
        AgentSpec(
            "alphabeta",
            "alpha-beta search, to a depth in plies or for a time",
            (*_ALPHABETA_OPTIONS, _POLICY),
            unsuitable=unknown and f"it has {unknown}, which alpha-beta cannot search",
        ),
        AgentSpec("mcts", "Monte Carlo tree search", (*MCTS_OPTIONS, _POLICY, _DEVICE)),
        AgentSpec(
            "reference",
            f"the trained network that comes with the game: `{spec.reference_agent}`",
            unsuitable="" if has_reference else "no trained policy comes with it",
        ),
        AgentSpec(
            "policy",
            "the trained policy in the file PATH, .safetensors or .onnx",
            (_SAMPLE, _DEVICE),
            argument="PATH",
        ),
        AgentSpec(
            "level",
            f"an opponent of level 1 to {len(levels(spec))}, from the ladder of the game",
            argument="N",
            unsuitable="" if spec.ladder else "it has no ladder",
        ),
        AgentSpec(
            "elo",
            "an opponent of rating N (greedy: 1000): an agent of the ladder, or in each game one "
            "of the two nearest"
            + ("; luck brings ratings close together here" if spec.chance_in_play else ""),
            argument="N",
            unsuitable="" if is_rated else "its ladder has no ratings",
        ),
        AgentSpec(
            "python",
            "your own agent: CLASS in a Python module, or in FILE.py",
            argument="MODULE:CLASS",
        ),
        AgentSpec(
            "engine",
            "the program that COMMAND starts, which speaks the engine protocol; set.NAME=VALUE "
            "sets its own options",
            ENGINE_OPTIONS,
            argument="COMMAND",
            is_command=True,
        ),
    ]
    return {agent.name: agent for agent in specs}
