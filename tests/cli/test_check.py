"""The commands `check` and `new-game`."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run_cli as run

from tzaar_envs import testing
from tzaar_envs.testing import Finding


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """Return the findings that `check_game` will have."""
    found: list[Finding] = []
    monkeypatch.setattr(testing, "check_game", lambda *args, **options: found)
    return found


def test_findings_are_lines_and_the_status_tells(findings: list[Finding]) -> None:
    findings += [Finding("end", "too long", 3, (1, 2)), Finding("masks", "none is legal", 4)]
    assert run("check", "tzaar-v0") == (
        1,
        "end: too long (seed 3, actions 1, 2)\n"
        "masks: none is legal (seed 4, at the start)\n"
        "tzaar-v0: 2 findings\n",
        "",
    )


def test_a_playthrough_is_written_unless_something_is_found(
    findings: list[Finding], tmp_path: Path
) -> None:
    file = tmp_path / "playthrough.txt"
    findings.append(Finding("end", "too long"))
    assert run("check", "tzaar", "--playthrough", str(file))[0] == 1
    assert not file.exists()
    findings.clear()
    assert run("check", "tzaar", "-o", "setup=fixed", "--playthrough", str(file))[0] == 0
    assert file.read_text(encoding="utf-8").startswith("tzaar_v0 (setup=fixed)")


def test_any_environment_can_be_checked() -> None:
    assert run("check", "small_envs:CountingEnv") == (
        0,
        "small_envs:CountingEnv: no findings\n",
        "",
    )
    code, out, _ = run("check", "small_envs:HidesAnAction", "--games", "1")
    assert code == 1
    assert "legality: the mask forbids player_" in out
