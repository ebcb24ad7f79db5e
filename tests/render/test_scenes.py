"""What the picture of every game promises."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from variants import every_game, find_game

from tzaar_envs.core.default_scene import DefaultScene
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import HEADER
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.notation import Field
from tzaar_envs.core.state import State
from tzaar_envs.render.overlays import overlap
from tzaar_envs.render.scene import Group, Item, Scene, View, box_of
from tzaar_envs.render.svg import to_svg

PLIES = (0, 9, 60, 10_000)  # the positions to look at; the last one is the end of the game
LEAST_CAPITALS = 3.9  # pixels; people still read these letters, which was tried
HIDING = [
    find_game("zatre", players=4),
    find_game("twenty_one"),
    find_game("twenty_one", players=6),
]


def walk(game: Game, seed: int = 0) -> Iterator[tuple[State, tuple[State, int] | None]]:
    """Yield all positions of a random game, each with the position and the action before."""
    choices = random.Random(seed)
    state = game.new_state(seed)
    last = None
    yield state, last
    while not state.is_terminal:
        last = state.clone(), int(choices.choice(state.legal_actions()))
        state.apply(last[1])
        yield state, last


def positions(game: Game) -> Iterator[tuple[State, tuple[State, int] | None]]:
    """Yield a few positions of a random game, its start and end among them."""
    found = [(state.clone(), last) for state, last in walk(game)]
    yield from (found[min(ply, len(found) - 1)] for ply in PLIES)


def groups(items: tuple[Item, ...]) -> Iterator[Group]:
    for item in items:
        if isinstance(item, Group):
            yield item
            yield from groups(item.items)


def weights(state: State) -> dict[int, float]:
    return {int(action): 1.0 + action % 7 for action in state.legal_actions()}


def full(state: State, last: tuple[State, int] | None) -> Scene:
    """Return the scene with every kind of mark."""
    values = [0.5, -0.5, *[0.0] * 4][: state.game.num_players]
    return state.scene(last=last, legal=True, weights=weights(state), values=values)


@every_game
def test_texts_do_not_overlap_and_are_inside(game: Game) -> None:
    for state, last in positions(game):
        for scene in (state.scene(), full(state, last)):
            texts = [(text.text, box_of(text)) for text in scene.texts()]
            for (one, box), (other, other_box) in combinations(texts, 2):
                assert not overlap(box, other_box), (one, other, str(state))
            for text, (left, top, right, bottom) in texts:
                assert left >= 0, text
                assert top >= 0, text
                assert right <= scene.width, text
                assert bottom <= scene.height, text


@every_game
def test_all_texts_can_be_read_at_200_pixels(game: Game) -> None:
    for state, last in positions(game):
        scene = full(state, last)
        for text in scene.texts():
            height = text.drawn_size * 200 / scene.width
            assert height >= LEAST_CAPITALS, (text.text, height)


@every_game
@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_pictures_are_xml_with_a_label(game: Game, theme: str) -> None:
    for state, last in positions(game):
        root = ET.fromstring(to_svg(full(state, last), theme))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.get("aria-label")
        assert "NaN" not in root.get("viewBox", "")


@every_game
def test_shapes_are_inside_the_picture(game: Game) -> None:
    for state, last in positions(game):
        scene = full(state, last)
        for item in scene.items:
            left, top, right, bottom = box_of(item)
            assert left >= -3, item
            assert top >= -3, item
            assert right <= scene.width + 3, item
            assert bottom <= scene.height + 3, item


def test_marks_are_those_of_legal_actions_and_only_for_who_may_know_them() -> None:
    state = find_game("zatre").new_state(1)
    state.apply(state.legal_actions()[0])
    legal = state.legal_actions().tolist()
    other = 1 - state.current_player
    illegal = next(action for action in range(state.game.num_actions) if action not in legal)
    plain = len(state.scene().items)
    assert len(state.scene(legal=True).items) > plain
    assert len(state.scene(state.current_player, legal=True).items) > plain
    assert state.scene(other, legal=True) == state.scene(other)
    marked = state.scene(weights={legal[0]: 1.0})
    assert marked != state.scene()
    assert state.scene(weights={legal[0]: 1.0, legal[-1]: 0.0, illegal: 5.0}) == marked
    assert state.scene(values=[0.5, -0.5]) != state.scene()


@every_game
def test_actions_lead_to_places_of_the_picture(game: Game) -> None:
    for state, _ in positions(game):
        places = {group.id for group in groups(state.scene().items) if group.id}
        for action in state.legal_actions().tolist():
            trace = game.rules.trace(state.words, action)
            assert {stop.id for stop in trace.stops} <= places, state.action_name(action)


def test_cells_of_a_wide_board_have_names_of_their_own() -> None:
    layout = Layout(("A", "B"), (1, 30), (Plane("p", "p"),), (ActionBlock("put", "", 1),), 10)
    board = Field("board", slice(HEADER, HEADER + 30), ".ox", 30)
    picture, state = DefaultScene(layout, [board], None), np.zeros(HEADER + 30, np.int64)
    cells = [group.id for group in groups(picture.scene(state, View()).items) if group.id]
    assert len({*cells}) == 30
    assert picture.trace(state, 27).stops[0].id == cells[27] == "AB1"


@every_game
def test_places_are_named_for_people_who_do_not_see_them(game: Game) -> None:
    for state, _ in positions(game):
        found = [group for group in groups(state.scene().items) if group.id]
        assert all(group.label for group in found)
        assert len({group.id for group in found}) == len(found) or game.name == "zatre"


@pytest.mark.parametrize("game", HIDING, ids=lambda game: f"{game.name}{game.num_players}")
def test_a_viewer_sees_nothing_hidden(game: Game) -> None:
    for ply, (state, last) in enumerate(walk(game, seed=3)):
        if ply % 11 or last is None:
            continue
        for player in range(game.num_players):
            other = state.determinize(player, seed=ply)
            mine = state.scene(player, last=last, legal=True, weights=weights(state))
            theirs = other.scene(player, last=last, legal=True, weights=weights(state))
            assert to_svg(mine) == to_svg(theirs), (ply, player, str(state))
            view = View(player, last[0].words, last[1])
            before = View(player, last[0].determinize(player, seed=ply + 1).words, last[1])
            scene = game.rules.scene
            assert scene(state.words, view) == scene(other.words, before), (ply, player)


def test_the_last_choice_of_another_player_is_hidden_until_all_have_chosen() -> None:
    game = find_game("twenty_one")
    state = game.new_state(seed=1)
    state.apply(state.parse_action("keep"))
    before = state.clone()
    first, *others = state.legal_actions().tolist()
    state.apply(first)
    shown = {to_svg(state.scene(1, last=(before, action))) for action in (first, *others)}
    assert len(shown) == 1
    assert to_svg(state.scene(0)) != to_svg(state.scene(1))
