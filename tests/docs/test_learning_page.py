"""The page of learning speed: what is measured in many sittings becomes one table."""

import json

import make_learning_page
from measure_learning import LearningRun


def test_the_published_page_is_that_of_the_published_runs() -> None:
    known = json.loads(make_learning_page.KNOWN.read_text(encoding="utf-8"))
    runs = [LearningRun(**run) for run in known["runs"]]
    page = make_learning_page.page(runs, known["machines"])
    assert page == make_learning_page.PAGE.read_text(encoding="utf-8")
