"""What environments do with answers, arrays and pictures that could corrupt or tell too much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from variants import make_env

import tzaar_envs
from tzaar_envs.agents import Agent, AgentObservation
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.single_agent import SingleAgentEnv, SingleAgentVectorEnv

TZAAR = tzaar_envs.load_game("tzaar")
ZATRE = tzaar_envs.load_game("zatre")


class Wrong(Agent):
    """Answers with what a function makes of the legal actions."""

    name = "wrong"
    game = TZAAR

    def __init__(self, answer: Callable[[NDArray[np.intp]], Any], rows: Any = None) -> None:
        self._answer = answer
        self._rows = rows

    def seed(self, seed: int | Sequence[int] | None) -> None:
        pass

    def act(self, position: State | AgentObservation) -> int:
        assert isinstance(position, State)
        answer: int = self._answer(position.legal_actions())
        return answer

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        if self._rows is None:
            return super().act_rows(batch, rows)
        answers: NDArray[np.int64] = self._rows(len(rows))
        return answers


def in_one_game(agent: Agent) -> None:
    SingleAgentEnv(TZAAR, agent, seat=1).reset(seed=0)


def in_many_games(agent: Agent) -> None:
    SingleAgentVectorEnv(TZAAR, agent, seat=1, num_envs=3).reset(seed=0)


def for_sb3(agent: Agent) -> None:
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

    SingleAgentVecEnv(TZAAR, [agent], 3, seat=1, seed=0).reset()


for_many_games = pytest.mark.parametrize("ask", [in_many_games, for_sb3])
everywhere = pytest.mark.parametrize("ask", [in_one_game, in_many_games, for_sb3])


@pytest.mark.parametrize(
    "answer",
    [
        lambda legal: legal[-1] - TZAAR.num_actions,  # counted from the end it would be legal
        lambda legal: TZAAR.num_actions,
        lambda legal: 10**7,
        lambda legal: -(10**7),
        lambda legal: next(a for a in range(TZAAR.num_actions) if a not in legal),
    ],
)
@everywhere
def test_agents_play_legal_actions(ask: Callable[[Agent], None], answer: Any) -> None:
    with pytest.raises(ValueError, match=r"wrong played action -?\d+, which is not legal in"):
        ask(Wrong(answer))


@pytest.mark.parametrize(
    "rows",
    [
        lambda count: np.zeros(count + 1, np.int64),
        lambda count: np.zeros((count, 1), np.int64),
        lambda count: np.zeros(count),
        lambda count: None,
    ],
)
@for_many_games
def test_agents_answer_once_for_each_row(ask: Callable[[Agent], None], rows: Any) -> None:
    with pytest.raises(ValueError, match=r"actions of wrong of shape .* use \d+ integers"):
        ask(Wrong(lambda legal: legal[0], rows))


# --- arrays that are handed out -------------------------------------------------------------------


def views(name: str) -> list[NDArray[Any]]:
    """Return what an environment of each kind hands out with `copy=False`."""
    if name == "make_vec":
        env: Any = tzaar_envs.make_vec("tzaar_v0", num_envs=2, copy=False)
    else:
        env = SingleAgentVectorEnv("tzaar", num_envs=2, copy=False)
    observations, infos = env.reset(seed=0)
    actions = infos["action_mask"].argmax(axis=1)
    return [observations, infos["action_mask"], infos["rewards"], env.step(actions)[0]]


@pytest.mark.parametrize("name", ["make_vec", "single agent"])
def test_arrays_that_are_not_copied_cannot_be_written(name: str) -> None:
    for array in views(name):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1


# --- what players may not see ---------------------------------------------------------------------


def hands_of(state: State) -> str:
    return str(state).split(" ")[2]


def test_errors_of_environments_show_no_hands() -> None:
    env = make_env(ZATRE, illegal="raise")
    env.reset(seed=0)
    hands = hands_of(env.game_state)
    illegal = int((env.observe("player_0")["action_mask"] == 0).argmax())
    with pytest.raises(ValueError, match="is not among the") as error:
        env.step(illegal)
    assert hands not in str(error.value)

    games = tzaar_envs.make_vec("zatre_v0", illegal="raise", num_envs=1)
    _, infos = games.reset(seed=0)
    with pytest.raises(ValueError, match="of row 0 is not legal in") as error:
        games.step((infos["action_mask"] == 0).argmax(axis=1))
    assert hands not in str(error.value)

    alone = SingleAgentEnv("zatre", illegal="raise", seat=0)
    alone.reset(seed=0)
    with pytest.raises(ValueError, match="is not among the") as error:
        alone.step(int((~alone.action_masks()).argmax()))
    assert hands not in str(error.value)


@pytest.mark.parametrize("game", [ZATRE, tzaar_envs.load_game("twenty_one")])
def test_a_viewer_sees_what_the_player_sees(game: Game) -> None:
    envs = {
        viewer: make_env(game, render_mode="ansi", viewer=viewer)
        for viewer in ("all", "player_0", "player_1")
    }
    for env in envs.values():
        env.reset(seed=3)
    for _ in range(4):
        state = envs["all"].game_state
        assert envs["all"].render() == state.draw()
        assert envs["player_0"].render() == state.draw(viewer=0)
        assert envs["player_1"].render() == state.determinize(1, 5).draw(viewer=1)
        for env in envs.values():
            env.step(int(state.legal_actions()[0]))
    alone = SingleAgentEnv(game, seat=0, render_mode="ansi", viewer="player_0")
    alone.reset(seed=3)
    assert alone.render() == alone.game_state.draw(viewer=0)
