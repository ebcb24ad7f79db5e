"""The command `engine`: an agent as an engine for other programs."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from tzaar_envs.arguments.parameters import GameName, GameOptions, complete_agent, game_of


def engine(
    name: GameName,
    /,
    *,
    agent: Annotated[
        str,
        Parameter(
            metavar="AGENT",
            help="Agent that plays, see `tzaar-envs info GAME`.",
            completer=complete_agent,
        ),
    ] = "mcts",
    option: GameOptions = (),
) -> None:
    """Speak the engine protocol, so that other programs can ask an agent for moves.

    It reads commands from the standard input; docs/engines.md describes them.
    """
    from tzaar_envs.agents.engine_server import EngineServer
    from tzaar_envs.registry import find_spec

    server = EngineServer(game_of(find_spec(name), option), agent, _print)
    sys.stdin.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    server.serve(sys.stdin)


def _print(line: str) -> None:
    print(line, flush=True)
