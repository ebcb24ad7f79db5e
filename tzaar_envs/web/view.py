"""What the page shows: a table as data."""

from __future__ import annotations

from typing import Any

from tzaar_envs.arena.history import HUMAN
from tzaar_envs.arena.records import MoveData
from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Stop, flipped
from tzaar_envs.render.svg import AUTO, to_svg
from tzaar_envs.replay.played_game import seat_colours
from tzaar_envs.replay.text import points_text, result_text
from tzaar_envs.web.table import Table

# What the player to move can expect, by the least value with two players.
_WORDS = (
    (0.999, "a certain win"),
    (0.8, "winning"),
    (0.4, "clearly better"),
    (0.12, "a little better"),
    (-0.12, "about even"),
    (-0.4, "a little worse"),
    (-0.8, "clearly worse"),
    (-0.999, "losing"),
    (-1.0, "a certain loss"),
)


def expectation(data: MoveData | None, players: int) -> str:
    """Return in words what a search expects for the player to move; empty without a search."""
    if data is None or data.value is None:
        return ""
    value = data.value * (1 if data.value > 0 else players - 1)  # -1 is a loss
    words = next((text for least, text in _WORDS if value >= least), _WORDS[-1][1])
    chance = (data.value * (players - 1) + 1) / players
    line = f"; then {' '.join(data.line[1:6])}" if data.line[1:] else ""
    return f"{words} ({100 * chance:.0f} %){line}"


def snapshot(table: Table) -> dict[str, Any]:
    """Return everything that the page shows of a table, without what is hidden from its viewer."""
    state, history = table.state, table.history
    shown: dict[str, Any] = {"board": None, "title": "", "actions": [], "hotspots": {}}
    before = table.ply - 1
    last = (history.positions[before], history.actions[before]) if table.ply else None
    scene = state.scene(viewer=table.viewer, last=last)
    if table.is_flipped:
        scene = flipped(scene)
    if table.covered is None:
        shown["board"] = to_svg(scene, AUTO, background=False, style=False)
        name, dot, rest = scene.title.partition(". ")  # the name of the game is above it
        shown["title"] = (rest if dot else name).rstrip(".")
        if table.can_play:
            shown["actions"], shown["hotspots"] = clickable(state)
    colours = seat_colours(scene, table.game.num_players)
    result = ""
    if state.is_terminal:
        points = points_text(table.game, state.scores())
        result = result_text(table.game.layout.seat_names, state.returns(), points)
        result += f" {state.end_reason}"
    return shown | {
        "token": table.token,
        "game": table.game.name,
        "options": dict(table.game.options),
        "open": table.is_open,
        "flipped": table.is_flipped,
        "seats": [_seat(table, seat, colour) for seat, colour in enumerate(colours)],
        "variation": table.shown,
        "variations": [each.plies for each in table.variations],
        "ply": table.ply,
        "plies": history.plies,
        "moves": [_move(table, ply) for ply in range(history.plies)],
        "turn": state.current_player,
        "covered": table.covered,
        "thinking": history.state.current_player if table.agent_to_move else None,
        "paused": table.is_paused,
        "can_play": table.can_play,
        "can_analyse": table.can_analyse,
        "can_undo": table.undone_ply is not None,
        "over": history.state.is_terminal,
        "result": result,
    }


def hotspots_of(state: State, action: int) -> dict[str, Any]:
    """Return the places of an action, and whether it is an arrow from the first to the last."""
    trace = state.game.rules.trace(state.words, action)
    return {"hotspots": [_hotspot(stop) for stop in trace.stops], "arrow": trace.arrow}


def clickable(state: State) -> tuple[list[dict[str, Any]], dict[str, list[float] | None]]:
    """Return the legal actions with the places to point at, and where these places are.

    Returns:
        For each action its `name`, the ids of its `places` in order, whether it is an `arrow` from
        the first to the last of them rather than a set, and its `mark`. For each place its id, and
        where it is, see `_hotspot`; None for a large place, where actions begin at several points.
    """
    actions: list[dict[str, Any]] = []
    hotspots: dict[str, list[float] | None] = {}
    for action in state.legal_actions().tolist():
        trace = state.game.rules.trace(state.words, action)
        actions.append(
            {
                "name": state.action_name(action),
                "places": [stop.id for stop in trace.stops],
                "arrow": trace.arrow,
                "mark": trace.mark,
            }
        )
        for stop in trace.stops:
            found = _hotspot(stop)
            hotspots[stop.id] = found if hotspots.get(stop.id, found) == found else None
    return actions, hotspots


def _hotspot(stop: Stop) -> list[float]:
    """Return a place: its middle, half its width, half its height, whether it is a rectangle."""
    return [stop.x, stop.y, stop.r, stop.h or stop.r, int(stop.square)]


def _seat(table: Table, seat: int, colour: str) -> dict[str, Any]:
    game, history = table.game, table.history
    scores = table.state.scores() if game.spec.score_unit is not None else None
    seconds = sum(
        data.seconds or 0.0
        for ply, data in enumerate(history.data)
        if data is not None and history.player(ply) == seat
    )
    return {
        "name": game.layout.seat_names[seat],
        "text": table.seats[seat],
        "person": table.seats[seat] == HUMAN,
        "colour": colour,
        "score": None if scores is None else float(scores[seat]),
        "seconds": round(seconds, 2),
    }


def _move(table: Table, ply: int) -> dict[str, Any]:
    history = table.history
    seat = history.player(ply)
    if table.is_secret(ply):
        return {"seat": seat, "name": None, "value": None, "found": ""}
    # What an agent's search found may tell what it holds.
    is_shown = not table.has_secrets or (seat == table.viewer and table.covered is None)
    data = history.data[ply] if is_shown else None
    return {
        "seat": seat,
        "name": history.moves[ply],
        "value": None if data is None else data.value,
        "found": expectation(data, table.game.num_players),
    }
