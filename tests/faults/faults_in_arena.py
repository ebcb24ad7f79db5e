"""Faults planted in the arena and in files."""

from fault import Fault

FAULTS = (
    # Arena.
    Fault(
        "arena-wilson",
        "arena",
        "tzaar_envs/",
        (("centre = (rate + _Z**2 / (2 * n)) / shrink", "centre = (rate + _Z**2 / n) / shrink"),),
        "the centre of Wilson intervals is shifted",
    ),
    Fault(
        "arena-deviation",
        "arena",
        "tzaar_envs/",
        (("array.std(ddof=1)", "array.std(ddof=0)"),),
        "intervals of means are too narrow",
    ),
    Fault(
        "arena-sprt-bounds",
        "arena",
        "tzaar_envs/",
        (
            (
                "math.log(self.beta / (1 - self.alpha))",
                "math.log(self.beta / (1 - self.alpha)) / 2",
            ),
        ),
        "the sequential test accepts the first hypothesis too early",
    ),
    Fault(
        "arena-clusters",
        "arena",
        "tzaar_envs/",
        (("clusters / max(clusters - 1, 1)", "clusters / clusters"),),
        "ratings from few starts are too sure",
    ),
    Fault(
        "arena-no-rotation",
        "arena",
        "arena/",
        (
            (
                "numbers[(seat - game.rotation) % self.seats] for seat",
                "numbers[seat] for seat",
            ),
        ),
        "results are credited to agents at other seats",
    ),
    Fault(
        "arena-draws-are-wins",
        "arena",
        "arena/",
        (
            (
                "differ & (returns[:, one] > returns[:, two])",
                "differ & (returns[:, one] >= returns[:, two])",
            ),
        ),
        "draws count as wins too",
    ),
    Fault(
        "arena-forfeit",
        "arena",
        "arena/",
        (
            (
                "returns = [1 / (seats - 1) if seats > 1 else 0.0] * seats",
                "returns = [1.0 if seats > 1 else 0.0] * seats",
            ),
        ),
        "a forfeit gives every other seat a whole win",
    ),
    Fault(
        "arena-agents-get-the-game",
        "arena",
        "arena/",
        (("act_batch([state.clone() for state in states])", "act_batch([*states])"),),
        "agents can change the games that they play",
    ),
    Fault(
        "arena-same-opening",
        "arena",
        "arena/",
        (
            (
                "end = min(first + STARTS_PER_CHUNK, self.header.games // self.seats)",
                "end = first + STARTS_PER_CHUNK",
            ),
        ),
        "the last chunk has more games than were asked for",
    ),
    Fault(
        "arena-skips-finished",
        "arena",
        "arena/",
        (
            (
                "if any(game not in finished for game in plan.games_of(batch))",
                "if plan.games_of(batch)",
            ),
        ),
        "a resumed tournament plays finished games again",
    ),
    Fault(
        "arena-trusts-results",
        "arena",
        "arena/",
        (
            (
                "            raise ValueError(f\"'agents' are not {seats} of the tournament\")",
                "            pass",
            ),
        ),
        "a results file may hold games of agents that are not of the tournament",
    ),
    Fault(
        "arena-torn-line",
        "arena",
        "tzaar_envs/",
        (
            (
                "self._end = self._end_of_last_line()\n        self._file.truncate(self._end)\n",
                "self._end = self._end_of_last_line()\n",
            ),
        ),
        "a torn last line stays in a results file that is continued",
    ),
    # Files.
    Fault(
        "files-temporary-stays",
        "files",
        "files.py",
        (("temporary.unlink(missing_ok=True)", "temporary.exists()"),),
        "a failed write leaves its temporary file behind",
    ),
    Fault(
        "files-written-in-place",
        "files",
        "files.py",
        (
            (
                'with temporary.open("wb") as file:',
                'with path.open("wb") as file, temporary.open("wb"):',
            ),
        ),
        "a file is written in place and then replaced by an empty one",
    ),
    Fault(
        "files-policy-of-another-game",
        "agents",
        "tzaar_envs/",
        (
            (
                "    check_fit(card, game, network.fits(game), path)\n    return network.eval()",
                "    return network.eval()",
            ),
            (
                "network, card = cls.read(path)\n        check_card(card, game, path)\n",
                "network, card = cls.read(path)\n",
            ),
        ),
        "a policy for another game is loaded",
    ),
    Fault(
        "files-policy-shapes",
        "agents",
        "tzaar_envs/",
        (
            (
                "    if expected != found:\n        differing",
                "    if set(expected) != set(found):\n        differing",
            ),
        ),
        "a policy whose tensors have the wrong sizes is loaded",
    ),
    Fault(
        "files-scores-are-believed",
        "files",
        "tzaar_envs/",
        (
            (
                '("scores", last.scores().tolist() if self.scores is not None else None)',
                '("scores", self.scores)',
            ),
            (
                '    if content["scores"] != scores:\n',
                '    if content["scores"] is None and scores is not None:\n',
            ),
        ),
        "the points in a saved game are believed",
    ),
    Fault(
        "files-nobody-plays",
        "files",
        "tzaar_envs/",
        (
            (
                "        if HUMAN not in history.agents:\n",
                "        if HUMAN not in [HUMAN]:\n",
            ),
        ),
        "a saved game may have no seat of a person",
    ),
    Fault(
        "training-ring-widened",
        "training",
        "tzaar_envs/networks/",
        (("np.hstack([kept, more])", "np.hstack([np.full_like(kept, filler), more])"),),
        "samples are lost when wider ones come",
    ),
)
