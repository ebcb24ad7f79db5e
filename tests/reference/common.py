"""What the references of several games share: chance, results, and parts of the notation."""

import random
from collections.abc import Iterable, Sequence


class Chance:
    """What chance brings during one call: given from outside, or drawn where nothing is given."""

    def __init__(self, rng: random.Random, outcome: Iterable[int] | None) -> None:
        self._rng = rng
        self._given = None if outcome is None else list(outcome)

    def next(self, allowed: Sequence[int], what: str) -> int:
        """Return one of the allowed values; each is equally likely, one that is there twice too."""
        if self._given is None:
            return self._rng.choice(allowed)
        if not self._given:
            raise ValueError(f"outcome: too short, {what} is missing")
        value = self._given.pop(0)
        if value not in allowed:
            raise ValueError(f"outcome: {what} cannot be {value!r}")
        return int(value)

    def end(self) -> None:
        """Refuse an outcome of which something is left over."""
        if self._given:
            raise ValueError(f"outcome: too long, {self._given!r} is left over")


class NamesOfLegalActions:
    """Texts of actions for references in which only the legal ones have a name, `name_legal`."""

    def check_legal(self, action: int) -> None:
        """Refuse an action that is not legal."""
        if action not in self.legal_actions():
            raise ValueError(f"action: {action!r} is illegal in {self}")

    def action_name(self, action: int) -> str:
        """Return the text of a legal action.

        Raises:
            ValueError: The action is illegal.
        """
        self.check_legal(action)
        return self.name_legal(int(action))

    def parse_action(self, text: str) -> int:
        """Return the legal action with this text.

        Raises:
            ValueError: No legal action has this text.
        """
        for action in self.legal_actions():
            if self.name_legal(action) == text:
                return action
        raise ValueError(f"action: {text!r} is not the text of a legal action in {self}")


def shares(scores: list[float]) -> list[float]:
    """Return what winners and others share: the highest score wins, or several of them do."""
    winners = scores.count(max(scores))
    others = len(scores) - winners
    if others == 0:
        return [0.0] * len(scores)
    return [1 / winners if score == max(scores) else -1 / others for score in scores]


def split(what: str, text: str, separator: str, number: int) -> list[str]:
    """Return the parts of a text; there must be so many, with the separator between them."""
    parts = text.split(separator)
    if len(parts) != number:
        raise ValueError(
            f"{what}: {number} with {separator!r} between them are needed, got {len(parts)}"
        )
    return parts


def read_number(what: str, text: str, lowest: int, highest: int) -> int:
    """Read an integer in a range; anything but its plain decimal form is refused."""
    for number in range(lowest, highest + 1):
        if text == str(number):
            return number
    raise ValueError(f"{what}: {text!r} is not a number from {lowest} to {highest}")
