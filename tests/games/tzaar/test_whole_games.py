"""Invariants over whole games of Tzaar, in the rules and in their reference."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from games.tzaar.texts import (
    PASS,
    actions,
    assert_running,
    assert_won,
    position,
    stacks_of,
)
from implementations import Rules

import tzaar_envs
from tzaar_envs.core.state import State

# --- Sections 3 to 5 over whole games ------------------------------------------------------------


Policy = Callable[[list[str], random.Random], str]


def any_action(legal: list[str], rng: random.Random) -> str:
    return rng.choice(legal)


def pass_if_legal(legal: list[str], rng: random.Random) -> str:
    return "pass" if "pass" in legal else rng.choice(legal)


def stack_if_legal(legal: list[str], rng: random.Random) -> str:
    return rng.choice([name for name in legal if "+" in name] or legal)


@pytest.mark.parametrize("policy", [any_action, pass_if_legal, stack_if_legal])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("setup", "longest"), [("random", 109), ("fixed", 109), ("tournament", 169)]
)
def test_whole_game(rules: Rules, setup: str, longest: int, seed: int, policy: Policy) -> None:
    rng = random.Random(seed)
    state = rules.initial(setup=setup, seed=seed)
    length = 0
    while not state.is_terminal:
        before = str(state)
        _, side, phase, _ = before.split(" ")
        assert_running(state, "wb".index(side))
        legal = actions(state)
        assert legal == sorted(set(legal))
        texts = [state.action_name(action) for action in legal]
        assert len(set(texts)) == len(texts)
        again = rules.parse(before, setup=setup)
        assert str(again) == before
        assert actions(again) == legal
        if phase in ("open", "1"):
            assert {text[2] for text in texts} == {"x"}
        if phase == "2":
            assert legal[-1] == PASS
        text = policy(texts, rng)
        assert state.parse_action(text) == legal[texts.index(text)]
        state.apply(state.parse_action(text))
        length += 1
        if phase != "place":
            check_move(before, text, str(state))
    assert length <= longest
    loser = loser_of(str(state))
    assert_won(state, 1 - loser)
    again = rules.parse(str(state), setup=setup)
    assert str(again) == str(state)
    assert_won(again, 1 - loser)


def check_move(before: str, name: str, after: str) -> None:
    """Check what a move, whichever it was, has done to the position."""
    _, side, phase, _ = before.split(" ")
    other = "b" if side == "w" else "w"
    assert after.split(" ")[1:] == ([side, "2", "-"] if phase == "1" else [other, "1", "-"])
    stacks = stacks_of(before)
    if name == "pass":
        assert phase == "2"
    else:
        origin, sign, target = name[:2], name[2], name[3:]
        letter, height = stacks.pop(origin)
        met_letter, met_height = stacks[target]
        assert letter.isupper() == (side == "w")
        if sign == "x":
            assert met_letter.isupper() != letter.isupper()
            assert met_height <= height
            stacks[target] = (letter, height)
        else:
            assert phase == "2"
            assert met_letter.isupper() == letter.isupper()
            stacks[target] = (letter, height + met_height)
    assert stacks_of(after) == stacks


def loser_of(text: str) -> int:
    """Return who has lost in the notation of an ended game: without a type or without a capture."""
    _, side, _, _ = text.split(" ")
    letters = {letter for letter, _ in stacks_of(text).values()}
    if not set("ZRT") <= letters:
        return 0
    if not set("zrt") <= letters:
        return 1
    assert text.endswith(" 1 -")
    return "wb".index(side)


# --- The words of a position that follow from its board -------------------------------------------


def assert_words_as_read(state: State) -> None:
    """What the actions have kept up to date is what reading the notation makes anew."""
    np.testing.assert_array_equal(state.words, state.game.parse(str(state)).words, str(state))


@pytest.mark.parametrize("policy", [any_action, pass_if_legal, stack_if_legal])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("setup", ["random", "fixed", "tournament"])
def test_words_are_kept_up_to_date(setup: str, seed: int, policy: Policy) -> None:
    choices = random.Random(seed)
    state = tzaar_envs.load_game("tzaar", setup=setup).new_state(seed)
    assert_words_as_read(state)
    while not state.is_terminal:
        texts = [state.action_name(action) for action in actions(state)]
        state.apply(state.parse_action(policy(texts, choices)))
        assert_words_as_read(state)


@pytest.mark.parametrize("phase", ["1", "2"])
@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize(
    ("white", "black"),
    [
        ("C4T2 A2Z1 I3R1", "C7R2 C1Z3 G6T1 A4T1"),
        ("E4R12 A1Z10 I5T8", "E9T28 D4Z1 E1R1"),
        ("D4Z1 D5R1 E6T1", "F5Z1 F4R1 E4T1"),
        ("G4T1 A5Z1 I1R1", "G7Z1 I5T1 I4R1 G1T1 C2R1 D6T1"),
    ],
)
def test_words_are_kept_up_to_date_from_any_position(
    white: str, black: str, side: str, phase: str
) -> None:
    state = tzaar_envs.load_game("tzaar").parse(position(white, black, side, phase))
    for action in actions(state):
        after = state.clone()
        after.apply(action)
        assert_words_as_read(after)
        for answer in actions(after):
            then = after.clone()
            then.apply(answer)
            assert_words_as_read(then)
