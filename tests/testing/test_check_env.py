"""`check_env` on small environments, right ones and wrong ones."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest
from small_envs import CountingEnv, GuessingEnv, HasCards, HidesAnAction

from tzaar_envs.testing import check_env


def names(env: Any) -> list[str]:
    return [finding.check for finding in check_env(env, max_steps=50)]


@pytest.mark.parametrize("env", [CountingEnv, GuessingEnv])
def test_right_environments_pass(env: Any) -> None:
    assert check_env(env) == []
    assert check_env(env()) == []


class AllowsAnIllegalAction(CountingEnv):
    def mask(self) -> Any:
        return np.ones(3, np.int8)


class PlaysWhatItLacks(CountingEnv):
    def legal(self, action: int) -> bool:
        return action == 0 or action != self.before


class MaskOfNothing(CountingEnv):
    def mask(self) -> Any:
        return np.zeros(3, np.int8)

    def legal(self, action: int) -> bool:
        return True


class MaskOfBools(CountingEnv):
    def mask(self) -> Any:
        return super().mask().astype(bool)


class AboveItsSpace(CountingEnv):
    def observe(self, agent: str) -> Any:
        observation = super().observe(agent)
        observation["observation"][0] += 19
        return observation


class OneArrayForAll(CountingEnv):
    kept = np.zeros(2, np.int8)

    def observe(self, agent: str) -> Any:
        observation = super().observe(agent)
        self.kept[:] = observation["observation"]
        return {**observation, "observation": self.kept}


class PaysTwice(CountingEnv):
    def play(self, action: int) -> None:
        super().play(action)
        self._accumulate_rewards()


class PaysNothingForEver(CountingEnv):
    def end(self, winner: str, loser: str) -> None:
        super().end(winner, loser)
        self.rewards[winner] = float("nan")


class NeverEnds(CountingEnv):
    def end(self, winner: str, loser: str) -> None:
        self.turns = self.total = 0


class EndsForOne(CountingEnv):
    def end(self, winner: str, loser: str) -> None:
        super().end(winner, loser)
        self.agents = [loser]


class FlagsAreNumbers(CountingEnv):
    def end(self, winner: str, loser: str) -> None:
        super().end(winner, loser)
        self.terminations = dict.fromkeys(self.agents, np.True_)


class NewSpaceEachTime(CountingEnv):
    def action_space(self, agent: str) -> Any:
        return type(self._action_space)(3)


class AnotherOrder(CountingEnv):
    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(seed, options)
        self.agents = self.agents[::-1]


class IgnoresItsSeed(CountingEnv):
    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(None, options)


class UsesTheGlobalGenerator(CountingEnv):
    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(seed, options)
        self.total = random.randrange(5)


class StartsAgain(CountingEnv):
    first = 0

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.first = self.first if seed is None else seed
        super().reset(self.first, options)


class LosesItsGame(CountingEnv):
    def __getstate__(self) -> Any:
        return {}

    def __setstate__(self, state: Any) -> None:
        self.__init__()  # type: ignore[misc]
        self.reset(seed=0)


class SharesItsGame(CountingEnv):
    def __deepcopy__(self, memo: Any) -> Any:
        return copy.copy(self)


class ForgetsAnAgent(GuessingEnv):
    def step(self, actions: dict[str, Any]) -> Any:
        observations, rewards, *rest = super().step(actions)
        rewards.pop("player_1")
        return observations, rewards, *rest


class StaysAfterTheEnd(GuessingEnv):
    def step(self, actions: dict[str, Any]) -> Any:
        before = self.agents
        result = super().step(actions)
        if not self.agents and self.turns < 6:
            self.agents = before[:1]
        return result


class StartsWithoutInfos(GuessingEnv):
    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        observations, _ = super().reset(seed, options)
        return observations, {}


WRONG = [
    (HidesAnAction, "legality"),
    (AllowsAnIllegalAction, "legality"),
    (PlaysWhatItLacks, "legality"),
    (MaskOfNothing, "masks"),
    (MaskOfBools, "pettingzoo"),
    (AboveItsSpace, "observations"),
    (OneArrayForAll, "observations"),
    (PaysTwice, "rewards"),
    (PaysNothingForEver, "rewards"),
    (NeverEnds, "end"),
    (EndsForOne, "agents"),
    (FlagsAreNumbers, "end"),
    (NewSpaceEachTime, "pettingzoo"),
    (AnotherOrder, "agents"),
    (IgnoresItsSeed, "seeds"),
    (UsesTheGlobalGenerator, "seeds"),
    (StartsAgain, "seeds"),
    (LosesItsGame, "copies"),
    (SharesItsGame, "copies"),
    (ForgetsAnAgent, "agents"),
    (StaysAfterTheEnd, "agents"),
    (StartsWithoutInfos, "pettingzoo"),
]


@pytest.mark.parametrize(("env", "check"), WRONG, ids=[env.__name__ for env, _ in WRONG])
def test_a_wrong_environment_is_found(env: Any, check: str) -> None:
    assert check in names(env)


class RefusesTwo(CountingEnv):
    def legal(self, action: int) -> bool:
        return super().legal(action) and action != 2


class AllowsARepetition(CountingEnv):
    def legal(self, action: int) -> bool:
        return 0 <= action < 3


@pytest.mark.parametrize(
    ("env", "what"),
    [(RefusesTwo, "hides action 2 of player_"), (AllowsARepetition, "which is not legal")],
)
def test_masks_that_the_environment_believes_are_held_against_the_rules(
    env: Any, what: str
) -> None:
    def legal(env: CountingEnv, agent: str) -> list[int]:
        return [action for action in range(3) if CountingEnv.legal(env, action)]

    assert check_env(env) == []
    assert check_env(CountingEnv, legal=legal) == []
    [found] = check_env(env, legal=legal)
    assert found.check == "masks"
    assert what in found.sentence


class ShowsTheOtherCard(HasCards):
    def observe(self, agent: str) -> Any:
        observation = super().observe(agent)
        observation["observation"][1] = self.cards[self.possible_agents[0]]
        return observation


class TellsTheOtherCard(HasCards):
    @property
    def infos(self) -> dict[str, Any]:
        return {agent: {"cards": dict(self.cards)} for agent in self.agents}

    @infos.setter
    def infos(self, infos: dict[str, Any]) -> None:
        self.cards: dict[str, int] = {}


@pytest.mark.parametrize(
    ("env", "what"), [(ShowsTheOtherCard, "observation of player_1"), (TellsTheOtherCard, "info")]
)
def test_what_is_hidden_is_drawn_anew(env: Any, what: str) -> None:
    assert check_env(env) == []
    assert check_env(HasCards, redraw=HasCards.redraw) == []
    [found] = check_env(env, redraw=env.redraw)
    assert found.check == "hidden_information"
    assert f"the {what}" in found.sentence


def test_a_finding_names_seed_and_actions() -> None:
    [hidden] = [each for each in check_env(HidesAnAction, seed=3) if each.check == "legality"]
    assert "the mask forbids player_" in hidden.sentence
    assert "action 2, which is played like a legal one" in hidden.sentence
    env = HidesAnAction()
    env.reset(seed=hidden.seed)
    for action in hidden.actions:
        env.step(action)
    assert env.legal(2)
    assert env.observe(env.agent_selection)["action_mask"][2] == 0
