"""Who may take a seat: persons, and the agents that a browser may name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec as find_module
from typing import Any

from tzaar_envs.agents.specs import AgentSpec, specs_of
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.play.saved_game import HUMAN
from tzaar_envs.web.limits import Limits
from tzaar_envs.web.named_agents import games_of

PERSON = HUMAN
"""In place of an agent text."""

# The agents that PyTorch runs.
_NEED_TORCH = ("reference",)
# Budgets that do not count if the agent has a time.
_REPLACED_BY_TIME = ("simulations", "depth")
# Where the slider of a budget begins.
_FIRST_VALUES = {"simulations": 400, "depth": 3}


class SeatRules:
    """Which agent texts a browser may use.

    An agent that reads a file, or starts a program, is only allowed if whoever started the server
    named it.

    Args:
        limits: of budgets.
        named: the agent texts that the server was started with.

    Raises:
        ValueError: no game has such an agent, or it cannot play; see `games_of`.
        FileNotFoundError: there is no such policy, or no such program.
        ModuleNotFoundError: an agent needs an extra that is not installed.
    """

    def __init__(self, limits: Limits, named: Sequence[str] = ()) -> None:
        self._limits = limits
        self._named = {text: games_of(text) for text in named}

    def check(self, text: str, game: Game) -> str:
        """Return the text of whoever takes a seat.

        Raises:
            ValueError: there is no such agent, it is not allowed here, or its budget is too large.
        """
        if text == PERSON or text in self._fitting(game.spec):
            return text
        name, _, rest = text.partition(":")
        spec = specs_of(game.spec).get(name)
        if spec is None or not self._is_open(spec):
            allowed = ", ".join([PERSON, *(each.name for each in self._specs(game.spec))])
            raise ValueError(f"there is no agent {text!r} for {game.name} here: use {allowed}")
        if not spec.accepts(rest if ":" in text else None):
            raise ValueError(f"agent {text!r}: expected {spec.syntax}, or NAME:KEY=VALUE")
        self._check_options(spec, spec.parse_options(rest))
        return text

    def _check_options(self, spec: AgentSpec, given: Mapping[str, Any]) -> None:
        for option in spec.options:
            name, value = option.name, given.get(option.name, option.default)
            if name in given and _is_free_text(option):
                raise ValueError(
                    f"agent {spec.name}: {name} can name a file, which a browser may not do; the "
                    "server can be started with this agent (--agent)"
                )
            if given.get("ms") and name in _REPLACED_BY_TIME:
                continue
            most = self._most(name)
            if most is not None and value > most:
                raise ValueError(f"agent {spec.name}: {name}={value} is above the limit of {most}")

    def _most(self, option: str) -> float | None:
        """Return the greatest value of an option that costs time; None if it costs none."""
        limits = {
            "simulations": self._limits.simulations,
            "depth": self._limits.depth,
            "ms": int(1000 * self._limits.seconds),
            "threads": 1,
        }
        return limits.get(option)

    @staticmethod
    def _is_open(spec: AgentSpec) -> bool:
        return not spec.argument

    def _specs(self, spec: GameSpec) -> Iterator[AgentSpec]:
        for agent in specs_of(spec).values():
            if self._is_open(agent) and (agent.name not in _NEED_TORCH or find_module("torch")):
                yield agent

    def _fitting(self, spec: GameSpec) -> Iterator[str]:
        """Yield the named agents that a game has."""
        yield from (text for text, games in self._named.items() if spec.name in games)

    def listing(self, spec: GameSpec) -> list[dict[str, Any]]:
        """Return the agents of a game for the page, each with its sliders."""
        agents = [
            {
                "text": agent.name,
                "about": agent.summary,
                "sliders": [slider for o in agent.options if (slider := self._slider(o))],
            }
            for agent in self._specs(spec)
        ]
        named = [
            {"text": text, "about": "an agent of this server", "sliders": []}
            for text in self._fitting(spec)
        ]
        return agents + named

    def _slider(self, option: Option) -> dict[str, Any] | None:
        most = self._most(option.name)
        if most is None or option.name == "threads":
            return None
        least = int(option.minimum or 0)
        value = min(_FIRST_VALUES.get(option.name, least), most)
        return {
            "name": option.name,
            "about": option.description,
            "least": least,
            "most": most,
            "value": value,
        }

    def engine(self, text: str, game: Game) -> str:
        """Return the text of a search that can analyse positions.

        Raises:
            ValueError: it is none, or not allowed.
        """
        if text != "alphabeta" and (text.partition(":")[0] != "mcts" or text in self._named):
            raise ValueError(f"{text!r} cannot analyse: use mcts, or alphabeta without parameters")
        if text in specs_of(game.spec):  # its budget does not count: the limits do
            return text
        return self.check(text, game)

    def network(self, spec: GameSpec) -> str | None:
        """Return the agent whose network analyses show; None if there is none."""
        if any(agent.name == "reference" for agent in self._specs(spec)):
            return "policy:reference"
        return next((text for text in self._fitting(spec) if text.startswith("policy:")), None)

    def adviser(self, texts: Sequence[str], game: Game) -> str:
        """Return the agent that gives hints: one that plays along, unless it plays at random."""
        for text in texts:
            if text not in (PERSON, "random"):
                return text
        return f"mcts:simulations={min(400, self._limits.simulations)}"


def _is_free_text(option: Option) -> bool:
    return option.type is str and not option.choices
