"""The command `tzaar-envs serve`."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from command_line import run_cli


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_ctrl_c(number: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tzaar_envs", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        address = line.split()[4]
        with urllib.request.urlopen(address) as answer:
            assert b"/main.js" in answer.read()
        process.send_signal(number)
        output, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    assert line == f"The games are at {address} (Ctrl-C ends the server)\n"
    assert output == "\nThe server has ended.\n"
    assert process.returncode == 0


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, errors = run_cli("serve", "--port", str(port))
    assert code == 2
    assert f"127.0.0.1 port {port}: Address already in use" in errors
