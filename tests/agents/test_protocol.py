"""The lines of the engine protocol: moves, positions, limits, findings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_games.adding import ADDING_FOR_TWO

from tzaar_envs import load_game
from tzaar_envs.agents import engine_protocol as protocol
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
    protocol.play_moves(dice, "reroll -> 4 4 2 6")
    assert dice == expected
    assert protocol.split_moves(" a;b -> 1 -2 ; enter YW ") == ["a", "b -> 1 -2", "enter YW"]
    assert protocol.split_outcome("keep") == ("keep", None)
    assert protocol.split_outcome("keep ->") == ("keep", ())
    assert protocol.format_list(["enter YW", "keep"]) == "enter YW; keep"


def test_a_position_is_the_start_or_a_text_and_then_moves() -> None:
    game = load_game("twenty_one")
    state = protocol.parse_position(game, "start -> 6 5 1 1 2 3 moves reroll -> 4 4 2 6; strike", 0)
    again = protocol.parse_position(game, f"{state} moves strike", 0)
    assert state.current_player == 1
    assert again != state
    assert protocol.parse_position(game, "start", 3) == game.new_state(3)


def test_what_is_hidden_is_redrawn_and_nothing_else() -> None:
    game = load_game("twenty_one")
    state = protocol.parse_position(game, "start -> 6 5 1 1 2 3 moves keep; enter YW", 0)
    shown = [protocol.visible_position(state, seed) for seed in range(20)]
    assert len({str(each) for each in shown}) > 1
    assert all((each.observation(1) == state.observation(1)).all() for each in shown)
    assert protocol.visible_position(start := ADDING_FOR_TWO.new_state(0), 1) is start


def test_limits_and_options_are_read_as_they_are_written() -> None:
    assert protocol.parse_go("") == (None, False)
    assert protocol.parse_go("infinite") == (SearchLimits(), True)
    assert protocol.parse_go("depth 3 movetime 1500") == (SearchLimits(1.5, 0, 3), False)
    for limits in (SearchLimits(), SearchLimits(0.25, 10, 4), SearchLimits(nodes=2**62)):
        assert (protocol.parse_go(protocol.format_go(limits)[3:])[0] or SearchLimits()) == limits
    assert protocol.parse_setoption("name a b value c d") == ("a b", "c d")
    assert protocol.parse_setoption("name a value <empty>") == ("a", "")
    assert protocol.format_setoption("a", "") == "setoption name a value <empty>"
    assert protocol.format_setoption("a", "b c") == "setoption name a value b c"


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
    lines = [protocol.format_info(state, result), protocol.format_visits(state, result)]
    infos = [line.removeprefix("info ") for line in lines]
    found = protocol.parse_infos(state, infos, line[0], 9.0)
    assert found == result
    assert found.seconds == 0.25
    other = int(state.legal_actions()[1])  # the variation is of another move than the one played
    assert protocol.parse_infos(state, infos, other, 9.0).principal_variation == (other,)


def test_a_variation_ends_where_chance_is_not_told(dice: State) -> None:
    assert len(protocol.parse_variation(dice, "reroll -> 4 4 2 6; strike; strike")) == 3
    assert len(protocol.parse_variation(dice, "reroll; strike; strike")) == 1
    assert protocol.parse_variation(dice, "fly; keep") == ()


def test_findings_that_cannot_be_are_ignored() -> None:
    state = load_game("turm_und_waechter").new_state()
    first, second = (int(action) for action in state.legal_actions()[:2])
    names = [state.action_name(action) for action in (first, second)]
    visits = f"visits 12 {names[0]}; x {names[1]}; 5 nonsense; 0 {names[1]}; 3"
    assert protocol.parse_infos(state, ["value 0.5", visits], second, 1.0).visits == {first: 12}


def test_values_of_more_than_two_players_sum_to_zero() -> None:
    state = load_game("twenty_one", players=3).new_state(1)
    infos = ["value 0.5"]
    assert protocol.parse_infos(state, infos, 64, 1.0).values == (0.5, -0.25, -0.25)
    infos.append("values 0.5 0 -0.5")
    assert protocol.parse_infos(state, infos, 64, 1.0).values == (0.5, 0, -0.5)


WORDS = (
    "depth nodes value values proven pv string visits time simulations 0 -1 nan inf 1e400 ; -> x"
)


@given(st.one_of(st.lists(st.sampled_from(WORDS.split())).map(" ".join), st.text()))
def test_no_info_line_does_harm(text: str) -> None:
    result = protocol.parse_infos(ADDING_FOR_TWO.new_state(0), [text, "value 0.5"], 0, 1.0)
    assert result.action == result.principal_variation[0] == 0
    assert -1 <= result.value <= 1
    assert result.depth >= 0
