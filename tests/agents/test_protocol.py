"""The lines of the engine protocol: moves, positions, limits, findings."""

from __future__ import annotations

import pytest
from small_games.adding import ADDING_FOR_TWO

from tzaar_envs import load_game
from tzaar_envs.agents.engine_protocol import (
    format_go,
    format_info,
    format_list,
    format_setoption,
    format_visits,
    parse_go,
    parse_infos,
    parse_position,
    parse_setoption,
    parse_variation,
    play_moves,
    split_moves,
    split_outcome,
    visible_position,
)
from tzaar_envs.core.state import State
from tzaar_envs.search.control import SearchLimits
from tzaar_envs.search.result import SearchResult


@pytest.fixture
def dice() -> State:
    """A position of a game with dice."""
    return load_game("twenty_one").new_state(outcome=(6, 5, 1, 1, 2, 3))


def test_moves_come_with_their_chance_outcomes(dice: State) -> None:
    expected = dice.clone()
    expected.apply(expected.parse_action("reroll"), outcome=(4, 4, 2, 6))
    play_moves(dice, "reroll -> 4 4 2 6")
    assert dice == expected
    assert split_moves(" a;b -> 1 -2 ; enter YW ") == ["a", "b -> 1 -2", "enter YW"]
    assert split_outcome("keep") == ("keep", None)
    assert split_outcome("keep ->") == ("keep", ())
    with pytest.raises(ValueError, match="move 1: the chance outcome 'x' is not an integer"):
        play_moves(dice, "strike -> x")
    with pytest.raises(ValueError, match="move 2: action 'jump'"):
        play_moves(dice, "strike; jump")


def test_moves_that_cannot_be_told_apart_are_refused() -> None:
    assert format_list(["enter YW", "keep"]) == "enter YW; keep"
    for name in ("a;b", "a -> b", " a", "a\nb"):
        with pytest.raises(ValueError, match="cannot be sent to an engine"):
            format_list([name])


def test_a_position_is_the_start_or_a_text_and_then_moves() -> None:
    game = load_game("twenty_one")
    state = parse_position(game, "start -> 6 5 1 1 2 3 moves reroll -> 4 4 2 6; strike", 0)
    again = parse_position(game, f"{state} moves strike", 0)
    assert state.current_player == 1
    assert again != state
    assert parse_position(game, "start", 3) == game.new_state(3)
    for text, reason in {
        "": "position is missing",
        "moves keep": "position 'moves keep': expected",
        "start moves fly": "move 1: action 'fly'",
        "start -> 9 moves": "outcome",
    }.items():
        with pytest.raises(ValueError, match=reason):
            parse_position(game, text, 0)


def test_what_is_hidden_is_redrawn_and_nothing_else() -> None:
    game = load_game("twenty_one")
    state = parse_position(game, "start -> 6 5 1 1 2 3 moves keep; enter YW", 0)
    shown = [visible_position(state, seed) for seed in range(20)]
    assert len({str(each) for each in shown}) > 1
    assert all((each.observation(1) == state.observation(1)).all() for each in shown)
    assert visible_position(start := ADDING_FOR_TWO.new_state(0), 1) is start


def test_limits_of_a_search() -> None:
    assert parse_go("") == (None, False)
    assert parse_go("infinite") == (SearchLimits(), True)
    assert parse_go("depth 3 movetime 1500") == (SearchLimits(1.5, 0, 3), False)
    for limits in (SearchLimits(), SearchLimits(0.25, 10, 4), SearchLimits(nodes=2**62)):
        assert (parse_go(format_go(limits)[3:])[0] or SearchLimits()) == limits
    for text, reason in {
        "fast": "'fast' is not allowed here: use movetime, nodes, depth, each once, or infinite",
        "nodes": "nodes '' is not a whole number",
        "nodes -1": "nodes '-1' is not a whole number",
        "nodes 0": "nodes '0' is not a whole number from 1",
        "nodes 1 nodes 2": "'nodes' is not allowed here: .* each once",
        "depth ٣": "is not a whole number",
        "depth 99999999999999999999999": "is not a whole number",
        "infinite depth 3": "'infinite' is not allowed here: .* or infinite alone",
    }.items():
        with pytest.raises(ValueError, match=reason):
            parse_go(text)
    assert parse_setoption("name a b value c d") == ("a b", "c d")
    assert parse_setoption("name a value <empty>") == ("a", "")
    assert format_setoption("a", "") == "setoption name a value <empty>"
    assert format_setoption("a", "b c") == "setoption name a value b c"
    with pytest.raises(ValueError, match="use setoption name NAME value VALUE"):
        parse_setoption("threads 4")


def test_findings_are_read_as_they_are_written() -> None:
    state = load_game("turm_und_waechter").new_state()
    line = []
    position = state.clone()
    for _ in range(4):
        line.append(int(position.legal_actions()[0]))
        position.apply(line[-1])
    result = SearchResult(
        action=line[0],
        value=0.25,
        values=(0.25, -0.25),
        proven=True,
        depth=4,
        nodes=1234,
        principal_variation=tuple(line),
        simulations=77,
        visits={line[0]: 70, int(state.legal_actions()[3]): 7},
        seconds=0.25,
    )
    lines = [format_info(state, result), format_visits(state, result)]
    infos = [line.removeprefix("info ") for line in lines]
    found = parse_infos(state, infos, line[0], 9.0)
    assert found == result
    assert found.seconds == 0.25
    other = int(state.legal_actions()[1])  # the variation is of another move than the one played
    assert parse_infos(state, infos, other, 9.0).principal_variation == (other,)


def test_a_variation_ends_where_chance_is_not_told(dice: State) -> None:
    assert len(parse_variation(dice, "reroll -> 4 4 2 6; strike; strike")) == 3
    assert len(parse_variation(dice, "reroll; strike; strike")) == 1
    assert parse_variation(dice, "fly; keep") == ()
