"""Public calls that draw, record, replay and explain games."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from fuzz.values import action, anything, expect, is_text, number, seeds, text
from hypothesis import strategies as st

import tzaar_envs
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import GameRecord, append_records, read_games
from tzaar_envs.cli.terminal_game import WatchedGame
from tzaar_envs.core.state import State
from tzaar_envs.envs.single_agent import SingleAgentEnv
from tzaar_envs.render.pixels import to_pixels
from tzaar_envs.render.svg import to_html, to_svg
from tzaar_envs.replay.files import write_replay
from tzaar_envs.replay.page import game_page
from tzaar_envs.replay.played_game import PlayedGame, game_text
from tzaar_envs.rulebook import RulesPage, page_path

if TYPE_CHECKING:
    from fuzz.calls import Session

_SIZES = (None, 1, 20, 64, 0, -1, 1.5, "9", float("nan"), 10**30)
_THEMES = ("light", "dark", "auto", "red", "", None, 5)


def scenes(session: Session) -> None:
    """Draw positions as scenes, SVG and pixels."""
    state, draw = session.state, session.draw
    players = session.game.num_players
    before = session.game.new_state(draw(st.integers(0, 9)))
    last = draw(st.one_of(st.none(), st.tuples(st.just(before), action(before))))
    weights = draw(
        st.one_of(
            st.none(),
            st.dictionaries(
                st.one_of(st.integers(-2, session.game.num_actions), st.sampled_from([2**40, "1"])),
                st.sampled_from([0, 1, 0.5, -1, 1e300, float("nan"), float("inf"), "1"]),
                max_size=3,
            ),
        )
    )
    values = draw(
        st.one_of(
            st.none(),
            st.lists(st.sampled_from([-1.0, 0.5, 1.0, 9.0, float("nan")]), max_size=players + 1),
        )
    )
    viewer = draw(st.one_of(st.none(), number(players)))
    scene = state.scene()
    with session.call(f"State.scene {viewer!r} {weights!r} {values!r}"):
        scene = state.scene(
            viewer, last=last, legal=draw(st.booleans()), weights=weights, values=values
        )
    theme, width = draw(st.sampled_from(_THEMES)), draw(st.sampled_from(_SIZES))
    with session.call(f"State.svg {theme!r} {width!r}"):
        state.svg(theme, width, viewer=viewer)
    with session.call(f"to_svg {theme!r} {width!r}"):
        to_svg(scene, theme, width)
    with session.call(f"to_pixels {theme!r} {width!r}"):
        picture = to_pixels(scene, theme, width)
        expect(picture.dtype == np.uint8)
    with session.call("to_html"):
        to_html([scene] * draw(st.integers(0, 2)), draw(st.text(max_size=5)))


def rendering(session: Session) -> None:
    """Make environments with any options and let them draw."""
    draw, game = session.draw, session.game
    options = {
        "render_mode": draw(st.sampled_from(["rgb_array", "ansi", None, "human2", 5])),
        "render_size": draw(st.sampled_from([20, 0, -1, 10**30, "20", None])),
        "render_theme": draw(st.sampled_from(["light", "dark", "", None])),
        "viewer": draw(st.sampled_from(["all", "player_0", "player_9", "", 0, None])),
        "illegal": draw(st.sampled_from(["raise", "terminate", 1])),
        "reward": draw(st.sampled_from(["outcome", "score", None])),
    }
    options = {name: value for name, value in options.items() if draw(st.booleans())}
    options |= game.options
    with session.call(f"make {options}"):
        env = tzaar_envs.make(game.spec.env_id, **options)
        env.reset(seed=1)
        env.step(draw(action(env.unwrapped.game_state)))
        env.render(), repr(env), env.unwrapped._repr_html_()
    with session.call(f"SingleAgentEnv {options}"):
        single = SingleAgentEnv(game.name, "random", **options)
        single.reset(seed=1)
        single.step(draw(number(game.num_actions)))
        single.render(), repr(single), single._repr_html_()
    with session.call("make_vec"):
        options |= {"num_envs": draw(st.sampled_from([1, 2, 0, -1, 1.5, None, "2"]))}
        options |= {"num_threads": draw(st.sampled_from([1, 2, 0, -1, 1.5, None, 10**30]))}
        many = tzaar_envs.make_vec(game.spec.env_id, **options)
        many.reset(seed=draw(seeds()))
        many.step(many.sample_actions())
        many.close()


def records(session: Session) -> None:
    """Record a game, change what was recorded, and replay it in every form."""
    draw, game = session.draw, session.game
    start = game.new_state(draw(st.integers(0, 9)))
    history = GameHistory(start, seed=1)
    for _ in range(draw(st.integers(0, 3))):
        with session.call("GameHistory.apply"):
            history.apply(draw(action(history.state)))
    record = history.to_record()
    with session.call("GameRecord"):
        record = _spoiled(session, record)
    with session.call("GameRecord.check"):
        record.check(draw(st.sampled_from([None, game])))
    with session.call("PlayedGame"):
        played = PlayedGame(record)
        for ply in range(-1, played.plies + 2):
            with session.call(f"PlayedGame.scene {ply}"):
                played.scene(ply, values=True, visits=True)
        game_page(played), [*game_text(played)]
        with tempfile.TemporaryDirectory() as folder:
            for name in ("game.html", "game", "game.txt"):
                with session.call(f"write_replay {name}"):
                    write_replay(Path(folder) / name, played)
            with session.call("append_records"):
                append_records(Path(folder) / "games.jsonl", [record])
                expect([*read_games(Path(folder) / "games.jsonl")] == [record])


def _spoiled(session: Session, record: GameRecord) -> GameRecord:
    """Return a record with one other value, of the right type."""
    draw = session.draw
    integers = st.lists(st.integers(-2, 2**62), max_size=3)
    fields: dict[str, st.SearchStrategy[Any]] = {
        "actions": st.lists(text(record.actions[0] if record.actions else "pass").filter(is_text)),
        "outcomes": st.lists(integers, max_size=3),
        "seed": st.one_of(st.integers(0, 2**70), st.lists(st.integers(0, 9))),
        "position": text(record.position or "").filter(is_text),
        "returns": st.lists(st.floats(-1, 1), max_size=3),
        "scores": st.lists(st.floats(), max_size=3),
        "options": st.dictionaries(st.sampled_from(["players", "setup"]), st.integers(-1, 9)),
        "agents": st.lists(st.text(max_size=3), max_size=3),
        "game": st.sampled_from(["zatre_v0", "zatre", "", "tzaar_v9"]),
        "end": st.text(max_size=3),
        "opening": st.integers(0, 9),
    }
    name = draw(st.sampled_from(["", *fields]))
    changed = {name: draw(fields[name])} if name else {}
    return GameRecord(
        **{each: getattr(record, each) for each in record.__struct_fields__} | changed
    )


def watching(session: Session) -> None:
    """Watch a game of agents."""
    draw, game = session.draw, session.game
    names = st.sampled_from(["random", "greedy", "mcts:simulations=3", "nobody", ""])
    agents = draw(st.lists(names, min_size=game.num_players - 1, max_size=game.num_players))
    position = draw(st.one_of(st.none(), text(str(session.state))))
    with session.call(f"WatchedGame {agents}"):
        watched = WatchedGame(game, agents, draw(st.integers(0, 2**40)), position)
        for _ in range(draw(st.integers(1, 4))):
            with session.call("WatchedGame.step"):
                watched.step()
            watched.text(), watched.history.to_record().check()


def rules(session: Session) -> None:
    """Look things up in the rules."""
    with session.call("RulesPage"):
        page = RulesPage.read(page_path(session.game.name))
        expect(bool(page.goal and page.contents()))
        page.find(session.draw(text("3.2").filter(is_text)))


def loading(session: Session) -> None:
    """Load games by any name and with any options."""
    draw, name = session.draw, session.game.name
    options = {each: draw(anything) for each in session.game.options if draw(st.booleans())}
    with session.call(f"load_game {options!r}"):
        game = tzaar_envs.load_game(name, **options)
        game.new_state(0).apply(int(game.new_state(0).legal_actions()[0]))
    with session.call("load_game"):
        tzaar_envs.load_game(draw(text(name)))
    with session.call("Game.checked_positions"):
        session.game.checked_positions(draw(anything))
    with session.call("State"):
        State(session.game, session.state.words, session.state.generator).clone()
