"""Whoever reads a file refuses hostile content with one sentence that names the file.

The quick form reads up to a hundred files of each kind, the slow one all of them.
"""

from __future__ import annotations

import functools
import io
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from command_line import run_cli
from hostile import damaged, refusals, wrong_documents
from rich.console import Console
from safetensors.torch import load_file, save
from small_games.adding import ADDING_FOR_TWO
from small_games.agents import Cheat, Lowest
from small_policies import save_new_policy, save_new_sparse_policy

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.arena import (
    MatchResult,
    for_terminal,
    match_report,
    play_match,
    play_tournament,
    read_standings,
    tournament_report,
)
from tzaar_envs.arena.plan import load_book
from tzaar_envs.arena.records import (
    GameRecord,
    MoveData,
    append_records,
    read_games,
    write_records,
)
from tzaar_envs.cli.policies import _print_card, game_of_card
from tzaar_envs.cli.terminal_game import load_saved_game, start_history
from tzaar_envs.networks.card import FORMAT
from tzaar_envs.networks.file import read_card
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

Documents = Iterator[tuple[str, bytes]]
Case = tuple[Path, Callable[[Path], object], list[Callable[[], Documents]]]

GAME = "tzaar"


def show(what: Any) -> None:
    Console(file=io.StringIO(), width=120).print(what)


def of_lines(content: bytes) -> list[Callable[[], Documents]]:
    """Return makers of files in which one line of JSON is wrong, and of damaged ones."""
    lines = content.splitlines(keepends=True)

    def with_wrong(number: int) -> Documents:
        for what, document in wrong_documents(json.loads(lines[number])):
            wrong = [*lines[:number], document + b"\n", *lines[number + 1 :]]
            yield f"line {number + 1}, {what}", b"".join(wrong)

    makers = [functools.partial(with_wrong, number) for number in sorted({0, 1, len(lines) - 1})]
    return [*makers, lambda: damaged(content, 300, 1)]


def of_json(content: bytes) -> list[Callable[[], Documents]]:
    return [lambda: wrong_documents(json.loads(content)), lambda: damaged(content, 300, 1)]


def results(folder: Path) -> Case:
    path = folder / "results.jsonl"
    play_tournament(ADDING_FOR_TWO, ["random", Lowest, Cheat], path, 2, seed=1)

    def read(path: Path) -> None:
        show(for_terminal(tournament_report(read_standings([path]))))

    return path, read, of_lines(path.read_bytes())


def games(folder: Path) -> Case:
    path, _, makers = results(folder)
    return path, lambda path: list(read_games(path)), makers


def match(folder: Path) -> Case:
    path = play_match(ADDING_FOR_TWO, ["random", Lowest], 2, seed=1).save(folder / "match.json")
    return path, lambda path: show(match_report(MatchResult.load(path))), of_json(path.read_bytes())


def saved_game(folder: Path) -> Case:
    path = folder / "game.jsonl"
    game = start_history(tzaar_envs.load_game(GAME), 1, None, ["human", "greedy"])
    for _ in range(3):
        game.apply(int(game.state.legal_actions()[0]))
    write_records(path, RecordedGamesHeader(), [game.to_record()])
    return path, load_saved_game, of_lines(path.read_bytes())


def tensors_of(path: Path) -> dict[str, torch.Tensor]:
    """Return copies of the tensors in a file: those that are loaded are still in the file."""
    return {name: tensor.clone() for name, tensor in load_file(path).items()}


def card(folder: Path) -> Case:
    path = folder / "policy.safetensors"
    game = tzaar_envs.load_game(GAME)
    save_new_policy(path, game)
    tensors, text = tensors_of(path), json.dumps(read_card(path))

    def read(path: Path) -> None:
        found = read_card(path)
        _print_card(path, found)
        game_of_card(path, found)
        PolicyAgent.load(path, game)

    def cards() -> Documents:
        measured = {"greedy": {"games": 4, "wins": 1, "draws": 1, "losses": 2, "elo": 5}}
        measured["greedy"]["interval"] = [1, 9]  # type: ignore[assignment]
        for what, document in wrong_documents(json.loads(text) | {"measured": measured}):
            yield what, save(tensors, {"format": FORMAT, "card": document.decode()})

    return path, read, [cards, lambda: damaged(path.read_bytes()[:3000], 200, 1)]


def play_with(path: Path) -> None:
    """Let every kind of agent that can use a policy choose an action."""
    game = tzaar_envs.load_game(GAME)
    state = game.new_state(1)
    for text in (
        f"policy:{path}",
        f"mcts:policy={path},simulations=4",
        f"alphabeta:policy={path},depth=1",
    ):
        assert state.is_legal(make_agent(text, game, 1).act(state))


def sparse_card(folder: Path) -> Case:
    path = folder / "policy.safetensors"
    save_new_sparse_policy(path, tzaar_envs.load_game(GAME))
    tensors, text = tensors_of(path), json.dumps(read_card(path))

    def cards() -> Documents:
        for what, document in wrong_documents(json.loads(text)["network"]):
            network = document.decode()
            card = json.dumps(json.loads(text) | {"network": None}).replace("null", network, 1)
            yield what, save(tensors, {"format": FORMAT, "card": card})

    return path, play_with, [cards, lambda: damaged(path.read_bytes()[:3000], 200, 1)]


def sparse_weights(folder: Path) -> Case:
    path = folder / "policy.safetensors"
    save_new_sparse_policy(path, tzaar_envs.load_game(GAME))
    tensors, card = tensors_of(path), json.dumps(read_card(path))

    def changed(**others: torch.Tensor | None) -> bytes:
        kept = {name: value for name, value in (tensors | others).items() if value is not None}
        return save(kept, {"format": FORMAT, "card": card})

    def wrong() -> Documents:
        yield "additional", changed(more=torch.ones(3))
        for name, tensor in tensors.items():
            yield f"without {name}", changed(**{name: None})
            for what, value in (
                ("longer", torch.cat([tensor, tensor])),
                ("flat", tensor.flatten()),
                ("empty", tensor[:0]),
                ("as bool", tensor.bool()),
                ("as int8", tensor.to(torch.int8)),
                ("as float64", tensor.double()),
                ("as bfloat16", tensor.bfloat16()),
                ("minus 1", tensor - 1),
                *(
                    (f"{number}", torch.full_like(tensor, number))
                    for number in (0, -1, 1e30, math.nan, math.inf, -math.inf)
                    if tensor.is_floating_point() or abs(number) < 2
                ),
            ):
                yield f"{name} {what}", changed(**{name: value})

    return path, play_with, [wrong]


def headers(folder: Path) -> Case:
    """Headers of safetensors that describe other tensors, and wrong marks of turned positions."""
    path, game = folder / "policy.safetensors", tzaar_envs.load_game("turm_und_waechter")
    save_new_sparse_policy(path, game)
    whole = path.read_bytes()
    end = 8 + int.from_bytes(whole[:8], "little")
    header, numbers = json.loads(whole[8:end]), whole[end:]

    def with_header(text: str, length: int | None = None) -> bytes:
        content = text.encode()
        return (length or len(content)).to_bytes(8, "little") + content + numbers

    def read(path: Path) -> None:
        read_card(path)
        make_agent(f"policy:{path}", game, 1).act(game.new_state(1))

    def tensors() -> Documents:
        last = len(numbers)
        types = (
            "BF16", "F16", "F64", "F8_E4M3", "F8_E5M2", "F4", "C64", "BOOL", "U64", "U8", "F33",
        )  # fmt: skip
        shapes = ([], [0], [-1], [2**62] * 2, [2**40] * 3, [1.5], [None], "x", [1] * 10_000)
        offsets = ([0, 2**63], [8, 0], [0, 0], [last, last + 4], [-4, 0], [0], [4, last], [0, last])
        for name in ("bias", "table", "turned_actions"):
            for entry, values in (("dtype", types), ("shape", shapes), ("data_offsets", offsets)):
                for value in values:
                    changed = {**header, name: {**header[name], entry: value}}
                    yield f"{name}: {entry} = {value!r:.40}", with_header(json.dumps(changed))
        for kind, size in (("BF16", 2), ("F8_E4M3", 1), ("C64", 8), ("F4", 0.5)):
            alone = {"dtype": kind, "shape": [64], "data_offsets": [0, int(64 * size)]}
            text = json.dumps({"__metadata__": header["__metadata__"], "bias": alone}).encode()
            content = len(text).to_bytes(8, "little") + text + bytes(int(64 * size))
            yield f"a single {kind}", content
        for name in ("a\nb\x1b[31m", "x" * 5000, ""):
            more = {"dtype": "F32", "shape": [0], "data_offsets": [last, last]}
            yield f"additional {name!r:.20}", with_header(json.dumps({**header, name: more}))
        yield "nested lists", with_header("[" * 50_000)
        yield "nested dictionaries", with_header('{"a":' * 50_000)
        for length in (1, 2**31, 2**63, 2**64 - 1):
            yield f"header of {length}", with_header(json.dumps(header), length)

    def marks() -> Documents:
        card = header["__metadata__"]["card"]
        marker = json.loads(card)["network"]["marker"]
        for what, document in wrong_documents(marker):
            text = card.replace(f'"marker": {marker}', f'"marker": {document.decode()}')
            metadata = {"format": FORMAT, "card": text}
            yield f"marker{what}", with_header(json.dumps({**header, "__metadata__": metadata}))

    return path, read, [tensors, marks]


def replayed(folder: Path) -> Case:
    path, out = folder / "games.jsonl", folder / "page.html"
    state, actions = tzaar_envs.load_game(GAME).new_state(1), []
    for _ in range(3):
        actions.append(state.action_name(int(state.legal_actions()[0])))
        state.apply(int(state.legal_actions()[0]))
    found = MoveData(
        value=0.5, depth=3, nodes=40, visits={actions[0]: 7}, line=actions, seconds=0.1
    )
    record = GameRecord(
        game=f"{GAME}_v0", options={}, actions=actions, agents=["one", "two"], seed=1, opening=1,
        move_data=[found, None, found],
    )  # fmt: skip
    append_records(path, RecordedGamesHeader(), [record])

    def read(path: Path) -> None:
        for how in (["--text"], ["--out", str(out)]):
            out.unlink(missing_ok=True)
            code, _, errors = run_cli("replay", str(path), *how)
            if code:
                assert errors.count("\n") == 1, errors
                raise ValueError(errors.removesuffix("\n"))

    return path, read, of_lines(path.read_bytes())


def book(folder: Path) -> Case:
    game = tzaar_envs.load_game(GAME)
    content = "\n".join(str(game.new_state(seed)) for seed in range(2)).encode()
    path = folder / "book.txt"
    path.write_bytes(content)
    return (
        path,
        lambda path: load_book(path, game),
        [lambda: damaged(content, 300, 1)],
    )


CASES = (
    results, games, match, saved_game, replayed, card, sparse_card, sparse_weights, headers, book,
)  # fmt: skip


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_hostile_files_are_refused_in_one_sentence(
    make: Callable[[Path], Case], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, read, makers = make(tmp_path)
    for maker in makers:
        documents = [*maker()]
        some = random.Random(1).sample(documents, min(12, len(documents)))
        _, wrong = refusals(read, path, iter(some))
        assert not wrong


def test_the_readers_read_what_is_whole(tmp_path: Path) -> None:
    """Else all refusals above would mean nothing."""
    for make in CASES:
        folder = tmp_path / make.__name__
        folder.mkdir()
        path, read, _ = make(folder)
        read(path)
