"""The command `serve`: the games in a browser."""

from __future__ import annotations

import webbrowser
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tzaar_envs.cli.output import working
from tzaar_envs.cli.parameters import complete_agent
from tzaar_envs.system.extras import require_extra


def serve(
    *,
    port: Annotated[
        int, Parameter(help="Port; 0: any free one.", validator=Number(gte=0, lte=65535))
    ] = 8421,
    agent: Annotated[
        tuple[str, ...],
        Parameter(
            metavar="AGENT",
            help="Agent that the page offers beside those of each game, such as policy:PATH; can "
            "be repeated. One that starts a program must be named here.",
            completer=complete_agent,
        ),
    ] = (),
    open_page: Annotated[
        bool, Parameter(name="--open", help="Open the page in the default browser.")
    ] = False,
) -> None:
    """Play, analyse and replay the games in a browser on this machine. Ctrl-C ends the server."""
    require_extra("web", "serve", "starlette", "uvicorn", "websockets")
    with working("Loading the games"):
        from tzaar_envs.web.app import run

    def started(address: str) -> None:
        print(f"The games are at {address} (Ctrl-C ends the server)", flush=True)
        if open_page:
            webbrowser.open(address)

    run(port, agent, started)
    print("\nThe server has ended.")
