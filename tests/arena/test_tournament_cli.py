"""The commands `tournament` and `rate`, from outside."""

from pathlib import Path

import pytest
from command_line import run_cli


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(words: str) -> tuple[int, str, str]:
    return run_cli(*words.split())


TOURNAMENT = "tournament twenty_one random greedy optimal-solo --games 8 --seed 1"


def test_a_tournament_is_reported_and_continued() -> None:
    code, out, err = run(f"{TOURNAMENT} --report report.html --opening-plies 2")
    assert (code, err) == (0, "")
    assert "twenty_one_v0 (players=2, deal=fixed, sheets=standard): 3 agents, 24 games" in out
    assert "The report is in report.html" in out
    assert "The results are in twenty_one-tournament.jsonl" in out
    assert "greedy" in Path("report.html").read_text()
    before = Path("twenty_one-tournament.jsonl").read_bytes()
    code, again, _ = run(f"{TOURNAMENT} --opening-plies 2")
    assert code == 0
    assert again.splitlines()[:12] == out.splitlines()[:12]
    assert Path("twenty_one-tournament.jsonl").read_bytes() == before


def test_the_command_of_a_report_plays_the_same_games() -> None:
    words = "tournament twenty_one random greedy --games 4 --seed 1 -o deal=random --sprt 0 50"
    code, out, _ = run(f"{words} --out one.jsonl")
    assert code == 0
    [command] = [line for line in out.splitlines() if line.startswith("tzaar-envs tournament")]
    code, _, err = run(command.removeprefix("tzaar-envs ") + " --out other.jsonl")
    assert (code, err) == (0, "")
    one, other = (Path(f"{name}.jsonl").read_text().splitlines() for name in ("one", "other"))
    assert sorted(one) == sorted(other)


def test_rate_reads_files_and_takes_luck_away() -> None:
    code, out, err = run(f"{TOURNAMENT} --out one.jsonl --opening-plies 2 --luck reference")
    assert (code, err) == (0, "")
    assert "Elo without luck" in out
    code, again, _ = run("rate one.jsonl --luck reference")
    assert code == 0
    assert again.splitlines()[:10] == out.splitlines()[:10]
    run("tournament twenty_one random greedy --games 8 --seed 2 --out two.jsonl")
    code, out, err = run("rate one.jsonl two.jsonl --anchor random --report report.md")
    assert (code, err) == (0, "")
    assert "3 agents, 32 games" in out
    assert "random is 0" in out
    assert "luck" not in out
    assert Path("report.md").read_text().startswith("# twenty")
