"""The page of a game: whole, self-contained, and safe from what a file may hold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ET
import zlib
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from recorded import short_record, whole_record

import tzaar_envs
from tzaar_envs.arena.records import forfeit_returns
from tzaar_envs.render.svg import style_sheet
from tzaar_envs.replay import PlayedGame, game_page

GAMES = tzaar_envs.list_games()


class Page(HTMLParser):
    """A page as its elements, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        self.texts[self._inside] = self.texts.get(self._inside, "") + data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of the elements with this name."""
        return [attributes for name, attributes in self.elements if name == tag]


def data_of(text: str) -> dict[str, Any]:
    """Return the data of a page."""
    found = re.search(r'<script id="game" type="text/plain">(.*?)</script>', text)
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


@pytest.mark.parametrize("name", GAMES)
def test_the_page_draws_every_position(name: str) -> None:
    played = PlayedGame(short_record(name))
    data = data_of(game_page(played))
    assert len(data["frames"]) == played.plies + 1
    assert len(set(data["parts"])) == len(data["parts"])
    for ply, frame in enumerate(data["frames"]):
        scene = played.scene(ply)
        assert frame["title"] == scene.title
        numbers = data["ground"] + frame["below"] + frame["above"]
        assert len(numbers) == len(scene.items) + 1  # and the page below them
        drawn = ET.fromstring(f"<svg>{''.join(data['parts'][n] for n in numbers)}</svg>")
        places = {group.get("data-place") for group in drawn.iter("g")}
        known = re.findall(r'data-place="(.*?)"', played.positions[ply].svg())
        assert {place for place in places if place} == set(known)


def test_the_page_needs_nothing_else() -> None:
    text = game_page(PlayedGame(whole_record()))
    page = Page(text)
    assert not re.search(r"https?://|src=|@import|url\(|<link", text)
    [policy] = [meta for meta in page.named("meta") if "http-equiv" in meta]
    digest = base64.b64encode(hashlib.sha256(page_script(text).encode()).digest()).decode()
    assert policy["content"] == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def page_script(text: str) -> str:
    return text.rpartition('<script type="module">')[2].partition("</script>")[0]


def test_people_who_do_not_see_the_board_know_what_happens() -> None:
    played = PlayedGame(whole_record())
    page = Page(game_page(played))
    [status] = [p for p in page.named("p") if p.get("role") == "status"]
    assert status["aria-live"] == "polite"
    for button in page.named("button"):
        assert button.get("aria-label") or button.get("title") or button.get("data-ply")
    moves = [button for button in page.named("button") if "data-ply" in button][1:]
    assert len(moves) == played.plies
    for button, action in zip(moves, played.record.actions, strict=True):
        assert action in str(button["aria-label"])
    for chart in page.named("svg"):
        assert chart["role"]
        assert chart["aria-label"]
    assert page.named("html")[0]["lang"] == "en"
    labelled = [field for field in page.named("input") if "aria-label" in field]
    assert labelled[0]["max"] == str(played.plies)


def test_result_and_players_are_named() -> None:
    played = PlayedGame(whole_record())
    text = game_page(played)
    assert played.reason
    for words in (played.result, played.reason, "mcts:simulations=8", "seed 1", *played.seats):
        assert words in text
    assert style_sheet() in text


def test_findings_of_a_search_are_limited_to_the_best_and_marked_on_the_board() -> None:
    record = short_record()
    data = data_of(game_page(PlayedGame(record)))
    [found, *_] = [move["search"] for move in data["moves"] if move["search"] is not None]
    assert found["facts"][1:] == ["depth 2", "1,234 nodes", "0.50 s"]
    counts = [count for _, count, _ in found["visits"]]
    assert counts == sorted(counts, reverse=True)
    assert len(counts) <= 8
    total = sum(counts) + sum(range(1, found["others"] + 1))
    assert found["visits"][0][2] == pytest.approx(100 * counts[0] / total, abs=0.06)
    assert any(under or over for under, over in marks_of(data))
    # Visits of unknown actions are left out.
    strange = [
        None if found is None else msgspec.structs.replace(found, visits={"nonsense": 3})
        for found in record.move_data
    ]
    page = game_page(PlayedGame(msgspec.structs.replace(record, move_data=strange)))
    assert not any(under or over for under, over in marks_of(data_of(page)))


def marks_of(data: dict[str, Any]) -> list[list[Any]]:
    return [frame["marks"] for frame in data["frames"] if "marks" in frame]


def test_without_values_there_is_no_curve() -> None:
    text = game_page(PlayedGame(short_record(data=False)))
    assert 'id="curve"' not in text
    assert '<label hidden><input id="marks"' in text
    assert marks_of(data_of(text)) == []


def test_no_text_of_a_file_becomes_an_element() -> None:
    evil = "</script><!--<script><img onerror=alert(1)>&\"'"
    record = msgspec.structs.replace(whole_record(), agents=[evil, evil])
    text = game_page(PlayedGame(record))
    assert [tag for tag, _ in Page(text).elements].count("script") == 2
    assert "img" not in {tag for tag, _ in Page(text).elements}
    assert evil in data_of(text)["sides"][0]


def test_a_fault_is_told() -> None:
    culprit = PlayedGame(short_record()).positions[-1].current_player
    record = msgspec.structs.replace(
        short_record(),
        forfeit="time",
        culprit=culprit,
        error="no answer within 3 s",
        returns=forfeit_returns(2, culprit),
        scores=None,
    )
    played = PlayedGame(record)
    assert played.result.endswith("lost at once: time.")
    assert "no answer within 3 s" in game_page(played)
