"""Results of a saved policy against baselines, kept on its card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from tzaar_envs.agents.specs import AgentText, quoted
from tzaar_envs.arena.luck import LuckMeter
from tzaar_envs.arena.match import MatchResult, forfeit_messages, play_match
from tzaar_envs.arena.plan import Progress
from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import MeasuredMatch
from tzaar_envs.networks.file import read_policy, save_policy
from tzaar_envs.system.files import existing_file


def measure_policy(
    path: str | Path,
    game: Game,
    against: Sequence[str],
    games: int,
    seed: int = 0,
    workers: int = 1,
    opening_plies: int = 2,
    progress: Progress | None = None,
    search: str = "",
    luck: str | Path | None = None,
) -> dict[str, dict[str, Any]]:
    """Let a saved policy play a match against each baseline, and write the results on its card.

    The baseline takes all other seats. Each result is written as soon as its match is over, in
    place of an earlier one against the same baseline; the file is replaced as a whole.

    Args:
        path: The policy file.
        game: The game to play; the policy must fit it.
        against: Texts that name agents.
        games: The number of games against each, a multiple of the number of seats.
        seed: Fixes everything, 0 or more.
        workers: The number of processes.
        opening_plies: Random plies before both take over.
        progress: Called as `progress(done, games)` during each match.
        search: Text that names the search, without its `policy`, that the policy plays with, such
            as `alphabeta:ms=100`; empty: it plays without one.
        luck: Policy whose values take luck from the results, see `arena.luck`; None: none.

    Returns:
        For each baseline its new entry on the card, see `measurement`.

    Raises:
        FileNotFoundError: There is no such policy.
        ValueError: An argument is not allowed, the file is not a policy for this game, or it was
            replaced while it was measured; or an agent forfeited a game.
        KeyboardInterrupt: A match was interrupted; its result is not written.
        ModuleNotFoundError: An extra is not installed.
    """
    if isinstance(against, str) or not against:
        raise ValueError(f"against={against!r} is not allowed: use a list of agents")
    path = existing_file(path, "policy file")
    content = path.read_bytes()
    network, card = read_policy(path)
    if luck is not None:
        LuckMeter(game, luck)  # refused before the first game
    agent = f"policy:{quoted(str(path))}"
    if search:
        agent = str(AgentText.parse(search, game.spec).changed("policy", str(path)))
    if agent in against:
        raise ValueError(f"against={against!r} is not allowed: {agent} is what is measured")
    for baseline in against:
        AgentText.parse(baseline, game.spec)
    found = {}
    for baseline in against:
        agents = [agent, *[baseline] * (game.num_players - 1)]
        result = play_match(game, agents, games, seed, workers, opening_plies, progress)
        if result.interrupted:
            raise KeyboardInterrupt
        for error in forfeit_messages(result.games, 1):
            raise ValueError(f"the match against {baseline} is void: {error}")
        found[baseline] = measurement(result, luck) | ({"search": search} if search else {})
        if path.read_bytes() != content:
            raise ValueError(f"{path} was replaced while it was measured: measure it again")
        card["measured"][baseline] = cast("MeasuredMatch", found[baseline])
        save_policy(path, network, card)
        content = path.read_bytes()
    return found


def measurement(result: MatchResult, luck: str | Path | None = None) -> dict[str, Any]:
    """Return the results of the first agent of a match as plain values.

    Args:
        result: The match.
        luck: A policy whose values take luck from Elo, see `arena.luck`; None: none.

    Returns:
        `games`, `wins`, `draws`, `losses`; `elo`, how much better it is than those in the
        other seats, all of one rating, with its 95 % `interval`, see `arena.ratings`; `luck`, if
        it was taken away; and `options`, `seed` and `opening_plies` of the match.
    """
    summary = result.summary(0)
    elo, half = result.standings(luck).ratings.difference(0, 1)
    return {
        "games": summary.games,
        "wins": summary.wins,
        "draws": summary.draws,
        "losses": summary.losses,
        "elo": round(elo),
        "interval": [round(elo - half), round(elo + half)],
        **({} if luck is None else {"luck": str(luck)}),
        "options": result.header.options,
        "seed": result.header.seed,
        "opening_plies": result.header.opening_plies,
    }
