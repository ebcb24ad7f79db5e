"""Write `docs/games/<game>.md` from the specs: `python docs/tools/make_game_pages.py`.

A test compares the pages with the specs, so they cannot be out of date.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wrap import wrapped

from tzaar_envs import list_games, load_game
from tzaar_envs.agents import agent_specs
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import MOVE_CAP, GameSpec, Option
from tzaar_envs.registry import camel_case, find_spec

FOLDER = Path(__file__).parents[1] / "games"


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def options(entries: Iterable[Option]) -> str:
    """Return the table of options."""
    return table(
        ("name", "default", "allowed", "description"),
        (
            (f"`{entry.name}`", f"`{entry.default!r}`", entry.allowed, entry.description)
            for entry in entries
        ),
    )


def sizes(spec: GameSpec) -> str:
    """Return the table of sizes, for every option with choices or a maximum."""
    variants = [load_game(spec.name)]
    for option in spec.options:
        variants += [
            load_game(spec.name, **{option.name: value})
            for value in (*option.choices, option.maximum)
            if value not in (option.default, None)
        ]
    return table(
        ("options", "actions", "observation", "longest game"),
        (
            (
                ", ".join(f"{name}={value!r}" for name, value in game.options.items()) or "none",
                game.num_actions,
                " x ".join(map(str, game.observation_shape)),
                f"{game.max_plies} plies",
            )
            for game in variants
        ),
    )


def largest(spec: GameSpec) -> Game:
    """Return the game with the options that give the most actions."""
    choices = [{option.name: value} for option in spec.options for value in option.choices]
    games = [load_game(spec.name, **choice) for choice in [{}, *choices]]
    return max(games, key=lambda game: game.num_actions)


def actions(game: Game) -> str:
    """Return the numbering of the actions."""
    rows = [
        (block.name, "-".join(map(str, sorted({numbers[0], numbers[-1]}))), block.description)
        for numbers, block in game.layout.numbered_blocks()
    ]
    return table(("block", "numbers", "description"), rows)


def planes(game: Game) -> str:
    """Return the planes of the observation."""
    return table(
        ("plane", "name", "values", "description"),
        (
            (numbers, f"`{plane.name}`", f"0-{plane.high}", plane.description)
            for numbers, plane in game.layout.numbered_planes()
        ),
    )


def image(file: str, alt: str, width: int) -> str:
    """Return a picture of `make_game_pictures.py`, of so many pixels."""
    return f'<img src="pictures/{file}" width="{width}" alt="{alt}">'


def rewards(spec: GameSpec) -> str:
    """Return what the players get, and when."""
    text = "All rewards but the final ones are 0; every player gets a final reward. "
    if not any(option.name == "players" for option in spec.options):
        draw = ", or 0 for both after a draw" if spec.name == "turm_und_waechter" else ""
        text += f"It is +1 for the winner and -1 for the loser{draw}. "
    else:
        text += (
            "With k winners among n players it is +1/k for each winner and -1/(n - k) for each "
            "other player, or 0 for all if all are equal. "
        )
    if spec.score_unit is None:
        return text + "There are no points, so `reward='score'` changes nothing."
    return text + (
        "With `reward='score'` it is the lead in points over the best other player, divided by "
        f"{spec.score_unit:g}; `infos[agent]['score']` holds the points."
    )


def page(name: str) -> str:
    """Return the page of a game."""
    spec = find_spec(name)
    game = largest(spec)
    agents = agent_specs(spec)
    seats = ", ".join(
        f"`player_{seat}` {title}" for seat, title in enumerate(game.layout.seat_names)
    )
    parts = [
        f"# {spec.title}",
        spec.summary,
        image(f"{name}.svg", f"A position of {spec.title}", 420),
        f"How to play: [the rules](../rules/{name}.md).",
        f"`tzaar_envs.make({spec.env_id!r})`, "
        f"`pettingzoo.make('aec', 'tzaar_envs/{spec.name}-v{spec.version}')`, "
        f"`gymnasium.make('tzaar_envs/{camel_case(spec.name)}-v{spec.version}')`"
        + (f", `tzaar_envs.make_parallel({spec.env_id!r})`" if spec.simultaneous else ""),
        f"Players in turn order: {seats}. Chance: {'yes' if spec.has_chance else 'no'}. Hidden "
        f"information: {'yes' if spec.hidden_information else 'no'}. Simultaneous choices: "
        f"{'yes' if spec.simultaneous else 'no'}.",
        "## Sizes",
        sizes(spec),
        "## Options of the game",
        options(spec.options) if spec.options else "None.",
        "## Options of the environment",
        "Those of [every environment](../environments.md#options).",
        "## Observation planes",
        "int8, always from the view of the observing agent.",
        planes(game),
        "What the player to move observes in the position at the top of this page. Row 0 of an "
        "array is at the top; the deeper the colour of a cell, the greater its value; a number in "
        "a box is the value of all cells:",
        image(f"{name}_planes.svg", "All planes of one observation", 820),
        "## Actions",
        actions(game),
        "## Rewards",
        rewards(spec),
        "## How a game ends",
        "`state.end_code` and `state.end_reason`; where a limit of plies cuts a game off, it is "
        f"truncated, and the code is `{MOVE_CAP.code}`:",
        table(
            ("code", "sentence"),
            ((f"`{reason.code}`", reason.sentence) for reason in spec.end_reasons),
        ),
        "## Agents",
        table(
            ("name", "description"),
            ((f"`{text}`", description) for text, description in agents.items()),
        ),
        f"How strong they are: [ratings](../ladders/{name}.md). Options: "
        "[Agents](../baselines.md) and [Search](../search.md).",
        "## Version",
        f"This page describes `{spec.env_id}`. A change of behaviour gives a game a new version.",
    ]
    return wrapped("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game_name in list_games():
        (FOLDER / f"{game_name}.md").write_text(page(game_name), encoding="utf-8")
        print(f"wrote {FOLDER / game_name}.md")
