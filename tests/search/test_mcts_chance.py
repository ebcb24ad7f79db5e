"""What a tree search makes of chance, and of choices that it cannot see."""

from __future__ import annotations

import numpy as np

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.chance import RUNS, run_of, set_luck
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.simulation import imagine

GAME = tzaar_envs.load_game("twenty_one")
KEEP, REROLL = 64, 65
SHEETS = "A:......,......,......,......,....../B:......,......,......,......,......"


def rolls(count: int) -> list[State]:
    """Return positions of random games in which a seat may reroll."""
    rng = np.random.default_rng(4)
    found: list[State] = []
    while len(found) < count:
        state = GAME.new_state(int(rng.integers(2**31)))
        while not state.is_terminal:
            if REROLL in state.legal_actions() and rng.random() < 0.2:
                found.append(state.clone())
            state.apply(int(rng.choice(state.legal_actions())))
    return found[:count]


def value_after(state: State, action: int) -> float:
    after = state.clone()
    after.apply(action)
    return after.evaluate(state.current_player)


def test_a_roll_is_not_given_up_for_one_that_was_lucky() -> None:
    """Many a reroll is better, but not their mean, by which even one simulation judges."""
    kept, tested, not_better = 0, 0, 0.0
    for state in rolls(100):
        keep = value_after(state, KEEP)
        outcomes = [value_after(GAME.parse(str(state), seed=seed), REROLL) for seed in range(60)]
        if keep > np.mean(outcomes) + 0.05 and np.mean(np.array(outcomes) > keep) > 0.15:
            results = Mcts(GAME, simulations=1).search(state.words[None].repeat(10, axis=0), 3)
            kept += int((results.actions == KEEP).sum())
            tested += 10
            not_better += 10 * float(np.mean(np.array(outcomes) <= keep))
    assert tested >= 50
    assert kept > not_better + 0.05 * tested


def test_others_are_believed_to_choose_well() -> None:
    """Seat 0 has chosen; seat 1 believes better of it than a random choice, and cannot see it."""
    values: dict[int, float] = {}
    for draws in (1, 16):
        seen: set[tuple[float, ...]] = set()
        for chosen in (0, 63):  # to strike, although the dice fit everywhere, or to enter all
            words = GAME.parse(f"fill 0 1 654321 {SHEETS} {chosen}/-").words
            state, trial, rng = words.copy(), words.copy(), new_generator(1)
            found = []
            for _ in range(100):
                imagine(GAME.rules.functions, draws, 2, words, state, trial, rng)
                found.append(GAME.rules.evaluate(state, 0))
            seen.add(tuple(found))
        assert len(seen) == 1
        values[draws] = float(np.mean(found))
    best = max(
        GAME.parse(f"fill 0 1 654321 {SHEETS} {choice}/-").evaluate(0) for choice in range(64)
    )
    assert values[1] < values[16] <= best
    assert best - values[16] < 0.3 * (best - values[1])


STUCK = (0, 4294883354 << 32 | 0xFFFFFFFF)  # the generators that repeat one number for ever


def test_each_run_of_luck_is_another_one_and_always_the_same() -> None:
    luck = new_generator(0)
    seen: set[int] = set()
    for salt in (1, 2):
        for run in range(40):
            for depth in range(40):
                set_luck(luck, salt, run, depth)
                word = int(luck[0])
                assert word not in STUCK
                seen.add(word)
                luck[0] = 0
                set_luck(luck, salt, run, depth)
                assert int(luck[0]) == word
    assert len(seen) == 2 * 40 * 40


def test_a_longer_search_has_more_runs() -> None:
    runs = [run_of(visits, RUNS) for visits in range(3 * 128)]
    assert runs[:RUNS] == runs[RUNS : 2 * RUNS] == list(range(RUNS))
    assert [runs.count(run) for run in range(3 * RUNS)] == [8] * (3 * RUNS)


def test_shared_luck_lets_a_search_look_further_than_the_next_roll() -> None:
    """The seat that fills last sees the dice of the next turn, and what is made of them."""
    words = GAME.parse(f"fill 0 1 654321 {SHEETS} 0/-").words[None]
    mcts = Mcts(GAME, simulations=2000)
    depth = mcts.search(words, 0).depths[0]
    mcts.settings = mcts.settings._replace(runs=0)
    assert depth > mcts.search(words, 0).depths[0]
