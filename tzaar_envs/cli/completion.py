"""Shell completion that depends on what was typed before."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext


def complete_agent(context: CompletionContext) -> Sequence[str]:
    """Return the agents of the game that was given."""
    from tzaar_envs.agents import agent_specs
    from tzaar_envs.registry import find_spec

    name = context["GAME"].raw
    if name is None:
        return []
    return [agent.rstrip(string.ascii_uppercase) for agent in agent_specs(find_spec(name))]
