"""Agent texts: what names an agent and its parameters, `NAME:ARGUMENT,KEY=VALUE,KEY=VALUE`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from tzaar_envs.agents.agent import Agent
from tzaar_envs.agents.specs import AgentSpec, all_specs, specs_of
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec


def agent_specs(spec: GameSpec) -> dict[str, str]:
    """Return the agent texts of a game, each with a description of the agent and its parameters."""
    return {agent.syntax: agent.description for agent in specs_of(spec).values()}


def starts_program(text: str) -> bool:
    """Whether an agent text starts a program, which no file may name unless its user does, too."""
    return text.partition(":")[0].strip() == "engine"


@dataclass(frozen=True)
class AgentText:
    """An agent text in its parts.

    Attributes:
        spec: the kind of agent.
        options: its parameters that differ from their defaults.
        argument: what comes after the colon and before the parameters; empty if nothing does.
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
        agent = all_specs(spec).get(name)
        if agent is not None and (reason := agent.unsuitable(spec)):
            able = ", ".join(agent_specs(spec))
            raise ValueError(
                f"the agent {name} cannot play {spec.name}: {reason}; the agents that can are "
                f"{able}"
            )
        if agent is None or not agent.accepts(rest if colon else None):
            listing = agent_specs(spec)
            close = difflib.get_close_matches(text, listing, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(
                f"there is no agent {text!r}: {hint}the agents of {spec.name} are "
                f"{', '.join(listing)}"
            )
        if not agent.argument:
            return cls(agent, agent.parse_options(rest))
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

    def make(self, game: Game, seed: int | Sequence[int] | None = None) -> Agent:
        """Return the agent, see `make_agent`."""
        if self.spec.argument:
            return self.spec.make(game, seed, argument=self.argument, **self.options)
        agent = self.spec.make(game, seed, **self.options)
        agent.name = self.spec.agent_text(self.options)
        return agent

    def __str__(self) -> str:
        return self.spec.agent_text(self.options, self.argument)
