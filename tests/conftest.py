"""Settings of the whole test suite."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Small networks on several threads mostly wait for each other; read when PyTorch is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Until all tests are collected, see `pytest_collection_finish`: what is made until then stays.
gc.disable()

# Windows open on no screen.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

# Bytecode is kept, though images for containers often say otherwise: to compile all modules again
# takes longer than most tests that start a process.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Shells start background jobs with Ctrl-C ignored, and nohup ignores SIGHUP: all processes of a
# test would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# `python -m pytest` puts the current folder first. In a source distribution `tzaar_envs` is only a
# part of the package there, and what counts is what is installed.
ROOT = Path(__file__).parents[1]
IS_CHECKOUT = (ROOT / "tzaar_envs" / "rulebook").exists()
if not IS_CHECKOUT:
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT]

# Helpers whose assertions show what they compared, as those of the tests do.
pytest.register_assert_rewrite(
    "aec",
    "distributions",
    "training_runs",
    *(
        f"games.{folder.name}.texts"
        for folder in (Path(__file__).parent / "games").iterdir()
        if (folder / "texts.py").exists()
    ),
)

# The tests are about our games, whatever others are installed.
import tzaar_envs.registry  # noqa: E402

tzaar_envs.registry._plugins_loaded = True

# The same examples in every run, and no time limits: a busy machine must not fail a test.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def _children_use_what_is_installed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Leave the folder of a source distribution, which Python in a child process puts first."""
    if not IS_CHECKOUT:
        os.chdir(tmp_path_factory.mktemp("current"))


@pytest.fixture
def shared_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batches share every task among their threads, however few rows there are."""
    monkeypatch.setattr("tzaar_envs.jit.arrays.MIN_ROWS", 1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of these marks unless `-m` says which tests to run."""
    if config.option.markexpr:
        return
    marks = ("slow", "fuzz", "compiler", "gpu")
    others = [item for item in items if any(map(item.get_closest_marker, marks))]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse tests that compile a game while they are collected: all processes would wait for it.

    From here on garbage is collected, but not among what the collected tests consist of: to look
    through a million objects took a twentieth of the time of all tests.

    Raises:
        pytest.UsageError: says what was compiled or loaded.
    """
    gc.freeze()
    gc.enable()
    module = sys.modules.get("tzaar_envs.jit.compile")
    names = sorted(name for name, _ in module._compiled_here) if module else []
    if names:
        raise pytest.UsageError(
            f"{', '.join(names)} compiled before the first test: see tests/README.md"
        )
