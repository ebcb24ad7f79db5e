"""Parts of a notation that games share."""

import re

import pytest

from tzaar_envs.authoring import CellNames
from tzaar_envs.core.notation import check_canonical, column_names


@pytest.mark.parametrize(
    ("columns", "rows"), [("ABC", 2), ("ABCDEFGHI", 12), (column_names(30), 3)]
)
def test_every_cell_has_one_name(columns: str | list[str], rows: int) -> None:
    names = CellNames(columns, rows)
    found = list(names)
    assert len(set(found)) == len(columns) * rows
    assert found[0] == "A1"
    assert found[len(columns)] == "A2"
    assert [names.cell(name) for name in found] == list(range(len(found)))
    assert [names.name(cell) for cell in range(len(found))] == found
    assert all(re.fullmatch(names.pattern, name) for name in found)
    for wrong in ("A0", f"A{rows + 1}", "a1", "Z1" if len(columns) < 26 else "ZZ1", "A", "1", ""):
        assert not re.fullmatch(names.pattern, wrong)


def test_all_fields_that_do_not_fit_are_named_with_what_is_expected() -> None:
    names, canonical = ("board", "side", "hands"), "../xo w 12/-"
    check_canonical(names, canonical, canonical)
    sentence = "the fields do not fit together: board 'ox', expected 'xo'; hands '-', expected '12'"
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        check_canonical(names, "../ox w -/-", canonical)
    with pytest.raises(ValueError, match=r"hands '12/-/-', expected '12/-'$"):
        check_canonical(names, f"{canonical}/-", canonical)
