# ruff: noqa: E501 - the texts are as long as the lines of the code
"""Faults planted in core, random numbers, environments and wrappers."""

from fault import Fault

FAULTS = (
    # Core, random numbers, environments.
    Fault(
        "core-winners-do-not-share",
        "rewards",
        "tzaar_envs/core/",
        (("out[seat] = 1.0 / winners", "out[seat] = 1.0"),),
        "several winners get the whole prize each",
    ),
    Fault(
        "core-lead-over-all",
        "rewards",
        "tzaar_envs/core/",
        (("            if other != seat:\n", "            if other != seat or True:\n"),),
        "the best player's lead is over itself",
    ),
    Fault(
        "core-mask-keeps-old-actions",
        "masks",
        "core/masks.py",
        (("    mask[:] = 0\n    count", "    count"),),
        "actions that were legal before stay in the mask",
    ),
    Fault(
        "core-uneven-draw",
        "masks",
        "core/masks.py",
        (("left = below(rng, count)", "left = below(rng, max(1, count - 1))"),),
        "the last of several legal actions is never drawn",
    ),
    Fault(
        "core-illegal-spoils-the-state",
        "state",
        "core/state.py",
        (
            (
                "            self._words, self._tape = before, tape_before\n",
                "            self._tape = tape_before\n",
            ),
        ),
        "a refused outcome leaves a changed position",
    ),
    Fault(
        "core-copy-shares-the-board",
        "state",
        "core/state.py",
        (
            (
                "copied._words, copied._tape = self._words.copy(), self._tape.copy()",
                "copied._words, copied._tape = self._words, self._tape.copy()",
            ),
        ),
        "copies of a state share its position",
    ),
    Fault(
        "core-copy-loses-chance",
        "state",
        "core/state.py",
        (
            (
                "copied._words, copied._tape = self._words.copy(), self._tape.copy()",
                "copied._words, copied._tape = self._words.copy(), self._tape + np.uint64(2)",
            ),
        ),
        "copies of a state go on with other chance events",
    ),
    Fault(
        "core-stale-mask",
        "state",
        "core/state.py",
        (
            (
                "self._tape, mask):\n            self._mask = None\n",
                "self._tape, mask):\n            pass\n",
            ),
            (
                "self.game.implementation.apply(self._words, action, self._tape)\n            self._mask = None",
                "self.game.implementation.apply(self._words, action, self._tape)",
            ),
        ),
        "legal actions are those of the position before",
    ),
    Fault(
        "core-option-minimum",
        "options",
        "tzaar_envs/core/",
        (("value < self.minimum", "value <= self.minimum"),),
        "the least value of an option is refused",
    ),
    Fault(
        "core-symmetry-inverse",
        "symmetry",
        "core/layout.py",
        (("return self._images[actions]", "return self.actions[actions]"),),
        "actions are mapped by the inverse symmetry",
    ),
    Fault(
        "core-tape-forgets-the-rest",
        "rng",
        "rng.py",
        (("if tape[_USED] != tape[_GIVEN]:", "if tape[_USED] > tape[_GIVEN]:"),),
        "outcomes that chance does not need are accepted",
    ),
    Fault(
        "jit-uneven-shuffle",
        "rng",
        "rng.py",
        (("other = between(rng, 0, last)", "other = between(rng, 0, items.size - 1)"),),
        "shuffles are not uniform",
    ),
    Fault(
        "jit-die-without-six",
        "rng",
        "rng.py",
        (("drawn = low + below(rng, high - low + 1)", "drawn = low + below(rng, high - low)"),),
        "the greatest number of a die never comes",
    ),
    Fault(
        "jit-stale-cache",
        "compile",
        "compile.py",
        (
            ("folders = {*_SHARED, folder, ", "folders = {folder, "),
            ('{*_CORE.glob("*.py"), *folder', "{*folder"),
        ),
        "compiled code survives a change of the code that it calls",
    ),
    Fault(
        "env-rewards-are-not-collected",
        "aec",
        "tzaar_envs/",
        (
            (
                "self.agents, truncated)\n        self._accumulate_rewards()\n",
                "self.agents, truncated)\n",
            ),
        ),
        "last() does not show the final rewards",
    ),
    Fault(
        "env-mask-of-waiting-agent",
        "aec",
        "tzaar_envs/",
        (
            (
                "acts = agent == self.agent_selection and not self.terminations.get(agent, True)",
                "acts = not self.terminations.get(agent, True)",
            ),
        ),
        "agents that wait see the mover's mask",
    ),
    Fault(
        "env-truncation-terminates",
        "aec",
        "tzaar_envs/",
        (
            (
                "self._end(dict(zip(self.agents, final, strict=True)), not truncated, truncated)",
                "self._end(dict(zip(self.agents, final, strict=True)), True, truncated)",
            ),
        ),
        "a game that the move cap ends is terminated as well",
    ),
    Fault(
        "env-illegal-costs-everybody",
        "aec",
        "tzaar_envs/",
        (
            (
                "self._end({agent: ILLEGAL_REWARD}, terminated=True, truncated=True)",
                "self._end(dict.fromkeys(self.agents, ILLEGAL_REWARD), True, True)",
            ),
        ),
        "an illegal action costs all agents",
    ),
    Fault(
        "env-parallel-wait",
        "parallel",
        "tzaar_envs/",
        (("masks[seat, -1] = not over", "masks[seat, -1] = 1"),),
        "agents may wait after the end",
    ),
    Fault(
        "env-batch-mover-reward",
        "batch",
        "core/batch.py",
        (
            (
                "games.mover_rewards[row] = games.rewards[row, mover]",
                "games.mover_rewards[row] = games.rewards[row, state[SEAT]]",
            ),
        ),
        "the reward of a step is that of the seat that would be next",
    ),
    Fault(
        "env-batch-player-after-the-end",
        "batch",
        "core/batch.py",
        (
            (
                "games.players[row] = NOBODY if games.over[row] else state[SEAT]",
                "games.players[row] = state[SEAT]",
            ),
        ),
        "finished games of a batch have a player to move",
    ),
    Fault(
        "env-final-observation",
        "vector",
        "tzaar_envs/",
        (
            ("final[row] = batch.observations[row].copy()", "final[row] = batch.observations[row]"),
            ("final[row] = last.copy() if", "final[row] = last if"),
        ),
        "the last observation of an episode is overwritten by the next game",
    ),
    Fault(
        "env-vector-seeds",
        "vector",
        "tzaar_envs/",
        (
            (
                "return range(int(seed), int(seed) + self.num_envs)",
                "return [int(seed)] * self.num_envs",
            ),
        ),
        "all games of a vector environment have the same seed",
    ),
    # Wrappers.
    Fault(
        "wrapper-two-seats-speaker",
        "wrappers",
        "wrappers/",
        (
            (
                "self._speaker = env.agent_selection\n",
                "self._speaker = self._first_other\n",
            ),
        ),
        "the coalition always sees what its first seat sees",
    ),
    Fault(
        "wrapper-two-seats-illegal",
        "wrappers",
        "wrappers/",
        (("if not self._zero_sum or (terminated and truncated):", "if not self._zero_sum:"),),
        "an illegal action rewards the other side",
    ),
    Fault(
        "wrapper-symmetry-state",
        "wrappers",
        "wrappers/",
        (("action = int(self.symmetry.actions[action])", "action = int(action)"),),
        "actions on the turned board are played on the board as it is",
    ),
    Fault(
        "wrapper-transition-reward",
        "wrappers",
        "wrappers/",
        (
            (
                "collector.rewards += [env.rewards[name] for name in agents]",
                "collector.rewards += [env.rewards[agent] for name in agents]",
            ),
        ),
        "everybody's last transition has the mover's reward",
    ),
)
