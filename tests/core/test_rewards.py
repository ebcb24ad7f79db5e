"""Final rewards: from points to outcomes, and what every environment pays at the end."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.toolkit import share


def shared(points: list[float]) -> list[float]:
    """Return what `share` writes for some points."""
    out = np.full(len(points), 7.0)
    share(np.array(points, np.float64), out)
    return out.tolist()


def expected_returns(points: list[float]) -> list[float]:
    winners = points.count(max(points))
    losers = len(points) - winners
    if losers == 0:
        return [0.0] * len(points)
    return [1 / winners if own == max(points) else -1 / losers for own in points]


# --- Sharing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "returns"),
    [
        ([3, 1], [1, -1]),
        ([1, 3], [-1, 1]),
        ([2, 2], [0, 0]),
        ([0, 0], [0, 0]),
        ([-5, -2], [-1, 1]),
        ([9, 4, 4], [1, -1 / 2, -1 / 2]),
        ([4, 9, 9], [-1, 1 / 2, 1 / 2]),
        ([4, 4, 4], [0, 0, 0]),
        ([1, 7, 0, 7], [-1 / 2, 1 / 2, -1 / 2, 1 / 2]),
        ([7, 7, 0, 7], [1 / 3, 1 / 3, -1, 1 / 3]),
        ([1, 2, 3, 4, 5, 6], [-1 / 5] * 5 + [1]),
    ],
)
def test_winners_share_what_the_others_lose(points: list[float], returns: list[float]) -> None:
    assert shared(points) == returns


seats_with_points = st.lists(st.integers(-3, 3) | st.integers(-500, 500), min_size=2, max_size=8)


@given(points=seats_with_points)
def test_shares_are_fair(points: list[float]) -> None:
    returns = shared(points)
    assert abs(sum(returns)) <= 1e-12
    assert returns == expected_returns(points)


# --- Games that end with given points ------------------------------------------------------------


class Ending(NamedTuple):
    """A finished game, and one that an action ends in the same way.

    Attributes:
        over: the finished position.
        before: the position one ply before the end.
        last_action: what ends it.
    """

    over: str
    before: str
    last_action: str


def zatre_sheet(points: int) -> str:
    """Return a sheet with so many points in the column 10."""
    entries = [100] * (points // 100) + [points % 100] * (points % 100 > 0)
    return f"0:{','.join(map(str, entries)) or '-'}:-:-"


def zatre_ending(points: list[int]) -> Ending:
    """Seat 0 lays the last tile of its hand; the last seat has hoarded all others."""
    before = (
        "####...#...####/#.............#/#.............#/#.............#/.............../"
        ".............../.............../#......5......#/.............../.............../"
        ".............../#.............#/#.............#/#.............#/####...#...####"
    )
    left = Counter({1: 20, 2: 20, 3: 20, 4: 20, 5: 19, 6: 20})
    hoard = "".join(str(value) * left[value] for value in sorted(left))
    hidden = ["-"] * (len(points) - 2)
    totals = [*points[:-1], points[-1] + sum(value * left[value] for value in left)]
    sheets = "/".join(map(zatre_sheet, totals))
    after = before.replace("5......#", "51.....#")
    return Ending(
        f"{after} - {'/'.join(['-', *hidden, hoard])} - - {sheets}",
        f"{before} 0 {'/'.join(['1', *hidden, hoard])} - - {sheets}",
        "1@I8",
    )


def twenty_one_ending(points: list[int]) -> Ending:
    """The last seat is the last to strike its last field; the points were made in the first row."""
    players = len(points)

    def sheets(last_row: str) -> str:
        rows = [f"{own or 'x'}xxxxx,xxxxxx,xxxxxx,xxxxxx,{last_row}" for own in points]
        return "/".join(f"{letter}:{row}" for letter, row in zip("ABCDEF", rows, strict=False))

    choices = "/".join(["0"] * (players - 1) + ["-"])
    return Ending(
        f"over 0 - 222222 {sheets('xxxxxx')} {'/'.join('-' * players)}",
        f"fill 0 {players - 1} 222222 {sheets('xxxxx.')} {choices}",
        "strike",
    )


ENDINGS = {"zatre": zatre_ending, "twenty_one": twenty_one_ending}
SCORE_UNITS = {"zatre": 50.0, "twenty_one": 25.0}


def points_of(players: int) -> list[list[int]]:
    """Return points with every set of winners; the others have different points."""
    patterns = itertools.product([True, False], repeat=players)
    return [
        [5 if wins else seat % 4 for seat, wins in enumerate(winners)]
        for winners in patterns
        if any(winners)
    ]


CASES = [
    (tzaar_envs.load_game(name, players=players), points)
    for name, most in (("zatre", 4), ("twenty_one", 6))
    for players in range(2, most + 1)
    for points in points_of(players)
    # Of the larger games some.
    if players < 5 or sum(points) % 5 == 0
]
every_ending = pytest.mark.parametrize(
    ("game", "points"),
    CASES,
    ids=[f"{game.name}-{'-'.join(map(str, points))}" for game, points in CASES],
)


def expected_rewards(game: Game, points: list[int], reward: str) -> list[float]:
    if reward == "outcome":
        return expected_returns(points)
    return [
        (own - max(points[:seat] + points[seat + 1 :])) / SCORE_UNITS[game.name]
        for seat, own in enumerate(points)
    ]


@every_ending
@pytest.mark.parametrize("reward", ["outcome", "score"])
def test_environment_pays_at_the_end(game: Game, points: list[int], reward: str) -> None:
    ending = ENDINGS[game.name](points)
    env = tzaar_envs.make(game.name, reward=reward, **game.options)
    env.reset(seed=1, options={"position": ending.before})
    assert not any(env.rewards.values())
    assert all(info.keys() == {"action_mask"} for info in env.infos.values())
    env.step(env.game_state.parse_action(ending.last_action))
    expected = expected_rewards(game, points, reward)
    assert list(env.rewards.values()) == expected
    assert [env.infos[agent]["score"] for agent in env.possible_agents] == points
    assert all(info.keys() == {"action_mask", "score"} for info in env.infos.values())
    assert env.game_state.end_code is not None
    received = {}
    for agent in env.agent_iter():
        _, received[agent], terminated, truncated, info = env.last()
        assert (terminated, truncated) == (True, False)
        assert type(info["score"]) is float
        env.step(None)
    assert [received[agent] for agent in env.possible_agents] == expected
    if reward == "outcome" or game.num_players == 2:
        assert abs(sum(expected)) <= 1e-12
    env.reset(seed=1)
    assert not any("score" in info for info in env.infos.values())


# --- The score during whole games ----------------------------------------------------------------
