"""The tutorial's section about RLlib runs."""

from tutorials import run_section, sections


def test_the_section_about_() -> None:
    assert run_section(sections("train.md")["RLlib"], {"__name__": "tutorial"}) == 1
