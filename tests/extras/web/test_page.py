"""The page of `tzaar-envs serve` in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from recorded import whole_record

from tzaar_envs.arena.records import encode_records
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

PATIENCE = 300_000  # ms: a limit for hanging

_PLACES = "places => places.map(place => place.dataset.place)"


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Page]:
    yield from _page(chromium, address, {"width": 1280, "height": 900})


@pytest.fixture
def phone(chromium: Any, address: str) -> Iterator[Page]:
    yield from _page(chromium, address, {"width": 360, "height": 740}, has_touch=True)


def _page(chromium: Any, address: str, viewport: Any, **settings: Any) -> Iterator[Page]:
    context = chromium.new_context(viewport=viewport, **settings)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    opened.goto(address)
    yield opened
    context.close()
    assert not problems


def begin(page: Page, game: str, second: str = "You, or another person") -> None:
    """Begin a game by the dialog, with a person in the first seat."""
    page.click(f"[data-game={game}]")
    seats = page.locator("#setup-seats .who")
    for seat in range(1, seats.count()):
        seats.nth(seat).select_option(label=second)
    page.click("#setup-form button.main")
    expect(page.locator("#play")).to_be_visible()


def choose_a_move(page: Page) -> None:
    """Choose a move by pointing at its first places until it is played."""
    before = page.get_attribute("body", "data-table")
    for _ in range(12):
        if page.locator("#choices button").count():
            page.locator("#choices button").first.click()
        else:
            places = page.eval_on_selector_all("#board .can:not([aria-pressed=true])", _PLACES)
            page.locator(f"#board .marks.own [data-place='{places[0]}']").click(force=True)
        page.wait_for_timeout(30)
        chosen = page.locator("#board .marks.own .selected").count()
        offered = page.locator("#choices button").count()
        if not chosen and not offered:
            page.wait_for_function("before => document.body.dataset.table !== before", arg=before)
            return
    raise AssertionError("no move was played")


@pytest.mark.parametrize(
    ("game", "opponent"),
    [
        ("tzaar", "random"),
        ("black_elephant", "greedy"),
        ("zatre", "greedy"),
        ("twenty_one", "greedy"),
    ],
)
def test_a_whole_game_by_clicking(page: Page, game: str, opponent: str) -> None:
    begin(page, game, opponent)
    moves = 0
    while True:
        page.wait_for_function("() => document.body.dataset.ready === 'true'")
        if page.evaluate("document.body.dataset.over === 'true'"):
            break
        choose_a_move(page)
        moves += 1
    assert moves > 3
    expect(page.locator("#over")).to_contain_text(re.compile(" won|A draw"))
    page.click("#rematch")
    expect(page.locator("#over")).to_be_hidden()
    expect(page.locator("#players li").first).to_contain_text("Computer")


@pytest.mark.parametrize("game", ["zatre", "twenty_one"])
def test_persons_with_hidden_information_take_turns(page: Page, game: str) -> None:
    begin(page, game)
    expect(page.locator("#cover")).to_contain_text("Hand the screen to Player 0")
    assert page.locator("#board svg").count() == 0
    seen = set()
    for _ in range(8):
        page.wait_for_function("() => document.body.dataset.ready === 'true'")
        if page.locator("#cover").is_visible():
            seen.add(page.inner_text("#reveal"))
            expect(page.locator("#choices button")).to_have_count(0)  # of the person before
            page.click("#reveal")
            expect(page.locator("#cover")).to_be_hidden()
        else:
            choose_a_move(page)
    assert len(seen) == 2


def test_a_game_by_keyboard(page: Page) -> None:
    page.focus("[data-game=turm_und_waechter]")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    begin(page, "turm_und_waechter")
    page.focus("#board [tabindex='0']")
    start = page.evaluate("document.activeElement.dataset.place")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.place") != start
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.place") == start
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    target = page.locator("#board .can[aria-pressed=false]").first
    assert "target" in (target.get_attribute("aria-label") or "")
    target.focus()
    page.keyboard.press(" ")
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-ply", "1")
    page.keyboard.press("Escape")
    page.locator("#title").click()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-ply", "0")
    page.keyboard.press("/")
    move = page.locator("#move-names option").nth(3).get_attribute("value") or ""
    page.keyboard.type(move.lower())
    page.keyboard.press("Enter")
    expect(page.locator("#variations button")).to_have_count(2)
    page.locator("#title").click()
    page.keyboard.press("u")
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-ply", "0")


def test_analysis_and_hint(page: Page) -> None:
    begin(page, "turm_und_waechter", "greedy")
    page.click("#analyse")
    expect(page.locator("#report-moves tbody tr").first).to_be_visible()
    expect(page.locator("#report-line")).to_contain_text("Expected")
    before = page.inner_text("#report-status")
    page.wait_for_function(
        "before => document.getElementById('report-status').textContent !== before", arg=before
    )
    expect(page.locator("#board .marks.report > *")).to_have_count(1)
    page.click("#analyse")
    expect(page.locator("#report")).to_be_hidden()
    page.click("#hint")
    expect(page.locator("#status")).to_contain_text("Red's best: ")
    expect(page.locator("#board .marks.hint > *")).to_have_count(1)


def test_a_budget_by_sliders(page: Page) -> None:
    page.click("[data-game=tzaar]")
    page.locator("#setup-seats .who").nth(1).select_option("mcts")
    slider = page.locator("#setup-seats .seat").nth(1).locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("Home")
    text = page.locator("#setup-seats .text").nth(1)
    expect(text).to_have_value("mcts:simulations=1")
    page.keyboard.press("End")
    expect(text).to_have_value("mcts:simulations=100000")
    text.fill("engine:true")
    page.click("#setup-form button.main")
    expect(page.locator("#setup-error")).to_contain_text("runs code of its own")


def test_rules_and_legend(page: Page) -> None:
    begin(page, "tzaar")
    page.click("#rules-button")
    expect(page.locator("#rules h1")).to_contain_text("Tzaar")
    assert page.locator("#rules svg").count() >= 3
    page.locator("#rules .close").click()
    page.click("#legend-button")
    expect(page.locator("#legend .pieces")).to_contain_text("White Tzaar")
    expect(page.locator("#legend .page")).to_contain_text("captures")


def test_a_position_survives_a_reload_and_is_shared_by_its_address(
    page: Page, chromium: Any
) -> None:
    begin(page, "turm_und_waechter")
    choose_a_move(page)
    page.reload()
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-ply", "1")
    page.click("#share-button")
    shared = page.locator("#share-address")
    expect(shared).not_to_have_value("")
    context = chromium.new_context()
    other = context.new_page()
    other.goto(shared.input_value())
    expect(other.locator("#status")).to_contain_text("Blue to move")
    context.close()


def test_a_dropped_file_can_be_stepped_through(page: Page, tmp_path: Path) -> None:
    record = whole_record("turm_und_waechter")
    content = encode_records(RecordedGamesHeader(), [record]).decode()
    page.wait_for_selector("#games button")
    page.evaluate(
        """content => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([content], "games.jsonl"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer }));
        }""",
        content,
    )
    expect(page.locator("#moves li")).to_have_count(record.plies + 1)
    page.click("#last")
    expect(page.locator("#over")).to_contain_text("won" if max(record.returns or [0]) else "draw")
    page.click("#previous")
    expect(page.locator("#moves [aria-current]")).to_have_attribute(
        "data-ply", str(record.plies - 1)
    )
    with page.expect_download() as download:
        page.click("#save-button")
    saved = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert json.loads(saved[1])["actions"] == record.actions


@pytest.mark.parametrize(
    ("game", "lowest"),
    [
        ("tzaar", "svg"),
        ("turm_und_waechter", "svg"),
        ("black_elephant", "svg"),
        ("twenty_one", "svg"),
        ("zatre", "[data-place^=tile]"),
    ],
)
def test_board_and_hand_fit_a_small_screen(page: Page, game: str, lowest: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    begin(page, game, "Level 2")
    bottom = page.evaluate(
        "found => Math.max(...[...document.querySelectorAll('#board ' + found)]"
        ".map(each => each.getBoundingClientRect().bottom), 0)",
        lowest,
    )
    assert bottom <= 800
    for button in ("#hint", "#undo"):
        box = page.locator(button).bounding_box()
        assert box
        assert box["y"] + box["height"] <= 800


def test_a_finger_beside_a_small_place_chooses_it(phone: Page) -> None:
    begin(phone, "zatre", "Level 2")
    place = phone.locator("#board .marks.own [data-place]").first
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box
    assert box["height"] + 2 * 10 >= 24
    phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] - 10)
    expect(phone.locator("#board [aria-pressed=true]").first).to_be_attached()


def test_opponents_have_levels_and_the_board_can_be_flipped(page: Page) -> None:
    begin(page, "turm_und_waechter", "Level 3")
    expect(page.locator("#players")).to_contain_text("You")
    expect(page.locator("#players")).to_contain_text("Computer, level 3")
    place = "document.querySelector('#board [data-place=D7]').getBoundingClientRect().top"
    before = page.evaluate(place)
    page.click("#flip")
    page.wait_for_function(f"before => {place} > before + 100", arg=before)
    choose_a_move(page)
    expect(page.locator("#moves [data-ply='1']")).to_have_count(1)


def test_a_click_that_does_nothing_says_why(page: Page) -> None:
    begin(page, "turm_und_waechter", "Level 2")
    page.locator("#board [data-place=D1]").click(force=True)
    expect(page.locator("#notice")).to_contain_text("No legal move begins there")
    choose_a_move(page)
    expect(page.locator("#notice")).to_be_hidden()


def test_the_page_fits_a_phone(phone: Page) -> None:
    for game in ("tzaar", "zatre", "twenty_one"):
        expect(phone.locator(f"[data-game={game}]")).to_be_visible()
        begin(phone, game, "greedy")
        assert phone.evaluate("document.documentElement.scrollWidth") == 360
        phone.click("#home-button")


def test_colours_can_be_chosen(page: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    page.select_option("#theme", "dark")
    dark = page.evaluate(colour)
    page.select_option("#theme", "light")
    assert page.evaluate(colour) != dark
    page.reload()
    expect(page.locator("#theme")).to_have_value("light")


def test_everything_has_a_name_for_screen_readers(page: Page) -> None:
    begin(page, "black_elephant", "greedy")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, [role=img]")]
            .filter((each) => each.offsetParent !== null || each.closest("#board"))
            .filter((each) => !each.getAttribute("aria-label") && !each.labels?.length
                && !each.textContent.trim())
            .map((each) => each.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    assert page.get_attribute("#status", "aria-live") == "polite"
