"""The command line `tzaar-envs`: thin, and quick to start since commands import what they need."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

import tzaar_envs
from tzaar_envs.arguments import choice_reader, number_reader
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.extras import require_extra

if TYPE_CHECKING:
    from tzaar_envs.arena import Sprt, Standings
    from tzaar_envs.core.game import Game
    from tzaar_envs.saved_game import SavedGame

DISTRIBUTION = "tzaar-envs"
TRACEBACK_VARIABLE = "TZAAR_ENVS_TRACEBACK"

# What the library raises for wrong input; anything else is a bug and keeps its traceback.
_ERRORS = (ValueError, OSError, ModuleNotFoundError)
# Words that do not fit a command. Its module differs between releases of typer.
_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
_PIPE_WIDTH = 100
_EXIT_ERROR = 2
_EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class _Commands(TyperGroup):
    """The commands: errors of the library become one line, and `train` is loaded when it is run."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; print an error of the library as one line."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output has gone, typer ends quietly
        except _USAGE_ERROR as error:
            command = getattr(getattr(error, "ctx", None), "command_path", ctx.command_path)
            text = error.format_message().rstrip(".")
            _print_error(f"{text} (see {command} --help)")
            raise typer.Exit(_EXIT_ERROR) from error
        except _ERRORS as error:
            if ctx.params.get("traceback"):
                raise
            _print_error(_sentence(error))
            raise typer.Exit(_EXIT_ERROR) from error

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; the options of `train` come from the training script."""
        name, command, rest = super().resolve_command(ctx, args)
        if name == "train":
            command, rest = _load_train_command(rest)
        return name, command, rest


app = typer.Typer(
    name="tzaar-envs",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _number(flag: str, minimum: int, **settings: Any) -> Any:
    return typer.Option(flag, parser=number_reader(flag, int, minimum), metavar="N", **settings)


MatchSeed = Annotated[int, _number("--seed", 0, help="Fixes all games.")]
Workers = Annotated[int, _number("--workers", 1, help="Processes; they do not change the games.")]
OpeningPlies = Annotated[
    int, _number("--opening-plies", 0, help="Random plies before the agents take over.")
]


GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game, see `tzaar-envs list`.")]
PolicyPath = Annotated[Path, typer.Argument(metavar="POLICY", help="The file of a saved policy.")]
GameOptions = Annotated[
    list[str],
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the game, see `tzaar-envs info GAME`; can be repeated.",
    ),
]


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shall not end a game.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"{DISTRIBUTION} {tzaar_envs.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option("--traceback", envvar=TRACEBACK_VARIABLE, help="Show where errors come from."),
    ] = False,
) -> None:
    """Modern board games as PettingZoo environments: look, play, evaluate, train."""


# --- list and info --------------------------------------------------------------------------------


@app.command("list")
def list_command() -> None:
    """List the games."""
    from tzaar_envs.registry import find_spec

    specs = [find_spec(name) for name in tzaar_envs.list_games()]
    rows = []
    for spec in specs:
        game = _game(spec, [])
        rows.append(
            (
                spec.env_id,
                str(game.num_players),
                str(game.num_actions),
                _shape(game.observation_shape),
                str(game.max_plies),
                ", ".join(option.name for option in spec.options) or "none",
            )
        )
    columns = ("environment", "seats", "actions", "observation", "plies", "options")
    console = _console()
    console.print(_table(columns, rows, right=("seats", "actions", "plies")))
    console.print()
    for spec in specs:
        line = Text.assemble((spec.title, "bold"), f" ({spec.name}): {spec.summary}")
        console.print(line, soft_wrap=not console.is_terminal)
    console.print("\nPlies are those of the longest game. More: tzaar-envs info GAME")


@app.command()
def info(name: GameName, option: GameOptions = []) -> None:  # noqa: B006
    """Show everything about a game: options, actions, observation, agents."""
    from tzaar_envs.agents import agent_forms
    from tzaar_envs.arena.ladder import published_ratings
    from tzaar_envs.core.base_env import ENV_OPTIONS
    from tzaar_envs.registry import find_spec

    spec = find_spec(name)
    game = _game(spec, option)
    seats = game.layout.seat_names
    console = _console()
    console.print(Text.assemble((spec.title, "bold"), f"  {spec.env_id}"))
    console.print(spec.summary)
    console.print()
    facts = [
        ("seats", ", ".join(f"{seat} {seat_name}" for seat, seat_name in enumerate(seats))),
        ("longest game", f"{game.max_plies} plies"),
        ("chance", "yes" if spec.chance else "no"),
        ("hidden information", "yes" if spec.hidden_information else "no"),
        ("simultaneous choices", "yes" if spec.simultaneous else "no"),
        ("points", _points(spec)),
        ("options here", _assignments(game.options) or "the game has none"),
    ]
    console.print(_table(None, facts))
    option_columns = ("name", "default", "allowed", "meaning")
    if spec.options:
        _print_section(console, "Options of the game", option_columns, _option_rows(spec.options))
    _print_section(console, "Options of the environment", option_columns, _option_rows(ENV_OPTIONS))
    _print_section(
        console,
        f"Actions: Discrete({game.num_actions})",
        ("block", "numbers", "meaning"),
        _action_rows(game),
    )
    _print_section(
        console,
        f"Observation: int8 {_shape(game.observation_shape)}",
        ("plane" if game.layout.board_shape else "number", "name", "values", "meaning"),
        [
            (numbers, plane.name, f"0-{plane.high}", plane.meaning)
            for numbers, plane in game.layout.numbered_planes()
        ],
    )
    _print_section(console, "Agents", ("name", "meaning"), agent_forms(spec).items())
    if ratings := published_ratings(spec):
        _print_section(
            console,
            "Ladder: what agents have reached, in Elo with 95 % intervals",
            ("agent", "Elo", "95 %"),
            [(agent, f"{elo:+.0f}", f"± {half:.0f}") for agent, (elo, half) in ratings.items()],
        )


def _points(spec: GameSpec) -> str:
    if spec.score_unit is None:
        return "no"
    return f"yes; with reward='score' a lead of {spec.score_unit:g} points is a reward of 1"


def _option_rows(options: Iterable[Option]) -> Iterator[tuple[str, ...]]:
    for option in options:
        yield option.name, repr(option.default), option.allowed, option.meaning


def _action_rows(game: Game) -> Iterator[tuple[str, ...]]:
    first = 0
    for block in game.layout.actions:
        last = first + game.layout.block_size(block) - 1
        yield block.name, f"{first}-{last}" if last > first else str(first), block.meaning
        first = last + 1


# --- play -----------------------------------------------------------------------------------------


@app.command()
def play(
    name: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game, see `tzaar-envs list`.")
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="Who takes the other seats.", show_default="greedy"),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(
            help="Your seat: its number or name, several with commas, random, or all.",
            show_default="0",
        ),
    ] = None,
    option: GameOptions = [],  # noqa: B006
    seed: Annotated[
        int | None, _number("--seed", 0, help="Fixes all chance and the agents' choices.")
    ] = None,
    position: Annotated[
        str | None, typer.Option(help="Start from this position, in the game's notation.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on with a saved game.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the game is kept, after every move."),
    ] = None,
) -> None:
    """Play a game against an agent, in the terminal.

    Moves are entered in notation; `help` lists the commands. The game is kept after every move.
    """
    with _working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.play import Session, new_file
        from tzaar_envs.saved_game import SavedGame

        if resume is not None:
            start_only = {"--seat": seat, "--seed": seed, "--position": position}
            _check_resume(start_only | {"--option": option or None})
            saved = SavedGame.load(resume)
            _check_same_game(name, saved, resume)
            saved.opponent = opponent or saved.opponent
        else:
            saved = _new_game(name, option, seat, seed, position, opponent or "greedy")
        path = save or resume or new_file(saved.game)
        session = Session(saved, path, _ask, print, _has_colours())
    if save is not None and not (resume and save.exists() and save.samefile(resume)):
        if save.exists():
            raise ValueError(
                f"--save {str(save)!r} exists already: choose another name, or go on with "
                f"--resume {str(save)!r} if it is a game"
            )
        saved.save(save, session.state)
    if not session.run():
        raise typer.Exit(_EXIT_INTERRUPTED)


def _new_game(
    name: str | None,
    options: list[str],
    seat: str | None,
    seed: int | None,
    position: str | None,
    opponent: str,
) -> SavedGame:
    import secrets

    from tzaar_envs.registry import find_spec
    from tzaar_envs.saved_game import SavedGame

    if name is None:
        games = ", ".join(tzaar_envs.list_games())
        raise ValueError(f"play needs a game, or --resume FILE: the games are {games}")
    game = _game(find_spec(name), options)
    if seed is None:
        seed = secrets.randbelow(2**32)
    seats = _parse_seats(seat or "0", game.layout.seat_names)
    return SavedGame(game, seed, position, opponent, seats)


def _parse_seats(text: str, names: Sequence[str]) -> tuple[int, ...]:
    """Return the seats that a text means: numbers, names, `random` or `all`."""
    import secrets

    if text.casefold() == "all":
        return tuple(range(len(names)))
    if text.casefold() == "random":
        return (secrets.randbelow(len(names)),)
    words = {str(seat): seat for seat in range(len(names))}
    words |= {name.casefold(): seat for seat, name in enumerate(names)}
    seats = set()
    for part in text.split(","):
        if part.strip().casefold() not in words:
            allowed = ", ".join(f"{seat} or {name}" for seat, name in enumerate(names))
            raise ValueError(f"--seat {part.strip()!r} is no seat: use {allowed}, random or all")
        seats.add(words[part.strip().casefold()])
    return tuple(sorted(seats))


def _check_resume(given: dict[str, Any]) -> None:
    for flag, value in given.items():
        if value is not None:
            raise ValueError(f"{flag} cannot be given with --resume: the saved game has its own")


def _check_same_game(name: str | None, saved: SavedGame, path: Path) -> None:
    from tzaar_envs.registry import find_spec

    if name is not None and find_spec(name) != saved.game.spec:
        raise ValueError(f"{str(path)!r} is a game of {saved.game.name}, not of {name}")


def _ask(prompt: str) -> str:
    """Return a line from the terminal, with editing; from a pipe, with the line in the output."""
    if sys.stdin.isatty():
        with suppress(ImportError):  # not on Windows
            import readline  # noqa: F401  # input() then has editing and a history
        return input(prompt)
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(line.rstrip("\n"))
    return line


# --- evaluate -------------------------------------------------------------------------------------


@app.command()
def evaluate(
    name: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT", help="One for each seat, see `tzaar-envs info GAME`."),
    ],
    games: Annotated[
        int | None,
        _number("--games", 1, help="A multiple of the seats.", show_default="100 for each seat"),
    ] = None,
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 0,
    option: GameOptions = [],  # noqa: B006
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole result to this file.")
    ] = None,
) -> None:
    """Let agents play a match, every start once in each rotation of the seats.

    Ctrl-C ends the match; what is finished then is reported and written.
    """
    if json is not None and json.exists():
        raise ValueError(f"--json {str(json)!r} exists already: choose another name")
    with _working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.arena import match_progress, match_report, play_match
        from tzaar_envs.registry import find_spec

        game = _game(find_spec(name), option)
        game.implementation  # noqa: B018  # loaded here
    errors = Console(stderr=True)
    shown = match_progress(errors) if errors.is_terminal else nullcontext()
    with shown as progress:
        try:
            result = play_match(
                game,
                agents,
                games if games is not None else 100 * game.num_players,
                seed=seed,
                workers=workers,
                opening_plies=opening_plies,
                progress=progress,
            )
        except RuntimeError as error:  # says that a worker process died, and what to do
            raise ChildProcessError(str(error)) from error
    _console().print(match_report(result))
    if json is not None:
        print(f"The result is in {result.save(json)}")
    if result.interrupted:
        raise typer.Exit(_EXIT_INTERRUPTED)


# --- tournament and rate --------------------------------------------------------------------------


@app.command()
def tournament(
    name: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT", help="As many as there are seats, or more; see `tzaar-envs info GAME`."
        ),
    ],
    games: Annotated[
        int | None,
        _number(
            "--games",
            1,
            help="For each line-up, at most: a multiple of the seats.",
            show_default="50 for each seat",
        ),
    ] = None,
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 0,
    book: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start from these positions, one on each line."),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1", help="End a pairing when its test has decided between the two."
        ),
    ] = None,
    move_seconds: Annotated[
        float | None,
        typer.Option(
            "--move-seconds",
            parser=number_reader("--move-seconds", float),
            metavar="NUMBER",
            help="Who takes longer for a move loses the game.",
        ),
    ] = None,
    option: GameOptions = [],  # noqa: B006
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The results file; if it exists, go on with it.",
            show_default="GAME-tournament.jsonl",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report: FILE.md or FILE.html.")
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Play on Ray (needs the extra ray).")] = False,
) -> None:
    """Let every combination of agents play, and rate them.

    Ctrl-C loses nothing that is finished: the same command goes on with its results file.
    """
    with _working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.arena import match_progress, play_tournament, read_standings, write_report
        from tzaar_envs.arena.tournament_report import check_report_path
        from tzaar_envs.registry import find_spec

        game = _game(find_spec(name), option)
        if report is not None:
            check_report_path(report)
        test = None if sprt is None else _parse_sprt(sprt)
        game.implementation  # noqa: B018  # loaded here
    errors = Console(stderr=True)
    shown = match_progress(errors) if errors.is_terminal else nullcontext()
    with shown as progress:
        try:
            result = play_tournament(
                game,
                agents,
                out or Path(f"{game.name}-tournament.jsonl"),
                games if games is not None else 50 * game.num_players,
                seed=seed,
                workers=workers,
                opening_plies=opening_plies,
                book=book,
                sprt=test,
                move_seconds=move_seconds,
                ray=ray,
                progress=progress,
            )
        except RuntimeError as error:  # says that worker processes died, and what to do
            raise ChildProcessError(str(error)) from error
    standings = read_standings([result.path])
    _print_standings(standings)
    if report is not None:
        write_report(report, standings)
        print(f"The report is in {report}")
    print(f"The results are in {result.path}")
    if result.interrupted:
        print("Interrupted; the same command goes on from there")
        raise typer.Exit(_EXIT_INTERRUPTED)


@app.command("rate")
def rate_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Results files of the same game.")
    ],
    anchor: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help="Whose rating is 0.", show_default="the mean of all is 0"
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the ratings to this PNG file.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report: FILE.md or FILE.html.")
    ] = None,
) -> None:
    """Rate the agents of results files of `tournament`."""
    if plot is not None:
        require_extra("sb3", "the plot", "matplotlib")
    from tzaar_envs.arena import draw_ratings, read_standings, write_report
    from tzaar_envs.arena.tournament_report import check_report_path, report_title

    if report is not None:
        check_report_path(report)
    standings = read_standings(files, anchor)
    _print_standings(standings)
    if plot is not None:
        draw_ratings(plot, standings.ratings, report_title(standings))
        print(f"The plot is in {plot}")
    if report is not None:
        write_report(report, standings)
        print(f"The report is in {report}")


def _print_standings(standings: Standings) -> None:
    from tzaar_envs.arena import for_terminal, tournament_report

    _console().print(for_terminal(tournament_report(standings)))


def _parse_sprt(text: str) -> Sprt:
    from tzaar_envs.arena import Sprt

    try:
        elo0, elo1 = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--sprt {text!r} is not allowed: use ELO0,ELO1, such as 0,20") from None
    return Sprt(elo0, elo1)


# --- card, measure and export ---------------------------------------------------------------------


@app.command("card")
def card_command(
    path: PolicyPath,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the card to this file.")
    ] = None,
) -> None:
    """Show what a saved policy is: its game, its network, how it was trained, what it reaches."""
    if json is not None and json.exists():
        raise ValueError(f"--json {str(json)!r} exists already: choose another name")
    from tzaar_envs.agents.policy_file import read_card

    card = read_card(path)
    _print_card(path, card)
    if json is not None:
        import json as json_format

        from tzaar_envs.core.files import write_atomically

        write_atomically(json, json_format.dumps(card, indent=2) + "\n")
        print(f"The card is in {json}")


@app.command()
def measure(
    path: PolicyPath,
    against: Annotated[
        list[str], typer.Option(metavar="AGENT", help="A baseline; can be repeated.")
    ] = ["random", "greedy"],  # noqa: B006
    games: Annotated[
        int | None,
        _number(
            "--games",
            1,
            help="Against each baseline: a multiple of the seats.",
            show_default="250 for each seat",
        ),
    ] = None,
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 2,
) -> None:
    """Let a saved policy play against baselines, and write what it reaches on its card.

    Ctrl-C loses nothing that is finished: each result is written after its match.
    """
    with _working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.agents.policy_file import read_card
        from tzaar_envs.arena import match_progress
        from tzaar_envs.arena.measure_policy import measure_policy

        card = read_card(path)
        game = tzaar_envs.load_game(card["game"], **card["options"])
        game.implementation  # noqa: B018  # loaded here
    errors = Console(stderr=True)
    shown = match_progress(errors) if errors.is_terminal else nullcontext()
    with shown as progress:
        try:
            measure_policy(
                path,
                game,
                against,
                games if games is not None else 250 * game.num_players,
                seed=seed,
                workers=workers,
                opening_plies=opening_plies,
                progress=progress,
            )
        except RuntimeError as error:  # says that a worker process died, and what to do
            raise ChildProcessError(str(error)) from error
    _print_card(path, read_card(path))
    print(f"The results are on the card of {path}")


@app.command()
def export(
    path: PolicyPath,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT.onnx", help="The file to write.")],
    positions: Annotated[
        int, _number("--positions", 1, help="On how many positions to compare both.")
    ] = 256,
) -> None:
    """Write a saved policy in the ONNX format, checked to play as the policy does."""
    if output.exists():
        raise ValueError(f"{str(output)!r} exists already: choose another name")
    require_extra("sb3", "the export", "torch", "safetensors")
    with _working("Exporting"):
        from tzaar_envs.agents.onnx_export import export_policy
        from tzaar_envs.agents.policy_file import read_card

        card = read_card(path)
        game = tzaar_envs.load_game(card["game"], **card["options"])
        agreement = export_policy(path, output, game, positions)
    print(
        f"On {agreement.positions} positions of random games logits and values differ by "
        f"{agreement.largest_difference:.1g} at most; the likeliest action is the same in "
        f"{agreement.same_actions}"
    )
    print(f"The policy is in {output}")


def _print_card(path: Path, card: dict[str, Any]) -> None:
    from tzaar_envs.agents.policy_card import shape_in_words

    console = _console()
    console.print(Text(str(path), "bold"))
    numberings = {
        entry: f"{shape_in_words(card[entry])}, version {card[entry]['version']}"
        for entry in ("observation", "actions")
    }
    network = {name: card["network"].get(name) for name in ("width", "blocks")}
    facts = [
        ("game", f"{card['game']}_v{card['version']}"),
        ("options", _assignments(card["options"]) or "the game has none"),
        *numberings.items(),
        ("network", _assignments(network)),
        *((name, _fact(value)) for name, value in card["training"].items()),
    ]
    console.print(_table(None, facts))
    if card["measured"]:
        _print_section(
            console,
            "Measured, with 95 % intervals",
            ("against", "games", "won", "drawn", "lost", "Elo above it", "95 %"),
            [_measured_row(baseline, found) for baseline, found in card["measured"].items()],
        )


def _measured_row(baseline: str, found: dict[str, Any]) -> tuple[str, ...]:
    counts = (str(found[name]) for name in ("games", "wins", "draws", "losses"))
    low, high = found["interval"]
    return baseline, *counts, f"{found['elo']:+}", f"{low:+} to {high:+}"


def _fact(value: Any) -> str:
    return _assignments(value) if isinstance(value, dict) else str(value)


# --- benchmark ------------------------------------------------------------------------------------


@app.command()
def benchmark(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="GAME", help="Which games; all if none is given.")
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure other suites too, those that are installed.")
    ] = False,
    training: Annotated[
        bool,
        typer.Option(
            "--training", help="Measure MaskablePPO too, beside a game that does nothing."
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw steps/s over batch size and threads to this PNG file."
        ),
    ] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole result to this file.")
    ] = None,
) -> None:
    """Measure how fast the games are on this machine; a minute for each."""
    from tzaar_envs.registry import find_spec

    for option, path in (("--json", json), ("--plot", plot)):
        if path is not None and path.exists():
            raise ValueError(f"{option} {str(path)!r} exists already: choose another name")
    if plot is not None:
        require_extra("sb3", "the plot", "matplotlib")
    if training:
        require_extra("sb3", "the training", "torch", "sb3_contrib")
    specs = [find_spec(name) for name in names or tzaar_envs.list_games()]
    with _working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.benchmark import as_json, environment, run_benchmark
        from tzaar_envs.benchmark.peers import PACKAGES, measure_peers
        from tzaar_envs.benchmark.scaling import draw_scaling, measure_scaling

    packages = PACKAGES if peers else ()
    console = _console()
    console.print(", ".join(f"{name} {value}" for name, value in environment(*packages).items()))
    measurements = []
    for spec in specs:
        with _working(f"Measuring {spec.env_id}"):
            measurements += list(run_benchmark(_game(spec, [])))
    if training:
        from tzaar_envs.benchmark.training import measure_training

        for spec in specs:
            with _working(f"Measuring training on {spec.env_id}"):
                measurements += list(measure_training(_game(spec, [])))
    if peers:
        with _working("Measuring other suites"):
            measurements += list(measure_peers())
    rows = [
        (
            entry.game,
            entry.measure,
            f"{entry.median:,.{2 if entry.unit == 's' else 0}f}",
            f"{entry.lowest:,.{2 if entry.unit == 's' else 0}f} - "
            f"{entry.highest:,.{2 if entry.unit == 's' else 0}f}",
            entry.unit,
            entry.note,
        )
        for entry in measurements
    ]
    columns = ("game", "measure", "median", "spread", "unit", "note")
    console.print(_table(columns, rows, right=("median", "spread")))
    console.print(
        "One core, but for 2 threads; medians and spread of 5 runs, of 3 for the cold start."
    )
    if plot is not None:
        for spec in specs:
            with _working(f"Measuring {spec.env_id} over batch size and threads"):
                measurements += list(measure_scaling(_game(spec, [])))
        draw_scaling(plot, measurements)
        print(f"The plot is in {plot}")
    if json is not None:
        import json as json_format

        from tzaar_envs.core.files import write_atomically

        content = json_format.dumps(as_json(measurements, *packages), indent=2) + "\n"
        write_atomically(json, content)
        print(f"The result is in {json}")


# --- train ----------------------------------------------------------------------------------------


@app.command()
def train() -> None:
    """Train a policy, with MaskablePPO or what `--algo` names (needs the extra sb3)."""
    # Only for the list of commands: resolve_command puts a training script in its place.


def _load_train_command(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that a training script describes, and the words for it."""
    from tzaar_envs.training.algorithms import ALGORITHMS
    from tzaar_envs.training.command import training_command

    chosen, words = _take_word("--algo", words)
    resumed, _ = _take_word("--resume", words)
    name = chosen
    if name is None and resumed:
        name = _algorithm_of_run(Path(resumed))
    if name is None:
        name = next(iter(ALGORITHMS))
    choice_reader("--algo", tuple(ALGORITHMS))(name)
    script = importlib.import_module(ALGORITHMS[name].module)
    others = "\n\n".join(
        f"--algo {algorithm.name}: {algorithm.meaning}" for algorithm in ALGORITHMS.values()
    )
    epilog = f"These are the options of --algo {name}. There are\n\n{others}"
    return training_command(script.Arguments, script.train, words, epilog), words


def _take_word(flag: str, words: list[str]) -> tuple[str | None, list[str]]:
    """Return what follows a flag, None without it, and the other words."""
    for index, word in enumerate(words):
        found, equals, value = word.partition("=")
        if found == flag:
            after = index + 1 if equals else index + 2
            given = value if equals else "".join(words[index + 1 : after])
            return given, words[:index] + words[after:]
    return None, words


def _algorithm_of_run(folder: Path) -> str | None:
    """Return which script has made a run; None if that cannot be read, the script says why."""
    import json

    try:
        name = json.loads((folder / "config.json").read_text(encoding="utf-8"))["algorithm"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return name if isinstance(name, str) else None


# --- Shared by the commands -----------------------------------------------------------------------


def _game(spec: GameSpec, texts: list[str]) -> Game:
    """Return the game with options given as `name=value`."""
    from tzaar_envs.core.game import Game

    return Game(spec, **spec.parse_options(texts))


def _sentence(error: BaseException) -> str:
    """Return an error of the library as one sentence for people."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        extra = _extra_of(error.name.partition(".")[0])
        if extra:
            return (
                f"this needs {error.name!r}, which is in the extra {extra!r}: "
                f'pip install "{DISTRIBUTION}[{extra}]"'
            )
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _extra_of(module: str) -> str | None:
    """Return the extra that installs a module, read from the package's own metadata."""
    try:
        requirements = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for requirement in requirements:
        package, _, marker = requirement.partition(";")
        name = package.replace("-", "_").strip()
        if (
            "extra ==" in marker
            and name.startswith(module)
            and not name[len(module) :][:1].isalnum()
        ):
            return marker.partition("extra ==")[2].strip().strip("\"'")
    return None


def _print_error(text: str) -> None:
    line = Text.assemble(("error:", "bold red"), f" {text}")
    Console(stderr=True, soft_wrap=True).print(line, highlight=False)


def _console() -> Console:
    """Return the console for tables; into a file or a pipe they are a little wider."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console


def _has_colours() -> bool:
    console = Console()
    return console.color_system is not None and not console.no_color


@contextmanager
def _working(text: str) -> Iterator[None]:
    """Show on a terminal that something takes a while."""
    console = Console(stderr=True)
    if console.is_terminal and not os.environ.get("CI"):
        with console.status(Text(text)):
            yield
    else:
        yield


def _table(
    columns: Sequence[str] | None, rows: Iterable[Sequence[str]], right: Sequence[str] = ()
) -> Table:
    """Return a table of plain text; nothing in it is read as markup."""
    rows = list(rows)
    table = Table(box=None, pad_edge=False, show_header=columns is not None, header_style="bold")
    for column in columns or [""] * len(rows[0]):
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _print_section(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    console.print()
    console.print(Text(title, "bold underline"))
    console.print(_table(columns, rows))


def _shape(shape: Iterable[int]) -> str:
    return " x ".join(str(size) for size in shape)


def _assignments(options: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items())
