"""Positions of the rules as data: what is legal, what moves do, how games end, what is refused.

The data is `docs/rules/positions/<game>.toml`, and the pictures of the rules pages in
`docs/rules/<game>.toml`. Each entry holds for the rules and for their reference.

A `[[position]]` has a `name`, the `options` of the game, and its text in `position`; without it, it
is the start position with a `seed`, or with an `outcome` of chance. What it claims:

| entry | content |
|---|---|
| `moves`, `illegal` | moves that are legal, and moves that are refused and change nothing |
| `count`, `counts` | the number of legal moves: of all, and of those that begin with a text |
| `numbers`, `illegal_numbers` | action numbers by move, and numbers that are refused |
| `unreadable` | texts that name no move |
| `wrong_outcomes` | by move, outcomes of chance that are refused |
| `player` | who is to move: the game goes on |
| `end`, `reason` | how it has ended: a code, and the sentence for people |
| `scores`, `returns` | of all seats |

A `[[position.line]]` is a line of moves, `play`, from there, or from its own `start`. A move is its
text, or a list of its text and the outcome of chance. It claims the same about where it leads to,
and also: `position`, what that is; `contains`, parts of its text.

`[[read]]` has `texts` that are read and written alike. A `[[refused]]` entry has a `position`, an
`outcome` or `options` that are refused; the message matches what it `says`.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from implementations import CompiledRules, Position, ReferenceRules, Rules
from make_rules_pictures import FOLDER, SEED, pictures

import tzaar_envs

GAMES = tzaar_envs.list_games()
Entry = Mapping[str, Any]
SENTENCE = r"\w+ \w+"  # the rules and their reference word it differently

both_rules = pytest.mark.parametrize("implementation", [ReferenceRules, CompiledRules])


@functools.cache
def data(name: str) -> Mapping[str, list[dict[str, Any]]]:
    """Return the tables of a game."""
    file = FOLDER / "positions" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def entries(kind: str, title: str) -> pytest.MarkDecorator:
    """Run a test with each table of a kind, of all games."""
    cases = [
        pytest.param(name, entry, id=f"{name}-{entry[title]}")
        for name in GAMES
        for entry in data(name).get(kind, ())
    ]
    return pytest.mark.parametrize(("name", "entry"), cases)


@both_rules
@entries("position", "name")
def test_what_a_position_claims_holds(implementation: Any, name: str, entry: Entry) -> None:
    check_entry(implementation(name), entry)


@both_rules
@pytest.mark.parametrize("name", GAMES)
def test_what_the_rules_pages_claim_holds(implementation: Any, name: str) -> None:
    for entry in pictures(name).values():
        check_entry(implementation(name), entry)


@both_rules
@entries("read", "name")
def test_all_that_can_happen_is_read(implementation: Any, name: str, entry: Entry) -> None:
    for text in entry["texts"]:
        assert str(implementation(name).parse(text, **entry.get("options", {}))) == text


@both_rules
@entries("refused", "name")
def test_what_cannot_happen_is_refused(implementation: Any, name: str, entry: Entry) -> None:
    with pytest.raises(ValueError, match=f"(?i){entry.get('says', SENTENCE)}"):
        begin(implementation(name), entry)


def check_entry(rules: Rules, entry: Entry) -> None:
    """Check what a table claims about its position and those that its lines lead to."""
    for line in ({key: entry[key] for key in entry if key != "position"}, *entry.get("line", ())):
        state = begin(rules, entry, line.get("start"))
        for move in line.get("play", ()):
            play(state, move)
        check_claim(state, line)
        written = str(state)
        assert str(rules.parse(written, **entry.get("options", {}))) == written


def begin(rules: Rules, entry: Entry, text: str | None = None) -> Position:
    """Return the position of a table, or another one with the same options."""
    options = entry.get("options", {})
    text = text or entry.get("position")
    if text is not None:
        return rules.parse(text, **options)
    if "outcome" in entry:
        return rules.initial(outcome=entry["outcome"], **options)
    return rules.initial(seed=entry.get("seed", SEED), **options)


def play(state: Position, move: str | list[Any]) -> None:
    """Play a move; a list has the outcome of chance after its text."""
    name, outcome = (move, None) if isinstance(move, str) else (move[0], move[1:])
    state.apply(state.parse_action(name), outcome)


def check_claim(state: Position, claim: Entry) -> None:
    """Check what a table claims about one position."""
    text, legal = str(state), [int(action) for action in state.legal_actions()]
    names = [state.action_name(action) for action in legal]
    assert legal == sorted(set(legal)), text
    assert set(claim.get("moves", ())) <= set(names), text
    assert len(names) == claim.get("count", len(names)), (text, names)
    for start, count in claim.get("counts", {}).items():
        assert sum(name.startswith(start) for name in names) == count, (text, start)
    for name, number in claim.get("numbers", {}).items():
        assert (state.parse_action(name), state.action_name(number)) == (number, name), text
    assert text == claim.get("position", text)
    for part in claim.get("contains", ()):
        assert part in text
    for kind in ("scores", "returns"):
        if kind in claim:
            assert list(getattr(state, kind)()) == pytest.approx(claim[kind]), (text, kind)
    if "player" in claim:
        assert not state.is_terminal, text
        assert state.current_player == claim["player"], text
        assert not any(state.returns()), text
    if "end" in claim:
        assert state.is_terminal or state.is_truncated, text
        assert (state.current_player, names) == (-1, []), text
        assert getattr(state, "end_code", claim["end"]) == claim["end"], text
    if "reason" in claim:
        assert getattr(state, "end_reason", claim["reason"]) == claim["reason"], text
    check_refusals(state, claim)
    assert str(state) == text


def check_refusals(state: Position, claim: Entry) -> None:
    """Check that the moves, numbers, texts and outcomes of a table are refused."""
    for name in claim.get("unreadable", ()):
        with pytest.raises(ValueError, match=SENTENCE):
            state.parse_action(name)
    for move in wrong_moves(claim):
        with pytest.raises(ValueError, match=SENTENCE):
            play(state, move)
    for number in claim.get("illegal_numbers", ()):
        with pytest.raises(ValueError, match=SENTENCE):
            state.apply(number)


def wrong_moves(claim: Entry) -> Iterator[str | list[Any]]:
    """Yield the moves of a table that are refused, some for their outcome of chance alone."""
    yield from claim.get("illegal", ())
    for name, outcomes in claim.get("wrong_outcomes", {}).items():
        yield from ([name, *outcome] for outcome in outcomes)
