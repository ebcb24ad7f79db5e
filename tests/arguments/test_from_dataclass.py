"""Dataclasses as command lines."""

import contextlib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest
from cyclopts import Parameter

from tzaar_envs.arguments.from_dataclass import command_from_dataclass, run_command


@dataclass(frozen=True)
class Arguments:
    game: str = field(metadata={"help": "What to play.", "argument": True})
    steps: int = field(default=100, metadata={"help": "How long."})
    learning_rate: float = field(default=1e-3, metadata={"help": "How fast."})
    quiet: bool = field(default=False, metadata={"help": "Say nothing."})
    folder: Path = field(default=Path("runs"), metadata={"help": "Where [default: here]."})
    resume: Path | None = field(default=None, metadata={"help": "What to go on with."})
    reward: Literal["outcome", "score"] = field(default="outcome", metadata={"help": "Why."})
    device: Literal["cpu", "cuda"] | None = field(default=None, metadata={"help": "Whereon."})
    option: Annotated[tuple[str, ...], Parameter(name=("--option", "-o"))] = field(
        default=(), metadata={"help": "NAME=VALUE, repeatable."}
    )
    opponents: tuple[str, ...] = field(default_factory=lambda: ("random", "greedy"))


def run(*words: str) -> tuple[int, str, list[Arguments]]:
    received: list[Arguments] = []

    def train(arguments: Arguments) -> None:
        """Train something.

        Raises:
            ValueError: at times.
        """
        received.append(arguments)

    code = 0
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            run_command(command_from_dataclass(Arguments, train), words)
        except SystemExit as end:
            code = int(end.code or 0)
    return code, output.getvalue(), received


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")


def test_defaults_are_those_of_the_dataclass() -> None:
    assert run("tzaar") == (0, "", [Arguments("tzaar")])


def test_every_kind_of_field_can_be_given() -> None:
    words = "tzaar --steps 5 --learning-rate 0.5 --quiet --folder x --resume y --reward score"
    more = "--device cuda -o setup=fixed --option a=b --opponents random"
    code, output, received = run(*words.split(), *more.split())
    assert (code, output) == (0, "")
    assert received == [
        Arguments(
            game="tzaar",
            steps=5,
            learning_rate=0.5,
            quiet=True,
            folder=Path("x"),
            resume=Path("y"),
            reward="score",
            device="cuda",
            option=("setup=fixed", "a=b"),
            opponents=("random",),
        )
    ]
    assert type(received[0].reward) is str
    assert type(received[0].option) is tuple


def test_help_stands_in_the_dataclass() -> None:
    code, output, received = run("--help")
    assert code == 0
    assert received == []
    for text in (
        "Train something.",
        "What to play.",
        "--learning-rate",
        "How fast.",
        "0.001",
        "[default: here]",
    ):
        assert text in output
    assert "Raises" not in output


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), "game"),
        (("tzaar", "--steps", "many"), "--steps: 'many' is not a whole number"),
        (("tzaar", "--learning-rate", "nan"), "--learning-rate=nan is not allowed: use a number"),
        (("tzaar", "--reward", "fame"), "--reward: 'fame' is not one of 'outcome', 'score'"),
        (("tzaar", "--nothing"), "--nothing"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], named: str) -> None:
    code, output, received = run(*words)
    assert code == 2
    assert named.casefold() in output.casefold()
    assert received == []


def test_what_is_not_a_dataclass_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a dataclass"):
        command_from_dataclass(int, lambda arguments: None)
