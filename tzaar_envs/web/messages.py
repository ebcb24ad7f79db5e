"""Messages of a browser, decoded and checked."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

Small: TypeAlias = Annotated[str, Meta(max_length=100)]
AgentText: TypeAlias = Annotated[str, Meta(max_length=300)]
PositionText: TypeAlias = Annotated[str, Meta(max_length=20_000)]
Number: TypeAlias = Annotated[int, Meta(ge=0, lt=2**31)]
Seed: TypeAlias = Annotated[int, Meta(ge=0, lt=2**62)]
Seats: TypeAlias = Annotated[list[AgentText], Meta(max_length=16)]
Options: TypeAlias = Annotated[
    dict[Small, bool | int | Annotated[str, Meta(max_length=2000)]], Meta(max_length=32)
]


class Message(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """What all messages have in common: the field `do` says which one it is."""


class New(Message, frozen=True, tag="new"):
    """Begin a game.

    Attributes:
        game: its name.
        options: those that differ from their defaults.
        seats: `human` or an agent text for each; empty: persons.
        seed: None: a random one.
        position: the start position in notation; None for the one that the seed gives.
        open: whether hidden information is shown to everybody.
    """

    game: Small
    options: Options = {}
    seats: Seats = []
    seed: Seed | None = None
    position: PositionText | None = None
    open: bool = False


class Resume(Message, frozen=True, tag="resume"):
    """Return to a game that this browser has had."""

    token: Small


class Play(Message, frozen=True, tag="play"):
    """Play a move in the position that is shown.

    Attributes:
        move: in notation; the case of letters does not matter where it is clear.
        line: the line, by number.
        ply: how many moves come before.
    """

    move: Small
    line: Number
    ply: Number


class Go(Message, frozen=True, tag="go"):
    """Show the position of a line after so many moves."""

    line: Number
    ply: Number


class Undo(Message, frozen=True, tag="undo"):
    """Take back the last move of a person, and all after it."""


class Hint(Message, frozen=True, tag="hint"):
    """Ask what an agent would play."""


class Reveal(Message, frozen=True, tag="reveal"):
    """Show the hand of the person to move."""


class Pause(Message, frozen=True, tag="pause"):
    """Let the agents wait, or go on."""

    on: bool


class ChangeSeats(Message, frozen=True, tag="seats"):
    """Change who takes the seats."""

    seats: Seats


class Analyse(Message, frozen=True, tag="analyse"):
    """Analyse the position that is shown, and those shown later; None: no more.

    Attributes:
        engine: `mcts`, with or without parameters, or `alphabeta`.
    """

    engine: AgentText | None


class Load(Message, frozen=True, tag="load"):
    """Open a game of a file of recorded games.

    Attributes:
        content: of the file.
        game: which game, from 0; None lists them if there are several.
    """

    content: str
    game: Number | None = None


class Save(Message, frozen=True, tag="save"):
    """Ask for the game as a file."""


class Share(Message, frozen=True, tag="share"):
    """Ask for the notation of the position that is shown."""


AnyMessage: TypeAlias = (
    New | Resume | Play | Go | Undo | Hint | Reveal | Pause | ChangeSeats | Analyse | Load | Save
    | Share
)  # fmt: skip

_decoder = msgspec.json.Decoder(AnyMessage)


def decode(text: str | bytes) -> AnyMessage:
    """Return a message.

    Raises:
        ValueError: it is none; says why in one sentence.
    """
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise ValueError("the message is nested too deeply") from None
    except UnicodeError as error:
        raise ValueError(f"the message is not UTF-8 text: {error}") from None
    except msgspec.DecodeError as error:
        raise ValueError(f"the message is not allowed: {error}") from None
