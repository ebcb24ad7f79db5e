"""The command `rules`: the rules of a game."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tzaar_envs.arguments.parameters import GameName
from tzaar_envs.cli.output import new_console, print_markdown


def rules(
    name: GameName,
    section: Annotated[
        str,
        Parameter(name="SECTION", help="Number of a section, such as 3.2, or a word of its title."),
    ] = "",
    /,
) -> None:
    """Show the rules of a game, or one section of them."""
    from tzaar_envs.registry import find_spec
    from tzaar_envs.rulebook import RulesPage

    spec = find_spec(name)
    if spec.rules_page is None:
        raise ValueError(f"{name} has no page with rules: see tzaar-envs info {name}")
    page = RulesPage.read(spec.rules_page)
    if not section:
        print_markdown(new_console(), page.text)
        return
    try:
        found = page.find(section)
    except ValueError as error:  # errors of commands are one line
        first, *titles = str(error).splitlines()
        raise ValueError(f"{first} {'; '.join(titles)}") from error
    print_markdown(new_console(), found.text)
