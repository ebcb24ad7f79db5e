"""CPU quotas of containers."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tzaar_envs.jit import row_threads
from tzaar_envs.jit.cpu_quota import cpu_quota
from tzaar_envs.jit.threads import usable_cores


@pytest.mark.parametrize(
    ("groups", "files", "cores"),
    [
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
        ("0::/\n", {}, math.inf),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "50000 100000\n"}, 0.5),
        ("0::/a/b\n", {"a/b/cpu.max": "200000 100000\n", "a/cpu.max": "400000 100000\n"}, 2.0),
        ("0::/host/group\n", {"cpu.max": "300000 100000\n"}, 3.0),  # seen from in a container
        ("0::/../other\n", {"cpu.max": "300000 100000\n"}, 3.0),
        ("1:name=systemd:/\n0::/\n", {"unified/cpu.max": "100000 100000\n"}, 1.0),
        ("2:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, math.inf),
        (
            "5:memory:/m\n2:cpu,cpuacct:/a\n",
            {"cpu,cpuacct/a/cpu.cfs_quota_us": "25000", "cpu,cpuacct/a/cpu.cfs_period_us": "50000"},
            0.5,
        ),
        (
            "2:cpu,cpuacct:/docker/x\n",
            {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "50000"},
            2.0,
        ),
        ("2:cpu:/\n", {"cpu/cpu.cfs_quota_us": "100000"}, math.inf),
        ("2:cpu:/\n", {"cpu/cpu.cfs_quota_us": "9", "cpu/cpu.cfs_period_us": "0"}, math.inf),
        ("0::/\n", {"cpu.max": "plenty\n"}, math.inf),
        ("0::/\n", {"cpu.max": "\xff\n"}, math.inf),
        ("", {"cpu.max": "100000 100000\n"}, math.inf),
    ],
)
def test_the_smallest_quota_counts(
    groups: str, files: dict[str, str], cores: float, tmp_path: Path
) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for name, content in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="latin-1")
    assert cpu_quota(tmp_path) == cores


def test_systems_without_control_groups_have_no_quota(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path) == math.inf


@pytest.mark.parametrize(("quota", "cores"), [(math.inf, 4), (2.5, 2), (0.5, 1), (16.0, 4)])
def test_only_whole_cores_are_used(
    quota: float, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a core would make the threads wait for each other most of the time."""
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(4)), raising=False)
    monkeypatch.setattr(row_threads, "cpu_quota", lambda: quota)
    assert usable_cores() == cores
