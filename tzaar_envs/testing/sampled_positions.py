"""Positions of random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


@dataclass(frozen=True)
class SampledPosition:
    """A position of a random game; a check must not change it.

    Attributes:
        state: the position.
        seed: the seed of the game.
        actions: what has been played.
        choices: the source of a check's own random choices.
    """

    state: State
    seed: int
    actions: tuple[int, ...]
    choices: random.Random

    @property
    def game(self) -> Game:
        """The game."""
        return self.state.game

    def any_action(self) -> int | None:
        """Return a random legal action; None if the game is over."""
        legal = self.state.legal_actions().tolist()
        return self.choices.choice(legal) if legal else None


def random_game(game: Game, seed: int) -> Iterator[SampledPosition]:
    """Yield the positions of a random game, the last one too; one ply more than it may have."""
    choices = random.Random(seed)
    state = game.new_state(seed)
    actions: tuple[int, ...] = ()
    for _ in range(game.max_plies + 2):
        yield SampledPosition(state, seed, actions, random.Random(f"{seed} {len(actions)}"))
        legal = state.legal_actions().tolist()
        if not legal or state.is_terminal:
            return
        action = choices.choice(legal)
        state = state.clone()
        state.apply(action)
        actions = (*actions, action)
