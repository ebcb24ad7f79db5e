"""What the compliance kit, which runs PettingZoo's own test too, finds in others' environments.

    pip install -c .ci/constraints.txt "pettingzoo[classic]" mpe2 shimmy open_spiel
    python docs/tools/check_others.py                 # all, as a Markdown table; takes minutes
    python docs/tools/check_others.py classic/go mpe  # those whose names begin so

The table in docs/findings.md sums up what it prints. Nothing of it is part of a test run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tzaar_envs.testing import check_env

GAMES = 2
SPIELS = (
    *("backgammon", "goofspiel", "hex", "kuhn_poker"),
    *("leduc_poker", "liars_dice", "oware", "tic_tac_toe"),
)

Make = Callable[[], Any]


def environments() -> Iterator[tuple[str, Make]]:
    """Yield the environments of PettingZoo Classic, MPE2 and Shimmy, by name."""
    from mpe2.all_modules import mpe_environments
    from pettingzoo.classic.all_modules import classic_environments
    from shimmy import OpenSpielCompatibilityV0

    for name, module in classic_environments.items():
        yield name, module.env
    for name, module in mpe_environments.items():
        yield name, module.env
        yield f"{name} (parallel)", module.parallel_env
    for game in SPIELS:
        yield f"shimmy/{game}", partial(OpenSpielCompatibilityV0, game_name=game)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="how names begin; all without any")
    wanted = tuple(parser.parse_args().names) or ("",)
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    print("| environment | what `check_env` finds |\n|---|---|")
    for name, make in environments():
        if not name.startswith(wanted):
            continue
        findings = check_env(make, episodes=GAMES)
        told = "; ".join(f"`{each.check}`: {each.sentence[:160]}" for each in findings)
        print(f"| {name} | {told or 'nothing'} |", flush=True)


if __name__ == "__main__":
    main()
