"""Who has which seat in a league, and when a snapshot joins."""

from collections import Counter

import numpy as np

from tzaar_envs.training.libraries.rllib_league import (
    LEARNER,
    RANDOM,
    RANDOM_SEATS,
    SELF_PLAY,
    LeagueRecord,
    draw_seats,
    snapshot_names,
)

AGENTS = ["player_0", "player_1", "player_2"]


def test_seats_are_drawn_as_they_say() -> None:
    snapshots = snapshot_names(2)
    rng = np.random.default_rng(0)
    games = [draw_seats(rng, AGENTS, snapshots) for _ in range(4000)]
    assert all(list(seats) == AGENTS for seats in games)
    learners = Counter(list(seats.values()).count(LEARNER) for seats in games)
    assert learners.keys() == {1, 3}  # one seat in the league, all in self-play
    assert abs(learners[3] / 4000 - SELF_PLAY) < 0.03
    league = [seats for seats in games if RANDOM in seats.values() or len(set(seats.values())) > 1]
    own = Counter(agent for seats in league for agent in AGENTS if seats[agent] == LEARNER)
    assert all(abs(own[agent] / len(league) - 1 / 3) < 0.04 for agent in AGENTS)
    others = Counter(member for seats in league for member in seats.values() if member != LEARNER)
    assert abs(others[RANDOM] / others.total() - RANDOM_SEATS) < 0.02
    assert abs(others[snapshots[0]] / others[snapshots[1]] - 1) < 0.1


def test_the_same_seed_draws_the_same_seats() -> None:
    one, other = (np.random.default_rng(7) for _ in range(2))
    names = snapshot_names(4)
    assert [draw_seats(one, AGENTS, names) for _ in range(50)] == [
        draw_seats(other, AGENTS, names) for _ in range(50)
    ]


def test_a_snapshot_joins_by_wins_or_by_steps() -> None:
    record = LeagueRecord(since=1000)
    assert record.win_rate == 0.0
    assert not record.is_due(1099, every=100, wins=0.7)
    assert record.is_due(1100, every=100, wins=0.7)
    record.games, record.wins = 99, 99
    assert not record.is_due(1001, every=100, wins=0.7)  # too few games to tell
    record.games, record.wins = 100, 70
    assert record.is_due(1001, every=100, wins=0.7)
    assert not record.is_due(1001, every=100, wins=0.71)


def test_the_oldest_snapshot_makes_room() -> None:
    names = snapshot_names(3)
    record = LeagueRecord(games=5, wins=2)
    places = []
    for steps in range(10, 60, 10):
        places.append(record.next_place(names))
        record.join(steps)
        assert record == LeagueRecord(snapshots=steps // 10, since=steps)
    assert places == [names[0], names[1], names[2], names[0], names[1]]
