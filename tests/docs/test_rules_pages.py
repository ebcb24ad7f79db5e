"""The rules for people: what the pages say is what the rules do."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from make_rules_pictures import FOLDER, drawings, illustrated, names_in, pictures

import tzaar_envs
from tzaar_envs.registry import find_spec
from tzaar_envs.rulebook import RulesPage, Section

ROOT = Path(__file__).parents[2]
GAMES = tzaar_envs.list_games()
CITING = ("tzaar_envs/games", "tests/games", "tests/reference", "tests/odd_positions")
CITATION = re.compile(r"\b[Ss]ections? ((?:\d+(?:\.\d+)?(?:, and |, | and | to )?)+)")
CHAPTERS = ("Set-up", "A turn", "End of the game", "Examples", "Notation", "Decisions", "Sources")


def page_of(name: str) -> RulesPage:
    path = find_spec(name).rules_page
    assert path is not None
    return RulesPage.read(path)


def source_of(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_a_page_begins_with_how_one_wins_and_has_all_chapters(name: str) -> None:
    page = page_of(name)
    assert page.goal.startswith("You win ")
    titles = [section.title for section in page.sections]
    assert set(CHAPTERS) <= set(titles)
    assert page.legend is not None
    assert page.moves is not None
    numbers = [section.number for section in page.sections if "." not in section.number]
    assert numbers == [str(number) for number in range(1, 11)]
    assert len({section.number for section in page.sections}) == len(page.sections)


def citations(name: str) -> Iterator[tuple[Path, str]]:
    """Yield the sections of a game's rules that code and tests cite, with the file that does."""
    for folder in CITING:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.stem.startswith(name) or path.parent.name == name:
                for match in CITATION.finditer(path.read_text(encoding="utf-8")):
                    yield from ((path, number) for number in re.findall(r"\d+(?:\.\d+)?", match[1]))


@pytest.mark.parametrize("name", GAMES)
def test_every_section_that_is_cited_exists(name: str) -> None:
    known = {section.number for section in page_of(name).sections}
    cited = list(citations(name))
    assert len(cited) > 20
    for path, number in cited:
        assert number in known, (path, number)


@pytest.mark.parametrize("name", GAMES)
def test_the_boards_of_a_page_are_those_of_its_positions(name: str) -> None:
    source = source_of(name)
    assert names_in(source) == list(pictures(name))
    advice = "run python docs/tools/make_rules_pictures.py"
    assert source == illustrated(name, source), advice
    for path, svg in drawings(name).items():
        assert path.read_text(encoding="utf-8") == svg, (path, advice)


# What a move looks like in a text; everything else in code spans is something else.
MOVES = {
    "tzaar": r"[A-I]\d[x+][A-I]\d|pass",
    "turm_und_waechter": r"[A-G]\d-[A-G]\d-\d",
    "black_elephant": r"[WS]>[A-G]\d|[A-G]\d>[A-G]\d|[A-G]\d>out|[A-G]\d\^[nesw]|(?:watch|burn) ..",
    "twenty_one": r"keep|reroll|strike|enter [YBWGKR]+",
    "zatre": r"\d@[A-O]\d+",
}


@pytest.mark.parametrize("name", GAMES)
def test_every_move_of_the_examples_is_claimed_legal_or_illegal(name: str) -> None:
    claimed: set[str] = set()
    for picture in pictures(name).values():
        for entry in (picture, *picture.get("line", ())):
            for key in ("moves", "illegal", "play"):
                claimed |= set(entry.get(key, ()))
    text = examples(name).text
    named = [span for span in re.findall(r"`([^`\n]+)`", text) if re.fullmatch(MOVES[name], span)]
    assert len(named) > 5
    assert set(named) <= claimed


def examples(name: str) -> Section:
    return page_of(name).find("Examples")


@pytest.mark.parametrize("name", GAMES)
def test_positions_in_the_notation_section_are_read(name: str) -> None:
    game = tzaar_envs.load_game(name)
    spans = re.findall(r"`([^`\n]+)`", page_of(name).find("7.3").text)
    spans = [span for span in spans if len(span) > 40]
    assert len(spans) == (name != "tzaar")
    for span in spans:
        assert str(game.parse(span)) == span


def test_a_section_is_found_by_number_or_word() -> None:
    page = page_of("tzaar")
    assert page.find("3.2").title == "Reach"
    assert page.find("legend") == page.legend
    assert page.find("3.").text.startswith("## 3. A turn")
    assert "### 3.2 Reach" in page.find("3").text
    assert "## 4." not in page.find("3").text
    with pytest.raises(ValueError, match=r"no section '12'.*: 1 Board and pieces; "):
        page.find("12")


@pytest.mark.parametrize("name", GAMES)
def test_the_board_fits_into_a_terminal(name: str) -> None:
    most = 80 if name == "twenty_one" else 50  # two sheets side by side
    state = tzaar_envs.load_game(name).new_state(3)
    actions = state.legal_actions()
    while len(actions):
        assert max(map(len, state.draw(colour=False).splitlines())) <= most, state
        state.apply(int(actions[len(str(state)) % len(actions)]))
        actions = state.legal_actions()
    assert max(map(len, state.draw(colour=False).splitlines())) <= most, state
