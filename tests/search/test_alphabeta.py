"""Alpha-beta: the values of plain minimax, within its budget, only where it suits."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable

import numpy as np
import pytest
import torch
from random_games import random_game
from search.searched import CountingClock, child
from small_policies import small_evaluator, small_network

import tzaar_envs
from tzaar_envs.agents.searchers import AlphaBetaAgent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.search import alphabeta_iteration as ab
from tzaar_envs.search.alphabeta import AlphaBeta

NAMES = ("tzaar", "turm_und_waechter", "black_elephant")

every_searched_game = pytest.mark.parametrize("name", NAMES)

Value = Callable[[State, int], float]
Ending = tuple[float, int]
"""A value for the seat to act, and in how many plies a sure end comes, else 0."""


@functools.cache
def game_of(name: str) -> Game:
    return tzaar_envs.load_game(name)


def by_network(state: State, seat: int) -> float:
    _, values = small_evaluator(state.game, "value_head")(state.words[None])
    return float(values[0, seat])


@functools.cache
def search_of(name: str, entries: int = 1 << 17, value_of: Value = State.evaluate) -> AlphaBeta:
    game = game_of(name)
    network = small_evaluator(game, "value_head") if value_of is by_network else None
    return AlphaBeta(game, entries, network)


def random_position(game: Game, seed: int, most_plies: int) -> State:
    """Return a running position after some random actions."""
    choices = np.random.default_rng(seed)
    while True:
        state = game.new_state(seed=seed)
        for _ in range(choices.integers(most_plies)):
            before = state.clone()
            state.apply(int(choices.choice(state.legal_actions())))
            if state.is_terminal:
                state = before
                break
        if state.legal_actions().size <= 30:
            return state


def played_out(game: Game, seed: int) -> list[State]:
    """Return the running positions of a game of two quick searchers after a random opening."""
    history = [game.new_state(seed=seed)]
    for action in np.random.default_rng(seed).random(6):
        state = history[-1].clone()
        legal = state.legal_actions()
        state.apply(int(legal[int(action * legal.size)]))
        history.append(state)
    agent = AlphaBetaAgent(game, depth=1, seed=seed)
    while not history[-1].is_terminal:
        state = history[-1].clone()
        state.apply(agent.act(state))
        history.append(state)
    return history[:-1]


def minimax(state: State, depth: int, ply: int = 0, value_of: Value = State.evaluate) -> Ending:
    """Return the best value of the actions."""
    values = [value for _, value in action_values(state, depth, ply, value_of)]
    return max(values, key=preference)


def preference(value: Ending) -> Ending:
    """Order values: a win sooner, a loss later."""
    estimate, plies = value
    return estimate, -plies if estimate > 0 else plies


def action_values(
    state: State, depth: int, ply: int = 0, value_of: Value = State.evaluate
) -> list[tuple[int, Ending]]:
    seat = state.current_player
    found = []
    for action in state.legal_actions().tolist():
        after = child(state, action)
        if after.is_terminal:
            value = after.returns()[seat], ply + 1
            if abs(value[0]) != 1.0:
                value = value[0], 0
        elif depth == 1:
            value = round(value_of(after, seat) * ab.UNIT) / ab.UNIT, 0
        else:
            estimate, plies = minimax(after, depth - 1, ply + 1, value_of)
            value = (estimate if after.current_player == seat else -estimate), plies
        found.append((action, value))
    return found


@every_searched_game
@pytest.mark.parametrize(
    ("entries", "value_of"),
    [(2, State.evaluate), (1 << 17, State.evaluate), (1 << 17, by_network)],
)
def test_it_is_minimax(name: str, entries: int, value_of: Value) -> None:
    """The value, and an action of that value, at every depth; a table of 2 entries knows little."""
    search = search_of(name, entries, value_of)
    longest = {"tzaar": 90, "turm_und_waechter": 150, "black_elephant": 120}[name]
    for seed in range(12):
        state = random_position(game_of(name), seed, longest)
        for depth in (1, 2, 3) if state.legal_actions().size <= 12 else (1, 2):
            values = dict(action_values(state, depth, value_of=value_of))
            best, _ = max(values.values(), key=preference)
            found = search.search(state, depth=depth)
            assert found.value == pytest.approx(best, abs=1e-9)
            top = [action for action, value in values.items() if value[0] == best]
            if abs(best) == 1.0:  # it stops as soon as the end is sure
                soonest = max((values[action] for action in top), key=preference)
                top = [action for action in top if values[action] == soonest]
                assert found.proven
                assert found.depth <= depth
                assert len(found.principal_variation) == soonest[1]
            assert found.action in top


@every_searched_game
def test_the_table_saves_nodes_and_changes_nothing(name: str) -> None:
    """Values, and the plies to a sure end, are those of a search that remembers next to nothing."""
    depth = {"tzaar": 3, "turm_und_waechter": 4, "black_elephant": 3}[name]
    saved = 0
    for seed in range(3):
        history = played_out(game_of(name), seed)
        for state in history[len(history) // 2 :: 8] + history[-6:-3]:
            known = search_of(name).search(state, depth=depth)
            forgetful = search_of(name, entries=2).search(state, depth=depth)
            assert (known.value, known.depth) == (forgetful.value, forgetful.depth)
            assert len(known.principal_variation) == len(forgetful.principal_variation)
            saved += forgetful.nodes - known.nodes
    assert saved > 0


@every_searched_game
def test_earlier_searches_do_not_matter(name: str) -> None:
    """A search that has filled the table finds exactly what a fresh one finds."""
    used = AlphaBeta(game_of(name), entries=1 << 10)
    for seed in range(300):  # more than the table can tell apart without being emptied
        used.search(random_position(game_of(name), seed % 7, 60), depth=1)
    for seed in range(5):
        state = random_position(game_of(name), seed, 60)
        fresh = AlphaBeta(game_of(name), entries=1 << 10)
        assert used.search(state, depth=3) == fresh.search(state, depth=3)


@every_searched_game
def test_the_line_can_be_played_and_leads_to_the_value(name: str) -> None:
    for seed in range(5):
        state = random_position(game_of(name), seed, 60)
        seat = state.current_player
        found = search_of(name).search(state, depth=4)
        assert found.action == found.principal_variation[0]
        assert found.value == found.values[seat] == -found.values[1 - seat]
        assert found.seconds > 0
        for action in found.principal_variation:
            state.apply(action)
        assert len(found.principal_variation) == 4 or state.is_terminal
        assert state.evaluate(seat) == pytest.approx(found.value, abs=1e-6)


def test_the_seed_chooses_among_equals() -> None:
    for seed in range(100):
        state = random_position(game_of("black_elephant"), seed, 60)
        values = dict(action_values(state, 1))
        best = {action for action, value in values.items() if value == max(values.values())}
        if len(best) > 1:
            break
    agent = AlphaBetaAgent(state.game, depth=1, seed=0)
    assert len(best) > 1
    assert {agent.act(state) for _ in range(40)} == best


def test_the_clock_ends_a_search(clock: CountingClock) -> None:
    """More time means more nodes; an unfinished iteration counts from its first action on."""
    state = random_position(game_of("tzaar"), 1, 20)
    search = search_of("tzaar")
    finished, nodes, unfinished = [], [], 0
    for ms in (1, 3, 9, 27):
        found = search.search(state, ms=ms)
        finished.append(found.depth)
        nodes.append(found.nodes)
        assert state.is_legal(found.action)
        assert len(found.principal_variation) in (found.depth, found.depth + 1)
        unfinished += len(found.principal_variation) > found.depth
        whole = search.search(state, depth=found.depth)
        assert whole.nodes <= found.nodes < search.search(state, depth=found.depth + 1).nodes
    assert finished == sorted(finished)
    assert finished[0] >= 1
    assert nodes == sorted(set(nodes))
    assert unfinished > 0


@every_searched_game
def test_selective_searches_prove_nothing_wrong(name: str, clock: CountingClock) -> None:
    """With a network and a time, not all is searched, or less deep: a depth takes fewer nodes."""
    search, saved, proven = search_of(name, value_of=by_network), 0, 0
    for seed in range(8):
        history = played_out(game_of(name), seed)
        for state in (history[len(history) // 2], history[-4], history[-2]):
            found = search.search(state, ms=30)
            if found.proven:
                proven += 1
                sure = search_of(name).search(state, depth=len(found.principal_variation))
                assert (sure.value, sure.proven) == (found.value, True)
            elif found.depth > 3:
                saved += search.search(state, depth=found.depth).nodes - found.nodes
    assert saved > 0
    assert proven


def test_an_agent_thinks_for_its_time_in_place_of_its_depth(clock: CountingClock) -> None:
    agent = AlphaBetaAgent(game_of("tzaar"), depth=1, ms=100)
    agent.act(game_of("tzaar").new_state(0))
    assert 100 <= clock.ms < 110
    assert agent.last_search.depth > 1
    assert agent.name == "alphabeta:ms=100"


@pytest.mark.parametrize("entries", [2, 1 << 17])
def test_wins_come_as_soon_as_they_can(entries: int) -> None:
    """A win is found and proved at its own depth, not before; so is every position on the way.

    A table of 2 entries does not remember which reply put off the loss in the iteration before.
    """
    game = game_of("turm_und_waechter")
    search = search_of("turm_und_waechter", entries)
    longest = 0
    for seed in range(18):
        history = played_out(game, seed)
        state = history[max(0, len(history) - 5)]
        found = search.search(state, depth=5)
        if found.value != 1.0:
            continue
        for plies in range(len(found.principal_variation), 0, -1):
            on_the_way = search.search(state, depth=6)
            assert on_the_way.value == (1.0 if plies % 2 else -1.0)
            assert (len(on_the_way.principal_variation), on_the_way.depth) == (plies, plies)
            assert plies == 1 or not search.search(state, depth=plies - 1).proven
            state.apply(found.principal_variation[-plies])
        assert state.is_terminal
        longest = max(longest, len(found.principal_variation))
    assert longest == 5


def test_the_surest_estimate_is_no_proof() -> None:
    game = game_of("turm_und_waechter")
    network = copy.deepcopy(small_network(game))
    torch.nn.init.constant_(network.value_head.bias, -100.0)  # whoever is to act has lost
    result = AlphaBeta(game, 2, CompiledNetwork(game, network)).search(game.new_state(1), 1)
    assert (result.value, result.proven) == (1.0, False)


@pytest.mark.parametrize(
    ("black_tzaar", "line"), [("z,.,.,.,.,.,.", ["E1xC1"]), (".,.,z,.,.,.,.", ["E1xE2", "E2xE3"])]
)
def test_two_actions_of_one_turn_win(black_tzaar: str, line: list[str]) -> None:
    """Rules of Tzaar, Z12: two captures take the last Totts, or one the last Tzaar in reach."""
    state = game_of("tzaar").parse(
        f".,.,.,.,Z/.,.,.,.,.,./{black_tzaar}/.,.,.,.,.,.,.,./R,t,t,.,.,.,.,./.,.,.,.,.,.,.,./"
        ".,.,.,.,.,.,./.,.,.,.,.,r/T,.,.,.,. w 1 -"
    )
    found = search_of("tzaar").search(state, depth=4)
    assert (found.value, found.depth) == (1.0, len(line))
    names = []
    for action in found.principal_variation:
        assert state.current_player == 0
        names.append(state.action_name(action))
        state.apply(action)
    assert names == line


def test_the_third_occurrence_is_a_draw() -> None:
    """Red, a tower behind, goes for the repetition as soon as it lies within the horizon."""
    game = game_of("turm_und_waechter")
    state = game.parse("RG5b7/7/7/7/7/7/6BG r")
    moves = ["A7-A6-1", "G1-F1-1", "A6-A7-1", "F1-G1-1"]
    for text in [*moves, *moves[:3]]:
        state.apply(state.parse_action(text))
    assert not state.is_terminal
    worse = search_of("turm_und_waechter").search(state, depth=1)
    values = {state.action_name(a): value for a, (value, _) in action_values(state, 1)}
    assert values["F1-G1-1"] == 0.0  # the start position for the third time
    assert worse.value == max(values.values()) > 0.0  # Blue has better
    state = game.parse("RG6/7/7/7/7/7/5b1BG r")
    for text in [*moves[:1], "G1-G2-1", "A6-A7-1", "G2-G1-1"] * 2:
        if str(state).split()[2] == "2" and text == moves[2]:
            found = search_of("turm_und_waechter").search(state, depth=3)
            assert found.value == pytest.approx(minimax(state, 3)[0], abs=1e-9)
        state.apply(state.parse_action(text))


def test_a_move_cap_is_no_win() -> None:
    """In Turm & Wächter the 500th ply draws, in Black Elephant it counts the points."""
    board = "r1r11RG1r1r1/7/7/7/7/7/5b1BG"
    game = game_of("turm_und_waechter")
    ahead = search_of("turm_und_waechter").search(game.parse(f"{board} r 1 498"), depth=1)
    assert ahead.value > 0.1
    for plies, depth in ((498, 2), (499, 1), (499, 4)):
        found = search_of("turm_und_waechter").search(game.parse(f"{board} r 1 {plies}"), depth)
        assert (found.value, found.proven) == (0.0, True)
    empty = ".,.,.,.,.,.,."
    elephants = "/".join([".,.,.,.,.,l,#", "1n,.,.,.,.,.,.", *[empty] * 3, "0e,.,.,.,.,.,.", empty])
    state = game_of("black_elephant").parse(f"{elephants} 0 0.0/0.0 5/2 3/3 0/0 0/0 D4/D4 0:0:499")
    found = search_of("black_elephant").search(state, depth=3)
    assert (found.value, found.proven, len(found.principal_variation)) == (1.0, True, 1)
    state.apply(found.action)
    assert state.is_truncated


# --- when time ends ------------------------------------------------------------------------------


@pytest.mark.parametrize("looks", [120, 150, 200, 240])
def test_an_action_that_was_just_refuted_is_not_played(clock: CountingClock, looks: int) -> None:
    """G1+F1 was best until depth 5, which refutes it long before it tries another action."""
    state = game_of("tzaar").parse(
        "t,t,.,T,T/t,T,t,.,r,t/T,T,T,.,.,r,./.,.,T,.,z,.,.,Z3/T,.,r2,.,t,z,t2,R/t,T,.,.,R,.,r,."
        "/t,.,.,.,r,T,./R,R2,T,r,R,r2/.,.,r,T,T b 2 -"
    )
    refuted = state.parse_action("G1+F1")
    result = AlphaBeta(state.game).search(state, ms=looks)
    assert (result.action == refuted) == (looks == 120)
    assert result.value > 0
    assert result.principal_variation[0] == result.action
    assert result.action in state.legal_actions()


def test_the_only_action_that_is_not_refuted_yet_is_played(clock: CountingClock) -> None:
    """Time ends when depth 8 has refuted the 16 others, of which some are better at 2 plies."""
    state = game_of("black_elephant").parse(
        ".,x,.,l,l,l,#/x,.,.,l,l,l,l/0e,.,.,.,.,l,1w/x,0e*,.,.,.,.,l/l,.,l,0n*,.,.,l/"
        "1n,.,l,.,.,.,x/x,.,l,x,.,.,l 0 0.0/0.0 1/1 0/0 0/1 7/7 C6/B2 0:0:164"
    )
    result = AlphaBeta(state.game).search(state, ms=103)
    assert state.action_name(result.action) == "watch C7"
    assert not result.proven


def test_an_unfinished_search_is_only_sure_of_what_is_proven(
    clock: CountingClock,
) -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    search, sure = AlphaBeta(game), 0
    for seed in range(12):
        before = random_game(game.new_state(0), np.random.default_rng(seed))[-1]
        for looks in (2, 4, 8):
            result = search.search(before, ms=looks)
            assert (abs(result.value) == 1.0) <= result.proven
            sure += result.proven
    assert sure


def test_the_narrowest_window_with_a_value_inside_keeps_its_line() -> None:
    stack = ab.new_stack(1, 1)
    ab.set_window(stack, 0, remaining=1, alpha=0, beta=2)
    ab.pick_next(stack, 0)
    ab.update(stack, 0, 1)
    assert stack[0, ab.PV_LENGTH] == 1


def test_the_deepest_position_has_a_row() -> None:
    assert len(ab.new_stack(1, 1)) == ab.MAX_DEPTH + 1
