"""The declarative record: options are data, sizes follow from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tzaar_envs.core.spec import Option, resolve_options

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
