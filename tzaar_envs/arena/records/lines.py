"""Lines of a file of game records: the header, and encoding and decoding of both kinds.

Whatever is wrong with a line becomes one ValueError of one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, TypeVar

import msgspec

from tzaar_envs.arena.records.record import GameRecord


class FileHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a file of records; each kind of file has a subclass with its own fields.

    Attributes:
        FORMAT: the name of the format, beginning with `tzaar-envs`.
        FORMAT_VERSION: goes up when fields of the header change.
        KIND: what error messages call such a file.
        INFORMATIVE: fields in which two headers of the same content may differ.
    """

    FORMAT: ClassVar[str]
    FORMAT_VERSION: ClassVar[int]
    KIND: ClassVar[str] = "file of game records"
    INFORMATIVE: ClassVar[frozenset[str]] = frozenset()

    def differences(self, other: FileHeader) -> list[str]:
        """Return in which fields another header differs, as texts for people."""
        return [
            f"{name} {getattr(self, name)!r} there, {getattr(other, name)!r} here"
            for name in self.__struct_fields__
            if name not in self.INFORMATIVE and getattr(self, name) != getattr(other, name)
        ]

    def check_record(self, record: GameRecord) -> None:
        """Raise a ValueError for a record that does not belong in this file; says why."""

    def key(self, record: GameRecord) -> Hashable:
        """Return what no two records of the file may share; None if nothing."""
        return None


H = TypeVar("H", bound=FileHeader)

_decoder = msgspec.json.Decoder(GameRecord)
_encoder = msgspec.json.Encoder()


def header_beginning(header: FileHeader) -> bytes:
    """Return how the first line of such a file begins."""
    return _encoder.encode({"format": header.FORMAT})[:-1]


def header_line(header: FileHeader) -> bytes:
    """Return the first line of a file."""
    names = {"format": header.FORMAT, "format_version": header.FORMAT_VERSION}
    return _line(names | msgspec.structs.asdict(header))


def record_line(record: GameRecord) -> bytes:
    """Return the line of a record."""
    return _line(record)


def _line(content: Any) -> bytes:
    try:
        return _encoder.encode(content) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_writable(msgspec.to_builtins(content))) + b"\n"


def _writable(content: Any) -> Any:
    """Return plain data in which lone surrogates, which UTF-8 cannot hold, are escaped."""
    if isinstance(content, str):
        return content.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(content, list):
        return [_writable(item) for item in content]
    if isinstance(content, dict):
        return {_writable(key): _writable(value) for key, value in content.items()}
    return content


def decode_header(line: bytes, header_type: type[H]) -> H:
    """Return the header in a line.

    Raises:
        ValueError: it is not a header of this kind.
    """
    content = decode_object(line)
    if content.pop("format", None) != header_type.FORMAT:
        raise ValueError(f"its 'format' is not {header_type.FORMAT!r}")
    version, readable = content.pop("format_version", None), header_type.FORMAT_VERSION
    if version != readable:
        raise ValueError(f"its format_version is {version!r}, this release reads {readable}")
    return msgspec.convert(content, header_type)


def decode_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line.

    Raises:
        ValueError: it is not a JSON object.
    """
    content = _decoding(msgspec.json.decode, line)
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


def decode_record(line: bytes) -> GameRecord:
    """Return the record in a line.

    Raises:
        ValueError: it is not a record.
    """
    record: GameRecord = _decoding(_decoder.decode, line)
    return record


def _decoding(decode: Callable[[bytes], Any], line: bytes) -> Any:
    """Return a decoded line; every failure is a ValueError of one sentence."""
    try:
        return decode(line)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text ({error.reason} at byte {error.start})") from None
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        raise ValueError(f"it is not JSON ({error})") from None
