"""The parameters of an agent as options of the engine protocol, as UCI declares them."""

from __future__ import annotations

from tzaar_envs.agents import AgentText
from tzaar_envs.agents.protocol.words import format_value
from tzaar_envs.core.options import Option

SEED = "seed"
LARGEST_SEED = 2**31 - 1
_LARGEST = 2**62


def declaration(option: Option) -> str:
    """Return the line that declares an option."""
    begin = f"option name {option.name} type"
    if option.choices:
        choices = "".join(f" var {choice}" for choice in option.choices)
        return f"{begin} combo default {option.default}{choices}"
    if option.type is bool:
        return f"{begin} check default {str(option.default).lower()}"
    if option.type is int:
        least = option.minimum if option.minimum is not None else -_LARGEST
        most = option.maximum if option.maximum is not None else _LARGEST
        return f"{begin} spin default {option.default} min {least} max {most}"
    return f"{begin} string default {format_value(option.default)}"


def declarations(agent: AgentText) -> list[str]:
    """Return the lines that declare the seed, and the parameters of an agent with their values."""
    lines = [f"option name {SEED} type spin default 0 min 0 max {LARGEST_SEED}"]
    for option in agent.spec.options:
        value = agent.options.get(option.name, option.default)
        lines.append(
            declaration(
                Option(
                    option.name,
                    option.type,
                    value,
                    "",
                    option.choices,
                    option.minimum,
                    option.maximum,
                )
            )
        )
    return lines


def parse_seed(text: str) -> int:
    """Return a seed.

    Raises:
        ValueError: it is not a whole number in the allowed range.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 20) or int(text) > LARGEST_SEED:
        raise ValueError(f"{SEED}={text!r} is not allowed: use a number from 0 to {LARGEST_SEED}")
    return int(text)
