"""What the page shows: a table as data."""

from __future__ import annotations

from typing import Any

from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Scene
from tzaar_envs.render.svg import AUTO, to_svg
from tzaar_envs.replay.words import search_text
from tzaar_envs.web.places import clickable
from tzaar_envs.web.seats import PERSON
from tzaar_envs.web.table import Table

_OWN_COLOURS = ("blue", "red", "green", "yellow", "purple", "black")


def snapshot(table: Table) -> dict[str, Any]:
    """Return everything that the page shows of a table, without what is hidden from its viewer."""
    state, line, covered = table.state, table.line, table.covered
    shown: dict[str, Any] = {"board": None, "title": "", "actions": [], "stops": {}}
    scene = _scene(table)
    if covered is None:
        shown["board"] = to_svg(scene, AUTO, background=False, style=False)
        shown["title"] = _title(scene)
        if table.can_play:
            shown["actions"], shown["stops"] = clickable(state)
    return shown | {
        "token": table.token,
        "game": table.game.name,
        "options": dict(table.game.options),
        "seats": [_seat(table, scene, seat) for seat in range(table.game.num_players)],
        "line": table.at,
        "lines": [each.plies for each in table.lines],
        "ply": table.ply,
        "plies": line.plies,
        "moves": [_move(table, ply) for ply in range(line.plies)],
        "turn": state.current_player,
        "covered": covered,
        "thinking": line.last.current_player if table.agent_to_move else None,
        "paused": table.is_paused,
        "hidden": table.has_secrets,
        "open": table.is_open,
        "can_play": table.can_play,
        "can_analyse": table.can_analyse,
        "can_undo": any(
            line.player(ply) in (table.persons or range(99)) for ply in range(line.plies)
        ),
        "over": line.last.is_terminal,
        "result": _result(line.last) if table.ply == line.plies else "",
    }


def _scene(table: Table) -> Scene:
    line, ply = table.line, table.ply
    last = (line.positions[ply - 1], line.actions[ply - 1]) if ply else None
    return table.state.scene(viewer=table.viewer, last=last)


def _title(scene: Scene) -> str:
    """Return the position in a sentence, without the name of the game, which is above it."""
    name, dot, rest = scene.title.partition(". ")
    return (rest if dot else name).rstrip(".")


def _seat(table: Table, scene: Scene, seat: int) -> dict[str, Any]:
    game = table.game
    colours = [side.fill for side in scene.sides]
    if len(colours) != game.num_players:
        colours = [*_OWN_COLOURS * game.num_players][: game.num_players]
    scores = table.state.scores() if game.spec.score_unit is not None else None
    plies = range(table.line.plies)
    seconds = sum(table.line.seconds[ply] for ply in plies if table.line.player(ply) == seat)
    return {
        "name": game.layout.seat_names[seat],
        "text": table.seats[seat],
        "person": table.seats[seat] == PERSON,
        "colour": colours[seat],
        "score": None if scores is None else float(scores[seat]),
        "seconds": round(seconds, 2),
    }


def _move(table: Table, ply: int) -> dict[str, Any]:
    line = table.line
    seat = line.player(ply)
    if table.is_secret(ply):
        return {"seat": seat, "name": None, "value": None, "found": ""}
    data = line.data[ply] if table.sees_thoughts_of(seat) else None
    return {
        "seat": seat,
        "name": line.moves[ply],
        "value": None if data is None else data.value,
        "found": search_text(data),
    }


def _result(state: State) -> str:
    if not state.is_terminal:
        return ""
    names, returns = state.game.layout.seat_names, state.returns()
    winners = [name for name, value in zip(names, returns, strict=True) if value > 0]
    result = f"{' and '.join(winners)} won" if winners else "A draw"
    if state.game.spec.score_unit is not None:
        points = zip(names, state.scores(), strict=True)
        result += ": " + ", ".join(f"{name} {score:g}" for name, score in points)
    return f"{result}. {state.end_reason}"
