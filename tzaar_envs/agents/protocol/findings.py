"""What an engine says about its search: the line `info`."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any

from tzaar_envs.agents.protocol.moves import format_list, parse_variation, split_moves
from tzaar_envs.core.state import State
from tzaar_envs.search.result import SearchResult
from tzaar_envs.search.variation import variation_names

_VARIATION = "pv"
_VISITS = "visits"
_MOST = 2**62


def format_info(state: State, result: SearchResult) -> str:
    """Return what a search in a position has found so far."""
    parts = [f"info depth {result.depth} nodes {result.nodes}"]
    if result.simulations:
        parts.append(f"simulations {result.simulations}")
    parts.append(f"time {round(result.seconds * 1000)} value {result.value:.4f}")
    if len(result.values) != 2:
        parts.append("values " + " ".join(f"{value:.4f}" for value in result.values))
    if result.proven:
        parts.append("proven")
    parts.append(f"pv {format_list(variation_names(state, result.principal_variation))}")
    return " ".join(parts)


def format_visits(state: State, result: SearchResult) -> str:
    """Return how many simulations of a tree search took each action, the most visited one first."""
    ordered = sorted(result.visits.items(), key=lambda item: -item[1])
    counted = (f"{count} {state.action_name(action)}" for action, count in ordered)
    return f"info {_VISITS} {format_list(counted)}"


class Findings:
    """Collects what an engine says about its search in one position; what is not valid is ignored.

    Args:
        state: the position.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._said: dict[str, Any] = {}

    def add(self, text: str) -> None:
        """Add what follows the word `info`; later lines replace what earlier ones said."""
        before, separator, variation = f" {text} ".partition(f" {_VARIATION} ")
        words = deque(before.split())
        first = words[0] if words else ""
        if first == "string":
            return
        if first == _VISITS:
            self._said[_VISITS] = text.strip().removeprefix(_VISITS)
            return
        if separator:
            self._said[_VARIATION] = variation
        while words:
            name = words.popleft()
            if name == "proven":
                self._said[name] = True
            elif name == "values":
                players = self._state.game.num_players
                values = [_number(word, float, -1, 1) for word in islice(words, players)]
                if len(values) == players and None not in values:
                    self._said[name] = tuple(values)
                    for _ in values:
                        words.popleft()
            elif name == "value" and words:
                self._keep(name, _number(words.popleft(), float, -1, 1))
            elif name in ("depth", "nodes", "simulations", "time") and words:
                self._keep(name, _number(words.popleft(), int, 0, _MOST))

    def _keep(self, name: str, value: float | None) -> None:
        if value is not None:
            self._said[name] = value

    def result(self, action: int, seconds: float) -> SearchResult | None:
        """Return what the search found; None if the engine did not say what it expects.

        Args:
            action: that the engine plays.
            seconds: that it took, if it has not said so.
        """
        said, mover = self._said, self._state.current_player
        if "value" not in said and "values" not in said:
            return None
        values = said.get("values") or self._values_of(said["value"])
        line = parse_variation(self._state, said.get(_VARIATION, ""))
        return SearchResult(
            action=action,
            value=float(said.get("value", values[mover])),
            values=values,
            proven=said.get("proven", False),
            depth=said.get("depth", 0),
            nodes=said.get("nodes", 0),
            principal_variation=line if line[:1] == (action,) else (action,),
            simulations=said.get("simulations", 0),
            visits=self._visits_of(said.get(_VISITS, "")),
            seconds=said["time"] / 1000 if "time" in said else seconds,
        )

    def _values_of(self, value: float) -> tuple[float, ...]:
        """Return the values of all players, which sum to 0, if only the mover's is known."""
        players, mover = self._state.game.num_players, self._state.current_player
        others = -value / (players - 1) if players > 1 else 0.0
        return tuple(value if player == mover else others for player in range(players))

    def _visits_of(self, text: str) -> dict[int, int]:
        """Return visits by action, without those of actions that are not legal."""
        visits: dict[int, int] = {}
        for part in split_moves(text):
            word, _, name = part.partition(" ")
            count = _number(word, int, 1, _MOST)
            try:
                action = self._state.parse_action(name)
            except ValueError:
                continue
            if count is not None and self._state.is_legal(action):
                visits[action] = int(count)
        return dict(sorted(visits.items()))


def _number(text: str, kind: Callable[[str], float], least: float, most: float) -> float | None:
    """Return a number in this range; None if it is not one."""
    try:
        number = kind(text) if len(text) < 32 else math.nan
    except ValueError:
        return None
    return number if least <= number <= most else None
