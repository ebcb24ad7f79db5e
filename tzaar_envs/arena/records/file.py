"""Files of game records: a header line, then one line of JSON per game, only ever added to.

Lines are written whole, so an interruption leaves at most one torn line, the last. Readers leave it
out, and the next writer cuts it off. Nothing in a file is believed: every line is decoded into a
typed struct, and whatever is wrong with it becomes one ValueError that names the file and the line.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Generic

from tzaar_envs.arena.records.lines import (
    FileHeader,
    H,
    decode_header,
    decode_object,
    decode_record,
    header_beginning,
    header_line,
    record_line,
)
from tzaar_envs.arena.records.record import GameRecord
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.interrupts import sigint_deferred

LONGEST_LINE = 2**24  # bytes; longer lines are refused unread
_FORMAT_BEGINS = "tzaar-envs"


def read_records(
    path: str | Path, header_type: type[H], max_bytes: int | None = None
) -> tuple[H, list[GameRecord]]:
    """Read a file of one kind; a torn last line is left out.

    Args:
        path: the file.
        header_type: of this kind of file.
        max_bytes: larger files are refused unread; None: any size.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not such a file, or a line is damaged; says which and why.
    """
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if max_bytes is not None and size > max_bytes:
            raise ValueError(
                f"{str(path)!r} has {size} bytes: a {header_type.KIND} has at most {max_bytes}"
            )
        header, records, _ = _read(path, file, header_type)
    return header, records


def read_games(path: str | Path) -> Iterator[GameRecord]:
    """Yield the records of a file of any kind, without checking its header.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a file of records, or a line is damaged; says which and why.
    """
    with Path(path).open("rb") as file:
        yield from games_in(file, path)


def games_in(file: BinaryIO, name: str | Path) -> Iterator[GameRecord]:
    """Yield the records of an open file of any kind, without checking its header.

    Args:
        file: at its beginning.
        name: what errors call it.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a file of records, or a line is damaged; says which and why.
    """
    lines = _whole_lines(name, file)
    for first in lines:
        with _naming(f"{str(name)!r} is not a {FileHeader.KIND}"):
            found = decode_object(first).get("format")
            if not isinstance(found, str) or not found.startswith(_FORMAT_BEGINS):
                raise ValueError(f"its format is {found!r}")
        break
    for number, line in enumerate(lines, start=2):
        with _naming(f"{str(name)!r}, line {number}"):
            yield decode_record(line)


def write_records(path: str | Path, header: FileHeader, records: Iterable[GameRecord]) -> None:
    """Write a file as a whole; an interruption leaves the old one, or none.

    Raises:
        OSError: the file cannot be written.
    """
    lines = [header_line(header), *map(record_line, records)]
    write_atomically(Path(path), b"".join(lines))


def append_records(path: str | Path, header: FileHeader, records: Iterable[GameRecord]) -> None:
    """Add records to a file that several processes write to; a missing file is created.

    The header is checked, or written, even if there are no records.

    Raises:
        OSError: the file cannot be written; it is left as it was.
        ValueError: it is not such a file, or its header differs; says how.
    """
    with Path(path).open("a+b", buffering=0) as file:
        _lock(file, wait=True)
        end = _end_of_last_line(file)
        lines = b"".join(map(record_line, records))
        if _is_new(file, header):
            file.truncate(0)
            _write(file, 0, header_line(header) + lines)
            return
        with _reading(file) as reader:
            first = next(_whole_lines(path, reader), b"")
        _check_same(path, _read_header(path, first, type(header)), header)
        file.truncate(end)
        _write(file, end, lines)


class RecordFile(Generic[H]):
    """A file of records that is written by this process alone, and can be continued.

    Args:
        path: created if it does not exist, its folder too; otherwise continued.
        header: of the file.

    Attributes:
        records: those that were in the file when it was opened.

    Raises:
        OSError: the file cannot be read or written, or another process is writing to it.
        ValueError: it is not such a file, or its header differs; says how.
    """

    def __init__(self, path: str | Path, header: H) -> None:
        self.path = Path(path)
        self.records: list[GameRecord] = []
        self._path_text = str(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b", buffering=0)
        try:
            if not _lock(self._file, wait=False):
                raise BlockingIOError(
                    errno.EAGAIN, "another process is writing to this file", self._path_text
                )
            self._open(header)
        except BaseException:
            self._file.close()
            raise

    def _open(self, header: H) -> None:
        self._kept = 0
        if _is_new(self._file, header):
            self._file.truncate(0)
            self._end = 0
            self._append(header_line(header))
            return
        with _reading(self._file) as reader:
            there, self.records, self._end = _read(self._path_text, reader, type(header))
        _check_same(self._path_text, there, header)
        self._file.truncate(self._end)
        self._kept = len(self.records)

    def append(self, record: GameRecord) -> None:
        """Add a record; it is with the operating system when this returns.

        Raises:
            OSError: there is no room; says what is kept.
        """
        self._append(record_line(record))
        self._kept += 1

    def _append(self, line: bytes) -> None:
        with sigint_deferred():
            try:
                _write(self._file, self._end, line)
            except OSError as error:
                raise OSError(
                    error.errno,
                    f"{error.strerror}; {self._kept} finished games are kept there: make room and "
                    "run the same command again to continue",
                    self._path_text,
                ) from error
            self._end += len(line)

    def close(self) -> None:
        """Close the file; what is in it survives a power failure from now on."""
        if self._file.closed:
            return
        with contextlib.suppress(OSError):  # not every file system can
            os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> RecordFile[H]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


# --- Reading --------------------------------------------------------------------------------------


@contextlib.contextmanager
def _reading(file: io.FileIO) -> Iterator[BinaryIO]:
    """Lend a buffered reader from the beginning of a file that is written without a buffer."""
    file.seek(0)
    reader = io.BufferedReader(file)
    try:
        yield reader
    finally:
        reader.detach()


def _read(
    path: str | Path, file: BinaryIO, header_type: type[H]
) -> tuple[H, list[GameRecord], int]:
    """Return what is in a file, and how many bytes of it are whole lines."""
    lines = _whole_lines(path, file)
    first = next(lines, None)
    if first is None:
        raise ValueError(f"{str(path)!r} is not a {header_type.KIND}: its first line is incomplete")
    header = _read_header(path, first, header_type)
    end = len(first)
    records: list[GameRecord] = []
    keys: set[Hashable] = set()
    for number, line in enumerate(lines, start=2):
        with _naming(f"{str(path)!r}, line {number}"):
            record = decode_record(line)
            header.check_record(record)
            if (key := header.key(record)) is not None:
                if key in keys:
                    raise ValueError("the same game is in the file twice")
                keys.add(key)
        records.append(record)
        end += len(line)
    return header, records, end


def _whole_lines(path: str | Path, file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines from here on that have an end; refuse lines that are too long."""
    number = 0
    while (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
        number += 1
        yield line
    if len(line) == LONGEST_LINE:
        raise ValueError(
            f"{str(path)!r}, line {number + 1}: longer than the {LONGEST_LINE} bytes allowed"
        )


def _read_header(path: str | Path, line: bytes, header_type: type[H]) -> H:
    with _naming(f"{str(path)!r} is not a {header_type.KIND}"):
        return decode_header(line, header_type)


def _check_same(path: str | Path, there: FileHeader, here: FileHeader) -> None:
    if differences := there.differences(here):
        raise ValueError(
            f"{str(path)!r} is another {here.KIND} ({'; '.join(differences)}): choose another name"
        )


@contextlib.contextmanager
def _naming(place: str) -> Iterator[None]:
    """Put the place in front of every ValueError."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


# --- Writing --------------------------------------------------------------------------------------


def _lock(file: io.FileIO, wait: bool) -> bool:
    """Lock a file until it is closed; return whether it is locked now."""
    import filelock  # takes longer to import than all the rest of this room

    return filelock.lock_descriptor(file.fileno(), blocking=wait, poll_interval=0.005)


def _write(file: io.FileIO, end: int, data: bytes) -> None:
    """Add data at the end of a file, or leave the file as it was."""
    try:
        written = 0
        while written < len(data):
            written += file.write(data[written:])
    except BaseException:  # Ctrl-C too
        with contextlib.suppress(OSError):
            file.truncate(end)
        raise


def _is_new(file: io.FileIO, header: FileHeader) -> bool:
    """Whether a file holds nothing but, at most, a torn first line of this kind."""
    beginning = header_beginning(header)
    with _reading(file) as reader:
        line = reader.readline(LONGEST_LINE)
    is_ours = line.startswith(beginning) or beginning.startswith(line)
    return is_ours and not line.endswith(b"\n")


def _end_of_last_line(file: io.FileIO) -> int:
    """Return how many bytes of a file are whole lines."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return 0
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return size
    file.seek(0)
    return file.read().rfind(b"\n") + 1
