"""Tables: who may see and do what; variations, undo."""

from __future__ import annotations

import pytest
from recorded import whole_record
from variants import every_game

from tzaar_envs import load_game
from tzaar_envs.arena.records import MoveData
from tzaar_envs.core.game import Game
from tzaar_envs.web.table import Table
from tzaar_envs.web.view import clickable, expectation, snapshot

PEOPLE = ["human", "human"]


def table_of(name: str, seats: list[str], is_open: bool = False) -> Table:
    return Table.begin(load_game(name), seats, 7, None, is_open)


def play_first(table: Table) -> None:
    table.play(table.state.action_name(int(table.state.legal_actions()[0])), table.shown, table.ply)


@every_game
def test_every_legal_action_can_be_pointed_at(game: Game) -> None:
    state = game.new_state(3)
    actions, hotspots = clickable(state)
    assert [entry["name"] for entry in actions] == [
        state.action_name(action) for action in state.legal_actions()
    ]
    assert {place for entry in actions for place in entry["places"]} == set(hotspots)


@pytest.mark.parametrize(
    ("value", "players", "words"),
    [
        (0.5, 2, "clearly better (75 %)"),
        (-1.0, 2, "a certain loss (0 %)"),
        (-1 / 3, 4, "a certain loss (0 %)"),
        (0.0, 5, "about even (20 %)"),
        (1.0, 6, "a certain win (100 %)"),
    ],
)
def test_a_value_is_told_as_a_chance(value: float, players: int, words: str) -> None:
    assert expectation(MoveData(value=value), players) == words


def test_a_move_in_an_earlier_position_begins_a_variation() -> None:
    table = table_of("turm_und_waechter", PEOPLE)
    for _ in range(4):
        play_first(table)
    table.go(0, 1)
    other = table.state.action_name(int(table.state.legal_actions()[-1]))
    table.play(other, 0, 1)
    assert (table.shown, table.ply, [each.plies for each in table.variations]) == (1, 2, [4, 2])
    assert table.variations[1].moves == [table.variations[0].moves[0], other]
    table.go(0, 4)
    assert table.history.to_record().plies == 4


def test_a_recorded_game_keeps_its_players_until_it_is_played_on() -> None:
    record = whole_record()
    table = Table.of_record(record)
    assert table.history.to_record().agents == record.agents
    play_first(table)
    table.go(0, 0)
    table.play(table.state.action_name(int(table.state.legal_actions()[-1])), 0, 0)
    assert [each.agents for each in table.variations] == [record.agents, PEOPLE]


def test_undo_takes_back_to_the_person() -> None:
    table = table_of("turm_und_waechter", ["human", "greedy"])
    play_first(table)
    table.play_agent(int(table.state.legal_actions()[0]), None)
    play_first(table)
    table.undo()
    assert table.ply == 2
    table.undo()
    assert table.ply == 0
    with pytest.raises(ValueError, match="nothing to take back"):
        table.undo()


def test_a_stale_move_is_refused() -> None:
    table = table_of("turm_und_waechter", PEOPLE)
    play_first(table)
    with pytest.raises(ValueError, match="has changed"):
        table.play("A7-B7-1", 0, 0)


def test_it_is_not_a_persons_turn_while_the_agents_play() -> None:
    table = table_of("turm_und_waechter", ["greedy", "human"])
    with pytest.raises(ValueError, match="not your turn"):
        play_first(table)
    table.is_paused = True
    play_first(table)
    assert table.history.plies == 1


def test_hidden_hands_are_covered_between_persons() -> None:
    table = table_of("zatre", PEOPLE)
    assert table.covered == 0
    assert snapshot(table)["board"] is None
    table.revealed = table.covered
    hand = snapshot(table)
    assert hand["can_play"]
    while table.state.current_player == 0:
        play_first(table)
    assert table.covered == 1
    assert snapshot(table)["board"] is None
    assert not snapshot(table)["actions"]
    table.undo()
    assert (table.covered, snapshot(table)["board"]) == (0, None)  # not the hand of before
    table.revealed = table.covered
    assert table.viewer == 0
    table.change_seats(["greedy", "human"])
    assert table.viewer == 1


def test_a_simultaneous_choice_is_covered_between_persons() -> None:
    table = table_of("twenty_one", PEOPLE)
    table.revealed = table.covered
    while len(table.state.acting_players()) == 1:
        table.play("keep", table.shown, table.ply)
    play_first(table)
    assert table.covered == 1
    assert snapshot(table)["moves"][-1]["name"] is None


def test_a_person_never_sees_the_hand_of_an_agent() -> None:
    table = table_of("zatre", ["greedy", "human"])
    shown = snapshot(table)
    assert not shown["actions"]
    for number in range(5):
        other = Table.begin(load_game("zatre"), ["greedy", "human"], 7, None, False)
        drawn = other.history.positions[0].determinize(1, seed=number)
        other.history.positions[0] = drawn
        assert snapshot(other)["board"] == shown["board"]


def test_a_simultaneous_choice_stays_secret() -> None:
    table = table_of("twenty_one", ["greedy", "human"])
    while table.state.current_player == 0 and len(table.state.acting_players()) == 1:
        table.play_agent(table.state.parse_action("keep"), None)
    assert table.state.current_player == 0
    table.play_agent(int(table.state.legal_actions()[0]), None)
    assert table.state.current_player == 1
    assert snapshot(table)["moves"][-1]["name"] is None
    play_first(table)
    assert all(move["name"] for move in snapshot(table)["moves"])


def test_a_recorded_game_begins_at_its_start() -> None:
    record = whole_record("turm_und_waechter")
    table = Table.of_record(record)
    assert (table.ply, table.history.plies) == (0, record.plies)
    table.go(0, record.plies)
    shown = snapshot(table)
    assert shown["over"]
    assert shown["result"]
    assert table.history.to_record().actions == record.actions
