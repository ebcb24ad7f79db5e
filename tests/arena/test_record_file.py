"""Files of records: continued, shared, torn and damaged."""

from __future__ import annotations

import codecs
import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from processes import THIRD_PARTY, run_python

from tzaar_envs.arena.records import (
    FileHeader,
    GameId,
    GameRecord,
    RecordFile,
    append_records,
    read_games,
    read_records,
    write_records,
)


class Header(FileHeader, frozen=True, kw_only=True, tag="tzaar-envs test"):
    KIND: ClassVar[str] = "test file"
    INFORMATIVE: ClassVar[frozenset[str]] = frozenset({"machine"})

    format_version: Literal[3] = 3
    seed: int
    machine: str = ""


HEADER = Header(seed=1)


def record(number: int, **changes: Any) -> GameRecord:
    fields = {"seed": number, "match": GameId(0, number, 0), "agents": ["a", "b"]} | changes
    return GameRecord(game="turm_und_waechter_v0", options={}, actions=["A7-B7-1"], **fields)


RECORDS = [record(number) for number in range(4)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with RecordFile(tmp_path / "new" / "r.jsonl", HEADER) as file:
        for each in RECORDS:
            file.append(each)
    return tmp_path / "new" / "r.jsonl"


def test_it_is_read_as_it_was_written(path: Path, tmp_path: Path) -> None:
    assert read_records(path, Header) == (HEADER, RECORDS)
    assert [*read_games(path)] == RECORDS
    whole = tmp_path / "whole.jsonl"
    write_records(whole, HEADER, RECORDS)
    assert whole.read_bytes() == path.read_bytes()
    first, *lines = path.read_text().splitlines()
    assert json.loads(first) == {
        "format": "tzaar-envs test", "format_version": 3, "seed": 1, "machine": "",
    }  # fmt: skip
    assert len(lines) == 4
    assert [file.name for file in path.parent.iterdir()] == ["r.jsonl"]


def whole_lines(content: bytes, offset: int) -> int:
    """Return how many lines of a file torn there are whole; one may have lost its end alone."""
    ends = [place for place, byte in enumerate(content, start=1) if byte == ord("\n")]
    whole = sum(end <= offset for end in ends)
    return whole + (whole > 0 and offset + 1 in ends)


def test_a_file_torn_anywhere_is_continued(path: Path) -> None:
    content = path.read_bytes()
    for offset in range(len(content) + 1):
        path.write_bytes(content[:offset])
        whole = whole_lines(content, offset)
        if whole:
            assert len(read_records(path, Header)[1]) == whole - 1
        with RecordFile(path, HEADER) as file:
            assert file.records == RECORDS[: max(0, whole - 1)]
            for each in RECORDS[len(file.records) :]:
                file.append(each)
        assert path.read_bytes() == content, offset


def test_a_shared_file_torn_anywhere_is_continued(path: Path) -> None:
    content = path.read_bytes()
    for offset in range(0, len(content) + 1, 3):
        path.write_bytes(content[:offset])
        append_records(path, HEADER, [record(99)])
        header, records = read_records(path, Header)
        assert header == HEADER
        assert records == [*RECORDS[: max(0, whole_lines(content, offset) - 1)], record(99)]


CRLF = b"\r\n"
EDITS: dict[str, Callable[[bytes], bytes]] = {
    "mark": lambda content: codecs.BOM_UTF8 + content,
    "line breaks": lambda content: content.replace(b"\n", CRLF),
    "no last line break": bytes.rstrip,
    "all": lambda content: codecs.BOM_UTF8 + content.replace(b"\n", CRLF).rstrip(),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_an_editor_does_to_a_file_does_not_matter(
    edit: Callable[[bytes], bytes], path: Path
) -> None:
    path.write_bytes(edit(path.read_bytes()))
    assert read_records(path, Header) == (HEADER, RECORDS)
    assert [*read_games(path)] == RECORDS
    with RecordFile(path, HEADER) as file:
        assert file.records == RECORDS
        file.append(record(4))
    append_records(path, HEADER, [record(5)])
    assert read_records(path, Header) == (HEADER, [*RECORDS, record(4), record(5)])


def test_a_file_has_one_writer(path: Path) -> None:
    with RecordFile(path, HEADER), pytest.raises(OSError, match="another process is writing"):
        RecordFile(path, HEADER)
    RecordFile(path, HEADER).close()


def test_many_processes_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    code = f"""
import os, sys
sys.path.append({str(THIRD_PARTY.with_name("helpers"))!r})
from test_record_file import HEADER, append_records, record
first, second = os.fork(), os.fork()  # four processes
for number in range(50):
    append_records({str(path)!r}, HEADER, [record(100 * (first > 0) + 50 * (second > 0) + number)])
for child in filter(None, [first, second] if second else []):
    assert os.waitpid(child, 0)[1] == 0
"""
    run_python(code, path=Path(__file__).parent)
    _, records = read_records(path, Header)
    assert sorted(each.seed for each in records if isinstance(each.seed, int)) == [*range(200)]


def test_another_header_is_refused_with_what_differs(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"is another test file \(seed 1 there, 2 here\)"):
        RecordFile(path, Header(seed=2))
    with pytest.raises(ValueError, match=r"is another test file \(seed 1 there, 2 here\)"):
        append_records(path, Header(seed=2), [RECORDS[0]])
    assert path.read_bytes() == before
    RecordFile(path, Header(seed=1, machine="other")).close()
    assert path.read_bytes() == before


def test_a_full_disk_loses_nothing(path: Path) -> None:
    content = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) + 20, limits[1]))
    try:
        with RecordFile(path, HEADER) as file, pytest.raises(OSError, match="too large") as caught:
            file.append(record(9))
        with pytest.raises(OSError, match="too large"):
            append_records(path, HEADER, [record(9)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == content
