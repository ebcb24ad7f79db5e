"""Write the figures of a benchmark into `docs/speed.md`.

    tzaar-envs benchmark --json figures.json
    python docs/tools/measure_scaling.py
    python docs/tools/measure_peers.py peers.json
    python docs/tools/make_speed_page.py figures.json peers.json

A later file replaces the measures of an earlier one. Measure start-up times separately, in a
virtual environment without the peers, which make them longer.
"""

import json
import sys
from pathlib import Path
from typing import Any

from make_game_pages import table
from wrap import wrapped

from tzaar_envs import list_games
from tzaar_envs.registry import find_spec

DOCS = Path(__file__).parents[1]

MEASURES = {
    "environment": "AEC environment: `agent_iter`, `last`, `step`, checks on; moves/s",
    "state": "bare loop over a `State`: mask, observation, `apply`; moves/s",
    "vector": "`make_vec`, 1024 games, one thread; steps/s",
    "vector, 2 threads": "`make_vec`, 1024 games, two threads on two cores; steps/s",
    "single agent": "single-agent view of 1024 games against `random`; steps/s of the learner",
    "memory": "`make_vec`, memory per game with outputs; bytes",
    "playout moves": "compiled random playouts, without masks or observations; moves/s",
    "playouts": "compiled random playouts; games/s",
    "perft": "perft from the start position; leaves/s",
    "mcts": "`mcts` with random playouts, from the start position; simulations/s",
    "mcts moves": "`mcts` with random playouts; moves/s of the playouts",
    "alphabeta": "`alphabeta` from the start position; nodes/s",
    "import": "`import tzaar_envs` in a fresh process; s",
    "warm start": "fresh process to the first step, including the import; s",
    "cold start": "fresh process to the first step with an empty cache; s",
}
Entry = dict[str, Any]


def figure(entry: Entry) -> str:
    """Return a median with the lowest and the highest run."""
    digits = 2 if entry["unit"] == "s" else 0
    median, *bounds = (f"{entry[key]:,.{digits}f}" for key in ("median", "lowest", "highest"))
    return f"{median} ({' to '.join(bounds)})" if len(set(bounds)) > 1 else median


def games_table(found: dict[tuple[str, str], Entry]) -> str:
    """Return the table of the suite's games, one row per measure."""
    specs = [find_spec(name) for name in list_games()]
    rows = []
    for measure, description in MEASURES.items():
        cells = [found.get((spec.env_id, measure)) for spec in specs]
        if any(cells):
            rows.append((description, *("" if cell is None else figure(cell) for cell in cells)))
    return table(("one core, medians", *(spec.title for spec in specs)), rows)


def speedup(found: dict[tuple[str, str], Entry]) -> str:
    """Return the table of what a second thread is worth."""
    specs = [find_spec(name) for name in list_games()]
    ratios = (
        found[spec.env_id, "vector, 2 threads"]["median"] / found[spec.env_id, "vector"]["median"]
        for spec in specs
    )
    row = ("two threads, speedup over one", *(f"{ratio:.2f}" for ratio in ratios))
    return table(("", *(spec.title for spec in specs)), [row])


def peers_table(entries: list[Entry]) -> str:
    """Return the table of other suites."""
    rows = [(entry["game"], figure(entry), entry["unit"]) for entry in entries]
    return table(("peer, random legal play", "median", "unit"), rows)


def main(paths: list[str]) -> None:
    """Write the page from these JSON files."""
    contents = [json.loads(Path(path).read_text()) for path in paths]
    entries: dict[tuple[str, str], Entry] = {}
    for entry in (entry for content in contents for entry in content["measurements"]):
        entries[entry["game"], entry["measure"]] = entry
    ours = {find_spec(name).env_id: find_spec(name).title for name in list_games()}
    found = {key: entry for key, entry in entries.items() if key[0] in ours}
    # A search and a loop of the same peer differ in their names.
    peers = [entry for (game, _), entry in entries.items() if game not in ours]
    perfts = "; ".join(f"{title} {found[game, 'perft']['note']}" for game, title in ours.items())
    facts = {name: value for content in contents for name, value in content["machine"].items()}
    machine = ", ".join(f"{name} {value}" for name, value in facts.items())
    (DOCS / "speed.md").write_text(
        wrapped(f"""# Speed

Measured with `tzaar-envs benchmark --json speed.json`, for other suites with
`python docs/tools/measure_peers.py peers.json`: medians (lowest to highest) of 5 runs, of 3 for
cold starts. Start-up times were measured in a virtual environment without the peers, `make_vec`
with `copy=False`; other suites on the same machine on another day.
`python docs/tools/make_speed_page.py speed.json peers.json` writes this page.

{machine}.

{games_table(found)}

Perfts: {perfts}.

{speedup(found)}

## Over batch size and threads

![steps per second over the number of games, one and two threads](speed.png)

`python docs/tools/measure_scaling.py` draws this.

## Other suites, on the same machine

On one core. None of these suites has one of our games, so judge for yourself how comparable the
games are. `state`, `rl_environment`, PettingZoo and Pgx deliver observation and mask; OpenSpiel's
rollouts and its search bot, both C++, need neither.

{peers_table(peers)}
""")
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("use: python docs/tools/make_speed_page.py FILE.json ...")
    main(sys.argv[1:])
