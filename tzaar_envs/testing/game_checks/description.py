"""The description of a game: its spec, and the layout of each variant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec


def spec_problems(spec: GameSpec) -> Iterator[str]:
    """Yield what is wrong with a spec, whatever the options are."""
    if not spec.name.isidentifier() or spec.name != spec.name.lower():
        yield f"the name {spec.name!r} is not made of lower-case letters, digits and underscores"
    if type(spec.version) is not int or spec.version < 0:
        yield f"the version {spec.version!r} is not an integer from 0 on"
    for what, text in (("title", spec.title), ("summary", spec.summary)):
        if not text.strip():
            yield f"the {what} is empty"
    yield from _repeated("option", [option.name for option in spec.options])
    for option in spec.options:
        try:
            option.check(option.default)
        except ValueError as error:
            yield f"the default is refused: {error}"
    yield from _repeated("end reason", [reason.code for reason in spec.end_reasons])
    if spec.score_unit is not None and not 0 < spec.score_unit < math.inf:
        yield f"the score_unit {spec.score_unit} is not a positive number"
    if spec.rules_page is not None and not spec.rules_page.is_file():
        yield f"the rules_page {spec.rules_page} does not exist"
    for baseline in spec.baselines:
        try:
            baseline.load()
        except (ImportError, AttributeError) as error:
            yield f"the baseline {baseline.name!r} cannot be imported: {error}"


def layout_problems(game: Game) -> Iterator[str]:
    """Yield what is wrong with the layout of a game."""
    layout = game.layout
    if not layout.seat_names:
        yield "the layout has no seat_names"
    yield from _repeated("seat name", layout.seat_names)
    yield from _repeated("plane", [plane.name for plane in layout.planes])
    yield from _repeated("action block", [block.name for block in layout.actions])
    if len(layout.board_shape) not in (0, 2) or any(size < 1 for size in layout.board_shape):
        yield f"the board_shape {layout.board_shape} is neither empty nor rows and columns"
    for plane in layout.planes:
        if not 1 <= plane.high <= 127:
            yield f"plane {plane.name!r} has high={plane.high}: use 1 to 127, since it is int8"
        if plane.count < 1:
            yield f"plane {plane.name!r} has count={plane.count}: use 1 or more"
    for block in layout.actions:
        if block.planes < 1:
            yield f"action block {block.name!r} has planes={block.planes}: use 1 or more"
        if block.on_board and not layout.board_shape:
            yield f"action block {block.name!r} is on_board, but the layout has no board_shape"
    if layout.max_plies < 1:
        yield f"max_plies is {layout.max_plies}: use 1 or more"
    for what, count in (("observation planes", len(layout.planes)), ("actions", game.num_actions)):
        if count < 1:
            yield f"the layout has no {what}"


def _repeated(what: str, names: Sequence[str]) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{what} {name!r} is there {names.count(name)} times"
