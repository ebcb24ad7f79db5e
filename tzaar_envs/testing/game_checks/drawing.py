"""Drawings and pictures: there is one of every position, for every viewer."""

from __future__ import annotations

from tzaar_envs.render.scene import Scene
from tzaar_envs.testing.finding import sentence_of
from tzaar_envs.testing.game_checks.moment import Moment


def every_viewer_gets_one(moment: Moment) -> str | None:
    """The board can be drawn as text and as a picture, for each player and for all."""
    state = moment.state
    for viewer in (None, *range(moment.game.num_players)):
        try:
            text = state.draw(colour=bool(moment.choices.randrange(2)), viewer=viewer)
            scene = state.scene(viewer, legal=True)
        except Exception as error:
            return f"drawing it for viewer {viewer} {sentence_of(error)}"
        if not isinstance(text, str) or not text.strip():
            return f"`draw` gives {text!r} for viewer {viewer}"
        if not isinstance(scene, Scene):
            return f"`scene` gives {scene!r} for viewer {viewer}"
    return None
