"""The declarative record: options are data, sizes follow from them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from variants import every_game

import tzaar_envs
from tzaar_envs.agents import agent_specs
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import nothing_hidden, seat_acts
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.spec import Option, resolve_options
from tzaar_envs.envs.base import ENV_OPTIONS
from tzaar_envs.registry import find_spec

SIZE = Option("size", int, 5, "the size", minimum=3, maximum=9)
LEVEL = Option("level", int, 2, "the level", choices=(1, 2, 4))
FAST = Option("fast", bool, False, "whether it is fast")
MODE = Option("mode", str, None, "the mode", choices=(None, "a", "b"))
NAME = Option("name", str, "x", "any name")
RATE = Option("rate", float, 0.5, "the rate", minimum=0)


def _two_digits(text: str) -> tuple[int, ...]:
    if len(text) != 2 or not text.isdigit():
        raise ValueError(f"{len(text)} characters")
    return int(text[0]), int(text[1])


PAIR = Option("pair", str, "12", "a pair", encoder=_two_digits, syntax="two digits")
ALL_OPTIONS = [
    *ENV_OPTIONS,
    *(option for name in tzaar_envs.list_games() for option in find_spec(name).options),
]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (SIZE, 3),
        (SIZE, 9),
        (LEVEL, 1),
        (LEVEL, 4),
        (FAST, True),
        (FAST, False),
        (MODE, None),
        (MODE, "b"),
        (NAME, ""),
        (RATE, 0),
        (RATE, 2.5),
        (PAIR, "09"),
    ],
)
def test_allowed_value(option: Option, value: Any) -> None:
    assert option.check(value) is value


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (SIZE, np.int64(4)),
        (SIZE, np.array(4)),
        (RATE, np.float32(0.5)),
        (FAST, np.bool_(True)),
        (NAME, np.str_("a")),
    ],
)
def test_a_number_of_numpy_stands_for_that_of_python(option: Option, value: Any) -> None:
    checked = option.check(value)
    assert checked == value
    assert type(checked) is option.type


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        (SIZE, 2, "3 to 9"),
        (SIZE, 10, "3 to 9"),
        (SIZE, 5.0, "3 to 9"),
        (SIZE, "5", "3 to 9"),
        (SIZE, True, "3 to 9"),
        (SIZE, None, "3 to 9"),
        (LEVEL, 3, "1, 2, 4"),
        (LEVEL, True, "1, 2, 4"),
        (LEVEL, 1.0, "1, 2, 4"),
        (LEVEL, [1], "1, 2, 4"),
        (FAST, 1, "True, False"),
        (FAST, "true", "True, False"),
        (FAST, None, "True, False"),
        (MODE, "c", "None, 'a', 'b'"),
        (MODE, "", "None, 'a', 'b'"),
        (NAME, 3, "any str"),
        (RATE, -0.5, "0 or more"),
        (RATE, float("nan"), "0 or more"),
        (RATE, float("inf"), "0 or more"),
        (RATE, "1.5", "0 or more"),
        (RATE, True, "0 or more"),
        (PAIR, 12, "two digits"),
        (Option("least", int, 1, "", minimum=1), 0, "1 or more"),
        (Option("most", int, 1, "", maximum=1), 2, "1 or less"),
        (Option("any", int, 1, ""), 1.5, "any int"),
    ],
)
def test_refused_value_is_named_with_what_is_allowed(
    option: Option, value: Any, allowed: str
) -> None:
    with pytest.raises(ValueError, match="is not allowed") as caught:
        option.check(value)
    assert str(caught.value) == f"option {option.name}={value!r} is not allowed: use {allowed}"


def test_refused_data_is_named_with_the_reason() -> None:
    with pytest.raises(ValueError, match="is not allowed") as caught:
        PAIR.check("123")
    assert str(caught.value) == ("option pair='123' is not allowed: 3 characters; use two digits")


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (SIZE, "4", 4),
        (LEVEL, "4", 4),
        (FAST, "true", True),
        (FAST, "False", False),
        (MODE, "a", "a"),
        (NAME, "4", "4"),
        (RATE, "4", 4.0),
        (RATE, "1e-3", 0.001),
        (PAIR, "34", "34"),
    ],
)
def test_value_from_text(option: Option, text: str, value: Any) -> None:
    assert option.parse(text) == value
    assert type(option.parse(text)) is type(value)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (SIZE, "2"), (SIZE, "x"), (SIZE, "4.5"), (LEVEL, "3"), (FAST, "yes"), (MODE, "c"),
        (RATE, "-1"), (RATE, "x"), (RATE, "nan"),
    ],
)  # fmt: skip
def test_text_that_is_no_value(option: Option, text: str) -> None:
    with pytest.raises(
        ValueError, match=f"option {option.name}='?{text}(.0)?'? is not allowed: use"
    ):
        option.parse(text)


@pytest.mark.parametrize(
    ("option", "value", "codes"),
    [
        (SIZE, 7, (7,)),
        (LEVEL, 4, (2,)),
        (FAST, True, (1,)),
        (FAST, False, (0,)),
        (MODE, "b", (2,)),
        (PAIR, "34", (3, 4)),
    ],
)
def test_value_as_compiled_code_sees_it(option: Option, value: Any, codes: tuple[int, ...]) -> None:
    assert option.encode(value) == codes


def test_resolved_options_are_complete() -> None:
    options = (SIZE, LEVEL, FAST, MODE)
    resolved = resolve_options(options, {"fast": True, "size": 4}, "toy")
    assert resolved == {"size": 4, "level": 2, "fast": True, "mode": None}
    assert list(resolved) == ["size", "level", "fast", "mode"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sise", "toy has no option 'sise': did you mean 'size'? its options are size, level"),
        ("colour", "toy has no option 'colour': its options are size, level"),
    ],
)
def test_unknown_option(name: str, message: str) -> None:
    with pytest.raises(ValueError, match="has no option") as caught:
        resolve_options((SIZE, LEVEL), {name: 1}, "toy")
    assert str(caught.value) == message


def test_unknown_option_of_what_has_none() -> None:
    with pytest.raises(ValueError, match="toy has no option 'size': it has no options"):
        resolve_options((), {"size": 1}, "toy")


def test_sizes_follow_from_the_layout() -> None:
    layout = Layout(
        seat_names=("a", "b"),
        board_shape=(3, 4),
        planes=(Plane("x", ""), Plane("y", "", high=7, count=3), Plane("z", "", high=2)),
        actions=(
            ActionBlock("move", "", planes=5),
            ActionBlock("pass", "", planes=1, on_board=False),
        ),
        max_plies=9,
    )
    assert [layout.block_size(block) for block in layout.actions] == [60, 1]
    assert layout.num_actions == 61
    assert layout.observation_shape == (5, 3, 4)
    assert layout.plane_highs == (1, 7, 7, 7, 2)
    assert [(number, plane.name) for number, plane in layout.numbered_planes()] == [
        ("0", "x"),
        ("1-3", "y"),
        ("4", "z"),
    ]


def test_flat_observation_has_one_number_per_plane() -> None:
    planes = (Plane("x", "", count=4), Plane("y", ""))
    layout = Layout(("a",), (), planes, (ActionBlock("roll", "", 2, on_board=False),), 9)
    assert layout.observation_shape == (5,)
    assert layout.num_actions == 2


@pytest.mark.parametrize("option", ALL_OPTIONS, ids=[option.name for option in ALL_OPTIONS])
def test_every_option_is_explained_and_its_default_allowed(option: Option) -> None:
    assert option.name.isidentifier()
    assert option.description
    assert option.check(option.default) == option.default
    assert option.allowed
    assert [option.encode(choice) for choice in option.choices] == [
        (index,) for index in range(len(option.choices))
    ]


@every_game
def test_options_are_encoded_one_after_the_other_and_equally_long(game: Game) -> None:
    codes = [option.encode(game.options[option.name]) for option in game.spec.options]
    assert game.encoded_options.tolist() == [number for code in codes for number in code]
    for option in game.spec.options:
        for example in option.examples:
            assert option.check(example) == example
            assert len(option.encode(example)) == len(option.encode(option.default))


@every_game
def test_every_record_is_complete_and_frozen(game: Game) -> None:
    spec = game.spec
    assert spec.title
    assert spec.summary.endswith(".")
    assert spec.env_id == f"{spec.name}_v{spec.version}"
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.name = "other"  # type: ignore[misc]
    for named in (game.layout.planes, game.layout.actions):
        names = [item.name for item in named]
        assert len(set(names)) == len(names)
        assert all(item.description for item in named)
    assert spec.score_unit is None or spec.score_unit > 0
    agents = agent_specs(spec)
    assert list(agents)[:2] == ["random", "greedy"]
    assert {baseline.name for baseline in spec.baselines} < set(agents)
    assert all(agents.values())


@every_game
def test_record_says_what_the_rules_are_like(game: Game) -> None:
    code = game.rules
    assert game.spec.hidden_information == (code.determinize is not nothing_hidden)
    assert game.spec.simultaneous == (code.acting is not seat_acts)
    assert (game.spec.score_unit is not None) == (code.scores is not code.returns)


@every_game
def test_action_blocks_cover_the_legal_actions(game: Game) -> None:
    sizes = [game.layout.block_size(block) for block in game.layout.actions]
    assert sum(sizes) == game.num_actions == game.new_state(0).legal_mask().size
