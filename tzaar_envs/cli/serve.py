"""The command `serve`: the games in a browser."""

from __future__ import annotations

import webbrowser
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tzaar_envs.cli.output import working
from tzaar_envs.cli.parameters import complete_agent
from tzaar_envs.command_line import number
from tzaar_envs.system.extras import require_extra

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    *,
    host: Annotated[
        str,
        Parameter(
            metavar="ADDRESS",
            help="Address to listen at; with another one than the default, everybody in the "
            "network can play, and use this machine's processors.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, Parameter(help="Port; 0: any free one.", validator=Number(gte=0, lte=65535))
    ] = 8421,
    origin: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="ORIGIN",
            help="Further address of the page, such as https://games.example.org behind a proxy; "
            "can be repeated.",
        ),
    ] = (),
    agent: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="AGENT",
            help="Agent that browsers may choose although it names a file, such as policy:PATH; "
            "can be repeated.",
            completer=complete_agent,
        ),
    ] = (),
    seconds: Annotated[
        float,
        Parameter(
            help="How long an agent may think about a move, and an analysis may last.",
            validator=Number(gt=0, lte=3600),
        ),
    ] = 30.0,
    simulations: Annotated[int, number("Most simulations for a move.", 1)] = 100_000,
    depth: Annotated[int, number("Most plies that an agent looks ahead.", 1)] = 8,
    processes: Annotated[
        int, number("Processes that look for moves, and as many again that analyse.", 1)
    ] = 2,
    browsers: Annotated[int, number("Most browsers at the same time.", 1)] = 16,
    games: Annotated[int, number("Most games that are kept.", 1)] = 64,
    open_page: Annotated[
        bool, Parameter(name="--open", help="Open the page in the default browser.")
    ] = False,
) -> None:
    """Play, analyse and replay the games in a browser. Ctrl-C ends the server."""
    require_extra("web", "serve", "starlette", "uvicorn", "websockets")
    with working("Loading the games"):
        from tzaar_envs.web.app import run
        from tzaar_envs.web.limits import Limits

    def started(address: str) -> None:
        print(f"The games are at {address} (Ctrl-C ends the server)", flush=True)
        if host not in _LOOPBACK:
            print("Everybody who can reach this address can play there.", flush=True)
        if open_page:
            webbrowser.open(address)

    limits = Limits(
        browsers=browsers,
        games=games,
        simulations=simulations,
        depth=depth,
        seconds=seconds,
        processes=processes,
    )
    run(host, port, limits, agent, origin, started)
    print("\nThe server has ended.")
