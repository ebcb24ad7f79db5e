"""What authors of games call, and the smaller public functions of games, states and batches."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from fuzz.values import action, anything, expect, number, place_in, spoiled, text
from hypothesis import strategies as st

from tzaar_envs.arena.history import GameHistory
from tzaar_envs.authoring import (
    ActionBlock,
    CellNames,
    Layout,
    Option,
    Plane,
    Symmetry,
    identity,
    joined,
    load_weights,
    parse_number,
    parse_symbol,
    plane_numbers,
    plane_table,
    split_list,
    split_position,
    standard_files,
)
from tzaar_envs.datasets import read_dataset, read_dataset_games, write_dataset
from tzaar_envs.render.pixels import to_pixels

if TYPE_CHECKING:
    from fuzz.calls import Session


def notation(session: Session) -> None:
    """Read parts of a notation."""
    draw = session.draw
    given = draw(text("12").filter(lambda value: isinstance(value, str)))
    for name, read in {
        "split_position": lambda: split_position(given, ["a", "b"], draw(st.integers(0, 2))),
        "split_list": lambda: split_list("x", given, draw(st.sampled_from(["", ",", " "])), 2, "y"),
        "parse_number": lambda: parse_number("x", given, 99),
        "parse_symbol": lambda: parse_symbol("x", given, "12"),
        "CellNames": lambda: CellNames("AB", 12).cell(given),
        "parse_options": lambda: session.game.spec.parse_options([given, f"players={given}"]),
        "standard_files": lambda: standard_files(given),
        "load_weights": lambda: load_weights(f"/nonexistent/{given}"),
    }.items():
        with session.call(f"{name} {given!r}"):
            read()


def descriptions(session: Session) -> None:
    """Describe layouts, options and symmetries."""
    game, draw = session.game, session.draw
    layout = game.layout
    with session.call("Layout"):
        planes = (Plane("own", ""), Plane("other", "", draw(st.sampled_from([1, 3]))))
        made = replace(layout, planes=planes, actions=(ActionBlock("cell", "", 1),))
        expect(isinstance(made, Layout))
        made.plane_highs, made.observation_shape, list(made.numbered_planes())
        made.block_size(made.actions[0]), plane_numbers(planes)
    given = draw(anything)
    with session.call(f"Option {given!r}"):
        option = Option("x", draw(st.sampled_from([int, str, bool, float])), 1, "", (), 0, 9)
        option.allowed, option.check(given), option.encode(option.check(given))
    with session.call(f"Option.parse {given!r}"):
        Option("x", int, 1, "", (), 0, 9).parse(str(given))
    with session.call("Symmetry"):
        same = identity(layout)
        table = joined(plane_table(np.arange(2), draw(spoiled(np.arange(4)))), np.arange(3))
        expect(table.dtype == np.int64)
        Symmetry("x", layout, same.observation, same.actions)
        seen = session.state.observation(0)
        for symmetry in (*game.symmetries[:2], same):
            symmetry.apply_to_observations(draw(spoiled(seen)))


def small_parts(session: Session) -> None:
    """Ask states, games and batches for everything else."""
    game, draw, state = session.game, session.draw, session.state
    expect(bool(state.label) and isinstance(state.is_truncated, bool))
    told = state.last_outcome, state.end_code, state.end_reason, state.acting_players()
    expect(len(told) == 4 and bool(game.observation_planes))
    expect(game.spec.is_deterministic in (True, False))
    with session.call("Game.checked_player"):
        game.checked_player(draw(number(game.num_players)))
    batch = session.batch
    batch.bytes_per_game  # noqa: B018
    with session.call("Batch.show"):
        batch.show(draw(spoiled(np.array([True, False]))), draw(spoiled(np.array([0, 1]))))
    with session.call("Batch.legal_answers"):
        right = batch.masks.argmax(axis=1)
        rows = np.arange(2)
        found = batch.legal_answers("it", draw(spoiled(right)), rows)
        expect(bool(batch.masks[rows, found].all()))
    with session.call("to_pixels"):
        to_pixels(state.scene(), draw(st.sampled_from(["light", "x", None])), draw(number(60)))


def stable_baselines_parts(session: Session) -> None:
    """Call what Stable-Baselines3 calls, in any order."""
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

    draw = session.draw
    env = SingleAgentVecEnv(session.game, ["random"], 2, seed=1)
    env.reset()
    for _ in range(draw(st.integers(1, 5))):
        with session.call("SingleAgentVecEnv.step_async"):
            env.step_async(draw(spoiled(env.action_masks().argmax(axis=1))))
        with session.call("SingleAgentVecEnv.step_wait"), contextlib.suppress(AttributeError):
            env.step_wait()
    indices = draw(st.sampled_from([None, 0, [0, 1], [9], "x", -1]))
    with session.call("SingleAgentVecEnv.env_method"), contextlib.suppress(AttributeError):
        env.env_method(draw(st.sampled_from(["action_masks", "reset"])), indices=indices)
        env.get_attr("game", indices), env.env_is_wrapped(object, indices), env.has_attr("game")
        env.set_attr("game", None, indices)
    with session.call("SingleAgentVecEnv.get_images"):
        expect(len(env.get_images()) == 2)


def datasets(session: Session) -> None:
    """Write a dataset, damage its files, and read it."""
    if find_spec("minari") is None or find_spec("h5py") is None:
        return
    game, draw = session.game, session.draw
    history = GameHistory(game.new_state(draw(st.integers(0, 9))), seed=1)
    while not history.is_over:
        history.apply(int(history.state.legal_actions()[draw(st.integers(0, 1)) - 1]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        with session.call("write_dataset"):
            write_dataset(path, [history.to_record()], game)
        for file in sorted(path.rglob("*")) if draw(st.booleans()) else ():
            if file.is_file() and draw(st.booleans()):
                content = bytearray(file.read_bytes())
                for _ in range(draw(st.integers(1, 3))):
                    content[place_in(draw, content)] = draw(st.integers(0, 255))
                file.write_bytes(bytes(content))
        with session.call("read_dataset"):
            read_dataset(path, draw(st.sampled_from([None, ["a"], ["random"]])))
        with session.call("read_dataset_games"):
            read_dataset_games(path)


def actions(session: Session) -> None:
    """Draw marks for actions, legal or not."""
    with session.call("State.scene last"):
        chosen = session.draw(action(session.state))
        session.state.scene(last=(session.state, chosen), legal=True, weights={0: 1.0})


CALLS: tuple[Any, ...] = (
    notation, descriptions, small_parts, stable_baselines_parts, datasets, actions,
)  # fmt: skip
