"""What the page offers: the games with their options, rules and pictures, and who may play them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from tzaar_envs.agents import AgentText, runs_code
from tzaar_envs.agents.ladder import levels
from tzaar_envs.agents.specs import AgentSpec, agent_name, specs_of
from tzaar_envs.arena.history import HUMAN
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.networks.card import check_fit
from tzaar_envs.networks.file import find_policy, read_card
from tzaar_envs.registry import find_spec, list_games
from tzaar_envs.rulebook import RulesPage

# Options that cost time have sliders: where each begins, and its greatest value.
_SLIDERS = {
    "simulations": {"value": 400, "most": 100_000},
    "depth": {"value": 3, "most": 8},
    "ms": {"value": 0, "most": 30_000},
}

_PICTURE = re.compile(r'<img src="(pictures/\w+\.svg)"[^>]*alt="([^"]*)"[^>]*>')
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_SIZE = re.compile(r'(<svg[^>]*?) width="\d+" height="\d+"')
_INLINE_STYLE = re.compile(r' style="[^"]*"')  # of columns; the page's policy forbids it
_OTHER_PAGE = re.compile(r'<a href="(?!https?:|#)[^"]*">(.*?)</a>', re.DOTALL)
_HEADING = re.compile(r"<h([23])>(\d+(?:\.\d+)?)\.? ")

_page = cache(RulesPage.read)


class Catalogue:
    """The games, and the agents that may take their seats.

    Args:
        agents: Agent texts that the page offers beside the agents of each game, such as
            `policy:PATH`.

    Raises:
        ValueError: No game has one of these agents, or its policy is not one, or is of none of the
            games.
        FileNotFoundError: There is no such policy, or no such program.
        ModuleNotFoundError: One of them needs an extra that is not installed.

    Attributes:
        games: Everything that the page has to know of the games before one is loaded.
    """

    def __init__(self, agents: Sequence[str] = ()) -> None:
        self._games_of = {text: _games_of(text) for text in agents}
        self.games = [self._game(find_spec(name)) for name in list_games()]

    def check(self, text: str, game: Game) -> str:
        """Return the text of who takes a seat: `human`, or an agent of the game.

        Only programs and Python code that were named when the server was started may run.

        Raises:
            ValueError: The game has no such agent, or it runs a program or Python code.
        """
        if text != HUMAN:
            AgentText.parse(text, game.spec)
            if runs_code(text) and text not in self._games_of:
                raise ValueError(
                    f"{text!r} runs code of its own, which the page may not: start the server with "
                    "this agent (--agent)"
                )
        return text

    def network(self, game: Game) -> str | None:
        """Return the agent whose network analyses show; None if none fits the game's options."""
        texts = ["policy:reference"] if "reference" in specs_of(game.spec) else []
        texts += [text for text in self._further(game.spec) if text.startswith("policy:")]
        return next((text for text in texts if _fits(text, game)), None)

    def adviser(self, game: Game) -> str:
        """Return the agent that gives hints: the strongest of the ladder, if its network fits."""
        best = game.spec.ladder[-1] if game.spec.ladder else ""
        needs_network = best.endswith("reference")
        if not best or (needs_network and not _fits("policy:reference", game)):
            return "mcts:simulations=400"
        return best

    def _further(self, spec: GameSpec) -> Iterator[str]:
        return (text for text, games in self._games_of.items() if spec.name in games)

    def _engines(self, spec: GameSpec) -> list[tuple[str, str]]:
        """Return the engines of an analysis, the best first, with what they are called."""
        engines = [("mcts", "tree search"), ("mcts:leaf=playout", "tree search with playouts")]
        if "alphabeta" in specs_of(spec):
            engines.append(("alphabeta", "alpha-beta"))
        is_trained = self.network(Game(spec)) is not None
        return [("network", "the trained network")] * is_trained + engines

    def _game(self, spec: GameSpec) -> dict[str, Any]:
        agents = [
            {"text": agent.name, "about": agent.summary, "sliders": _sliders(agent)}
            for agent in specs_of(spec).values()
            if not agent.argument  # else it needs a file or a program
        ]
        for text in self._further(spec):
            agents.append({"text": text, "about": "an agent of this server", "sliders": []})
        return {
            "name": spec.name,
            "title": spec.title,
            "summary": spec.summary,
            "goal": _page(spec.rules_page).goal if spec.rules_page is not None else "",
            "options": [_option(option) for option in spec.options],
            "players": _players(spec),
            "hidden": spec.hidden_information,
            "agents": agents,
            "levels": _levels(spec),
            "engines": self._engines(spec),
            "rules": spec.rules_page is not None,
            "picture": bool(first_picture(spec)),
        }


def _fits(text: str, game: Game) -> bool:
    """Return whether the policy of an agent text suits the options of a game."""
    path = find_policy(AgentText.parse(text, game.spec).argument, game.spec)
    try:
        check_fit(read_card(path), game, network_fits=True, path=path)
    except ValueError:
        return False
    return True


def _levels(spec: GameSpec) -> list[dict[str, str]]:
    """Return the agents of a game's ladder by level, the weakest first."""
    ratings = spec.published_ratings()
    return [
        {
            "name": f"Level {number}",
            "text": agent,
            "about": f"{agent}, rating {ratings[agent][0]:.0f} (greedy has 1000)"
            if agent in ratings
            else agent,
        }
        for number, agent in enumerate(levels(spec), start=1)
    ]


def _games_of(text: str) -> frozenset[str]:
    """Return the names of the games that an agent can play; nothing is compiled for it."""
    found: set[str] = set()
    problem: Exception = ValueError(f"no game here has an agent {text!r}")
    for spec in map(find_spec, list_games()):
        if agent_name(text) not in specs_of(spec):
            continue
        try:
            agent = AgentText.parse(text, spec)
            if runs_code(text):
                agent.make(Game(spec))  # the program starts with its first move
            is_policy = agent.spec.name == "policy"
            policy = agent.argument if is_policy else agent.options.get("policy", "")
            if not policy or read_card(find_policy(policy, spec))["game"] == spec.name:
                found.add(spec.name)
        except (ValueError, OSError) as error:
            problem = error
    if not found:
        raise problem
    return frozenset(found)


def _sliders(agent: AgentSpec) -> list[dict[str, Any]]:
    return [
        {"name": option.name, "about": option.description, "least": int(option.minimum or 0)}
        | _SLIDERS[option.name]
        for option in agent.options
        if option.name in _SLIDERS
    ]


def _option(option: Option) -> dict[str, Any]:
    kinds = {bool: "bool", int: "int", float: "float", str: "text"}
    return {
        "name": option.name,
        "kind": "choice" if option.choices else kinds[option.type],
        "value": option.default,
        "about": option.description,
        "choices": list(option.choices),
        "least": option.minimum,
        "most": option.maximum,
    }


def _players(spec: GameSpec) -> dict[str, list[str]]:
    """Return the names of the players, by the value of the option that changes how many they are.

    The key is empty for the defaults.
    """
    found = {"": list(Game(spec).layout.seat_names)}
    for option in spec.options:
        if option.name == "players":
            values = option.choices or range(int(option.minimum or 1), int(option.maximum or 1) + 1)
            for value in values:
                found[str(value)] = list(Game(spec, players=value).layout.seat_names)
    return found


def first_picture(spec: GameSpec) -> str:
    """Return the first picture of the rules as SVG in the colours of the page; empty without."""
    if spec.rules_page is None:
        return ""
    found = _PICTURE.search(_page(spec.rules_page).text)
    return _drawn(spec.rules_page.parent, found) if found else ""


def rules(spec: GameSpec) -> str:
    """Return the rules as HTML, with pictures and contents; empty if the game has none.

    The text is that of an installed package, so it is trusted as its code is.
    """
    if spec.rules_page is None:
        return ""
    page = _page(spec.rules_page)
    folder = spec.rules_page.parent
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(page.text)
    body = _PICTURE.sub(lambda found: _drawn(folder, found), body)
    body = _INLINE_STYLE.sub("", body)
    body = _OTHER_PAGE.sub(r"\1", body)  # which this server does not have
    body = _HEADING.sub(r'<h\1 id="rules-\2">\2 ', body)
    contents = "".join(
        f'<li><a href="#rules-{each.number}">{html.escape(f"{each.number} {each.title}")}</a></li>'
        for each in page.sections
        if "." not in each.number
    )
    notation = page.moves
    anchor = f' data-notation="rules-{notation.number}"' if notation else ""
    return f"<article{anchor}><nav aria-label='Contents'><ul>{contents}</ul></nav>{body}</article>"


def _drawn(folder: Path, found: re.Match[str]) -> str:
    """Return a picture of the rules in place of the element that names its file."""
    path = folder / found[1]
    if not path.is_file():
        return html.escape(found[2])
    return _SIZE.sub(r"\1", _STYLE.sub("", path.read_text(encoding="utf-8")), count=1)
