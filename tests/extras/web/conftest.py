"""Tests of the page in a real browser: collected where Playwright and Chromium are installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
NEEDED = ("playwright", "starlette", "uvicorn", "websockets")
collect_ignore_glob = [] if CHROMIUM and all(map(find_spec, NEEDED)) else ["test_*.py"]

_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server."""
    from web_server import running_server

    with running_server() as server:
        yield f"{server.origin}/"
