"""Hostile content for whoever reads a file: valid JSON with wrong values, and damaged bytes."""

from __future__ import annotations

import copy
import json
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_DEEP = "a place for deep nesting"

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, -0.5, 2**31, 2**63, 2**64, 10**30, 10**400, 1e308, float("inf"),
    float("-inf"), float("nan"), "", "0", "nan", "\x00", "\ud800", "tzaar", "a\nb\x1b[2J",
    "a" * 3000, [], [[]], [None], [1, 2, 3], ["x", 1, {}], {}, {"name": 1}, {"spec": {}},
    {"self": 0}, {"": None}, _DEEP,
)  # fmt: skip
"""What is put in the place of a value."""


def wrong_documents(content: Any) -> Iterator[tuple[str, bytes]]:
    """Yield JSON documents with one wrong, missing or additional entry, and where it is."""
    for path in _paths(content):
        for value in VALUES:
            yield f"{path} = {value!r:.40}", _json(_changed(content, path, value))
        if path and isinstance(_at(content, path[:-1]), dict):
            yield f"without {path}", _json(_without(content, path))
    if isinstance(content, dict):
        yield "additional", _json(content | {"additional": 1})
        yield "self", _json(content | {"self": 1, "cls": 2, "__class__": 3})


def damaged(content: bytes, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield copies of a file with errors: cut off, bits flipped, bytes inserted, parts doubled."""
    rng = random.Random(seed)
    yield "empty", b""
    yield "zeros", bytes(len(content))
    yield "text", b"To whom it may concern\n"
    yield "not UTF-8", b"\xff\xfe\x80" + content
    for number in range(count):
        data = bytearray(content)
        for _ in range(rng.choice((1, 1, 2, 8))):
            place, other = sorted(rng.randrange(len(data) + 1) for _ in range(2))
            change = rng.randrange(4)
            if change == 0:
                del data[place:]
            elif change == 1 and place < len(data):
                data[place] ^= 1 << rng.randrange(8)
            elif change == 2:
                data[place:place] = rng.choice((b"\n", b"{", b"\x00", b"9" * 400, b"[" * 5000))
            elif change == 3:
                data[place:place] = data[place:other]
        yield f"damage {number}", bytes(data)


def refusals(
    read: Callable[[Path], object],
    path: Path,
    documents: Iterator[tuple[str, bytes]],
    allowed: type[Exception] | tuple[type[Exception], ...] = ValueError,
) -> tuple[int, list[str]]:
    """Let files be read; return how many there were, and which were not refused as they should be.

    A file may be accepted. If not, the error must be of an allowed class, one line, not endless,
    without the advice to load it unsafely, and name the file.
    """
    count, wrong = 0, []
    for what, content in documents:
        count += 1
        path.write_bytes(content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                read(path)
        except allowed as error:
            text = str(error)
            problems = [
                problem
                for problem, found in (
                    ("several lines", "\n" in text),
                    ("too long", len(text) > 2000 + 4 * len(content)),
                    ("no name", path.name not in text),
                    ("unsafe advice", "weights_only" in text),
                )
                if found
            ]
            if problems:
                wrong.append(f"{what}: {problems}: {text:.200}")
        except BaseException as error:
            wrong.append(f"{what}: {type(error).__name__}: {error!s:.200}")
            if isinstance(error, KeyboardInterrupt):
                raise
    return count, wrong


def _json(content: Any) -> bytes:
    text = json.dumps(content)
    return text.replace(json.dumps(_DEEP), "[" * 20_000 + "]" * 20_000).encode()


Steps = tuple[str | int, ...]


def _paths(content: Any, before: Steps = ()) -> Iterator[Steps]:
    """Yield the way to every value; of a list only to the first and the last one."""
    yield before
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _paths(value, (*before, key))
    elif isinstance(content, list) and content:
        for index in sorted({0, len(content) - 1}):
            yield from _paths(content[index], (*before, index))


def _at(content: Any, path: Steps) -> Any:
    for step in path:
        content = content[step]
    return content


def _changed(content: Any, path: Steps, value: Any) -> Any:
    """Return a copy with another value at a path; what is beside the path is not copied."""
    if not path:
        return value
    first, *rest = path
    content = copy.copy(content)
    content[first] = _changed(content[first], tuple(rest), value)
    return content


def _without(content: Any, path: Steps) -> Any:
    *parent, last = path
    left = copy.copy(_at(content, tuple(parent)))
    del left[last]
    return _changed(content, tuple(parent), left)
