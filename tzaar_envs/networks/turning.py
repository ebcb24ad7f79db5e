"""Turned positions: what tells the observers apart, and what makes them see the same.

With two players, a symmetry that swaps their seats shows player 1 a position as player 0 would see
it. Games whose board looks the same from both seats need none.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry

Marker: TypeAlias = tuple[
    Annotated[int, msgspec.Meta(ge=0)], Annotated[int, msgspec.Meta(ge=-128, le=127)]
]
"""An index of a flattened observation, and the value there if the observer is player 1."""

_GAMES = 24  # random games that show which entries never change
_POSITIONS = 3000  # of them, at most


def turning_symmetry(game: Game) -> Symmetry | None:
    """Return the symmetry by which player 1 sees a position as player 0 would; None without one."""
    if game.num_players != 2:
        return None
    return next((symmetry for symmetry in game.symmetries if symmetry.swaps_seats), None)


def check_marker(marker: Marker | None, size: int) -> None:
    """Refuse a marker beyond the end of a flattened observation of that size.

    Raises:
        ValueError: it is there; compiled code would read it.
    """
    if marker is not None and marker[0] >= size:
        raise ValueError(f"marker={marker} is not allowed: use an index below {size}")


class TurningNetwork(nn.Module):
    """A network that sees every position as player 0 would, if it has a marker.

    `B` is the batch, `P` the observation planes or numbers, `R` and `C` rows and columns, `N` the
    numbers of a flattened observation, `A` the actions.

    Attributes:
        turned_entries: int64 `(N,)`, where player 1 finds the entries that it sees as player 0;
            only with a marker.
        turned_actions: int64 `(A,)`, the number of each action of player 1 if it were player 0;
            only with a marker.

    Args:
        marker: Tells whether player 1 observes; None: no position is turned.
        size: The number of entries of a flattened observation.
        actions: The number of actions.
        game: The game, for how it is turned; None if nothing is turned, or a file says how.
    """

    turned_entries: Tensor
    turned_actions: Tensor

    def __init__(self, marker: Marker | None, size: int, actions: int, game: Game | None) -> None:
        super().__init__()
        self._marker = marker
        if marker is None:
            return
        entries, turned = np.arange(size), np.arange(actions)
        if game is not None and (symmetry := turning_symmetry(game)) is not None:
            entries, turned = symmetry.observation, np.argsort(symmetry.actions)
        self.register_buffer("turned_entries", torch.tensor(entries))
        self.register_buffer("turned_actions", torch.tensor(turned))

    def evaluate(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Map flattened observations, `(B, N)`, none of them turned, to `(B, A)` and `(B, 1)`."""
        raise NotImplementedError

    def forward(self, observations: Tensor, masks: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Map observations, `(B, P)` or `(B, P, R, C)`, to `(B, A)` and `(B, 1)`.

        Args:
            observations: int8 or float.
            masks: `(B, A)`, 0 at illegal actions, whose logits become minus infinity; None: every
                action has its logit.

        Returns:
            Logits of the actions, and values: the expected return of the observer.
        """
        seen = observations.flatten(1)
        if self._marker is None:
            logits, values = self.evaluate(seen)
        else:
            entry, value = self._marker
            is_turned = seen[:, entry : entry + 1] == value
            seen = torch.where(is_turned, seen[:, self.turned_entries], seen)
            logits, values = self.evaluate(seen)
            logits = torch.where(is_turned, logits[:, self.turned_actions], logits)
        if masks is not None:
            logits = torch.where(masks != 0, logits, -torch.inf)
        return logits, values


def random_observations(game: Game) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return flattened observations of all players in random games, and who sees them."""
    rng = np.random.Generator(np.random.PCG64(0))
    seen, seats = [], []
    for number in range(_GAMES):
        state = game.new_state((0, number))
        while not state.is_terminal:
            state.apply(int(rng.choice(state.legal_actions())))
            for player in range(game.num_players):
                seen.append(state.observation(player).ravel())
                seats.append(player)
    observations, observers = np.stack(seen), np.array(seats)
    if len(observations) > _POSITIONS:
        chosen = rng.choice(len(observations), _POSITIONS, replace=False)
        observations, observers = observations[chosen], observers[chosen]
    return observations, observers


def find_marker(
    game: Game, seen: NDArray[np.int8], seats: NDArray[np.int64]
) -> tuple[int, int] | None:
    """Return an entry that tells the two observers apart, and its value for player 1.

    None if there is none, or no symmetry that swaps the two. The arguments after the game are those
    that `random_observations` returns.
    """
    if turning_symmetry(game) is None:
        return None
    first, second = seen[seats == 0], seen[seats == 1]
    constant = (first == first[0]).all(axis=0) & (second == second[0]).all(axis=0)
    entries = (constant & (first[0] != second[0])).nonzero()[0]
    return (int(entries[0]), int(second[0, entries[0]])) if len(entries) else None
