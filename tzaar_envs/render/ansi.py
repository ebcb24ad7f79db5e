"""Colours for a terminal."""

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
        KeyError: a word of the style that is not known.
    """
    if not colour:
        return text
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\033[{codes}m{text}\033[0m"
