"""The global state of an environment lies in its space."""

from __future__ import annotations

from typing import Any

from tzaar_envs.testing.env_checks.observations import why_outside


def state_problem(env: Any) -> str | None:
    """Return what is wrong with `state()` of an environment that has a `state_space`."""
    space = getattr(env, "state_space", None)
    if space is None:
        return None
    reason = why_outside(space, env.state())
    return f"state() is not in state_space: {reason}" if reason else None
