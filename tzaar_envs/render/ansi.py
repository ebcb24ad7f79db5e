"""Colours for a terminal."""

from collections.abc import Sequence

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "94",
    "magenta": "35",
    "cyan": "36",
    "white": "97",
    "black": "30",
}


def paint(text: str, style: str, colour: bool) -> str:
    """Return the text in a style such as `"bold red"`, or unchanged if `colour` is false.

    Raises:
        KeyError: the style contains an unknown word.
    """
    if not colour:
        return text
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\033[{codes}m{text}\033[0m"


class SeatNames:
    """The names of the players, each in a style of its own.

    Args:
        names: the name of each player.
        styles: as many styles for `paint`, or more.
    """

    def __init__(self, names: Sequence[str], styles: Sequence[str]) -> None:
        self.names = tuple(names)
        self.styles = tuple(styles)

    def paint(self, seat: int, colour: bool, text: str | None = None) -> str:
        """Return a player's name, or another text, in the player's style."""
        return paint(self.names[seat] if text is None else text, self.styles[seat], colour)
