"""The notation of positions and actions of Black Elephant, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.black_elephant.texts import (
    FIELDS,
    START,
    board,
    position,
)
from implementations import Rules

# --- Section 7: what is read and what is refused -------------------------------------------------


SOUND = "log: F6 D1; el: C3:0e A6:1n; area: 0W=3 1S=2; held 1/2; burn 2/3; home 1/2; capt 1/0"

READ = {
    "start": START,
    "every kind of field": position(
        "log: A1 B1 C1; el: A1:0n B1:1s C2:0e D2:1w; burnt: F7 E7 G6; area: 0W=1 0S=2 1W=1 1S=2; "
        "held 20/10; burn 1/2; home 2/1; capt 3/1; watch: 0=A7 1=G1",
        1,
        "59:1:499",
    ),
    "all ten elephants of each player": position(
        "area: 0W=1 0S=2 1W=3 1S=4; home 3/1; capt 1/3; el: A1:0n B1:1s", 1
    ),
    "ten captives": position("log: A1; capt 10/10"),
    "ten home": position("log: A1; home 10/10"),
    "48 logs held": position("held 0/48"),
    "48 logs": position("log: A1 A2; held 20/26"),
    "six burnt logs": position("burnt: A1 A2 B3 C3 D5 E5"),
    "five and one": position("burnt: A1 A2 B3 C3 D5; burn 0/1"),
    "burnt logs with gaps": position("burnt: A1 A2 A4 C1 D2 F4"),
    "on the opponent's goal": position("log: A7 G1; el: A7:0n G1:1e"),
    "on a danger field": position("log: D4; el: D4:0n"),
    "counters at the limits, over": position("log: A1", "-", "60:2:500"),
    "counters at the limits": position("log: A1", 0, "59:1:499"),
    "more without progress than played": position("log: A1", 0, "30:1:0"),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ.keys())
def test_read_position_is_written_again(rules: Rules, text: str) -> None:
    assert str(rules.parse(text)) == text


def changed(**fields: str) -> str:
    """Return a position that can be read, with these fields of the notation replaced."""
    order = ["board", "seat", "areas", "held", "burnt", "home", "captives", "watchers", "clock"]
    texts = position(SOUND).split(" ")
    for name, text in fields.items():
        texts[order.index(name)] = text
    return " ".join(texts)


# What no field of the notation may hold. Longer texts are cut in the names of the tests.
# fmt: off
NO_PIECES = [
    "", "L", "X", "..", "ll", "0", "e", "2e", "0E", "0x", "e0", "00e", "0e**", "0e *", "*", "l*",
    "x*", ".*", "0e*l", "\u0660e", "1n\n", "0ee", "0-", "*0e", "-1n", "1",
]
NO_SEATS = ["", "2", "--", "00", "01", "w", "-1", "+0", "\u0661", "0\n"]
NO_WATCHERS = [
    "", "D4", "D4/", "/D4", "D4/D4/D4", "4D/D4", "D4/4D", "H4/D4", "D8/D4", "D4/D0", "d4/D4",
    "D/D4", "D44/D4", "DD/D4", "D4/44", "D\u0664/D4", "D4/D4\n", "D4,D4", "D4D4", "-/-", "D04/D4",
    "44/DD",
]
NO_PAIRS = [
    "", "0", "0/", "/0", "0/0/0", "00/0", "0/01", "+1/0", "-1/0", "0/-0", "1.0/0", "a/0",
    "\u0661/0", "0/\u0661", "0/\u00b2", "0/0\n", "0:0", "0.0", "1_0/0", "0x1/0", "-/-", "999/0",
    "0/49", f"{2**64}/0", f"0/{2**32}", "9" * 5000 + "/0", "0/" + "9" * 5000,
]
NO_AREAS = [
    "", "0/0", "0.0", "0.0/", "0.0/0", "0.0/0.0/0.0", "0.0.0/0.0", "00.0/0.0", "0.0/0.01",
    "-1.0/0.0", "0.+1/0.0", "\u0661.0/0.0", "0.0/0.0\n", "0/0.0/0", "a.0/0.0", "./.", "0,0/0,0",
    f"{2**64}.0/0.0", "0.0/0." + "9" * 5000,
]
NO_CLOCKS = [
    "", "0", "0:0", "0:0:0:0", "::", "0:0:", "00:0:0", "0:0:00", "-1:0:0", "0:+1:0", "\u0661:0:0",
    "0:0:\u0661", "0:0:0\n", "a:0:0", "0/0/0", "0.0.0", "60:0:100", "0:2:100", "0:0:500",
    "61:0:100", "0:3:100", "0:0:501", f"{2**64}:0:0", f"0:{2**32}:0", "0:0:" + "9" * 5000,
]
NO_CLOCKS_WHEN_OVER = ["61:0:100", "0:3:100", "0:0:501", "60:2:0500", "600:0:100", "0:0:5000"]

# fmt: on

EMPTY_RANK = ".,.,.,.,.,.,."
TOP_RANK = ".,.,.,.,.,.,#"
REFUSED: dict[str, tuple[str, str]] = {
    # Number of fields, ranks and files.
    "empty text": ("", "field"),
    "eight fields": (START.rpartition(" ")[0], "field"),
    "ten fields": (f"{START} 0", "field"),
    "two spaces": (START.replace(" 0 ", "  0 "), "field"),
    "leading space": (f" {START}", "field"),
    "trailing space": (f"{START} ", "field"),
    "tabs": (START.replace(" ", "\t"), "field"),
    "trailing newline": (f"{START}\n", "clock"),
    "six ranks": (changed(board="/".join([TOP_RANK, *[EMPTY_RANK] * 5])), "board"),
    "eight ranks": (changed(board="/".join([TOP_RANK, *[EMPTY_RANK] * 7])), "board"),
    "six files": (changed(board=board(".,.,.,.,.,.")), "board"),
    "eight files": (changed(board=board(".,.,.,.,.,.,.,.")), "board"),
    "a trailing comma": (changed(board=board(".,.,.,.,.,.,.,")), "board"),
    "no commas": (changed(board=board(".......")), "board"),
    "empty board": (changed(board=""), "board"),
    # The black field and unknown pieces.
    "# on A1": (changed(board=board("#,.,.,.,.,.,.", 1)), "board"),
    "# on F7": (changed(board=board(".,.,.,.,.,#,#", 7)), "board"),
    **{
        f"{piece} on G7": (changed(board=board(f".,.,.,.,.,.,{piece}", 7)), "board")
        for piece in (".", "l", "x", "0e", "1n", "##", "")
    },
    **{
        f"piece {piece!r}": (changed(board=board(f".,.,{piece},.,.,.,.")), "board")
        for piece in NO_PIECES
    },
    # Elephants on their own goal fields.
    **{
        f"0 on G{rank}": (changed(board=board(".,.,.,.,.,.,0e", int(rank))), "board|goal")
        for rank in "123456"
    },
    **{
        f"1 on {file}7": (
            changed(
                board=board(",".join([*("1s*" if f == file else "." for f in "ABCDEF"), "#"]), 7)
            ),
            "board|goal",
        )
        for file in "ABCDEF"
    },
    # Seats and watchers.
    **{f"seat {seat!r}": (changed(seat=seat), "seat") for seat in NO_SEATS},
    **{
        f"watchers {watchers!r}": (changed(watchers=watchers), "watchers")
        for watchers in NO_WATCHERS
    },
    # Numbers: canonical, in ASCII digits, and two or four of them.
    **{
        f"{name} {text[:12]!r}": (changed(**{name: text}), name if name != "burnt" else "burn")
        for name in ("held", "burnt", "home", "captives")
        for text in NO_PAIRS
    },
    **{f"areas {text[:12]!r}": (changed(areas=text), "area|elephant") for text in NO_AREAS},
    # More than there is; one elephant of each player is on the board, 0 has 1 home, 1 has 2 and
    # lost 1 more.
    "eleven of 0 in the areas": (changed(areas="5.4/0.0"), "elephant|area"),
    "eleven of 1 in the areas": (changed(areas="0.0/4.3"), "elephant|area"),
    "eleven of 0 with those home": (changed(home="7/2"), "elephant|home"),
    "eleven of 1 with those home": (changed(home="1/7"), "elephant|home"),
    "eleven of 0 with the captives": (changed(captives="1/6"), "elephant|captive"),
    "eleven of 1 with the captives": (changed(captives="6/0"), "elephant|captive"),
    "eleven captives": (position("log: A1; capt 11/0"), "elephant|captive"),
    "eleven home": (position("log: A1; home 0/11"), "elephant|home"),
    "eleven on the board": (
        position(
            "log: A1; el: " + " ".join(f"{field}:0e" for field in FIELDS[7:13] + FIELDS[14:19])
        ),
        "elephant|board",
    ),
    "49 logs held": (changed(board=board(EMPTY_RANK), held="20/29"), "held|log"),
    "49 logs": (changed(held="20/27"), "held|log"),
    "49 logs from the start": (START.replace("0/0 3/3", "1/0 3/3"), "held|log"),
    "49 logs with one under an elephant": (
        changed(board=board(".,.,0e*,.,.,.,."), held="24/24"),
        "held|log",
    ),
    "four burnt logs left to 0": (changed(burnt="4/0"), "burn"),
    "four burnt logs left to 1": (changed(burnt="0/4"), "burn"),
    "seven burnt logs": (position("log: F6; burnt: A1 C1; burn 2/3"), "burn"),
    "seven burnt logs on the board": (position("log: F6; burnt: A1 C1 E1 A3 C3 F3 A5"), "burn"),
    "three in a rank": (position("log: F6; burnt: B2 C2 D2"), "burn|line|board"),
    "three in a rank with another": (position("log: F6; burnt: E7 C7 D7 A1"), "burn|line|board"),
    "three in a file": (position("log: F6; burnt: G4 G5 G6"), "burn|line|board"),
    "three in a diagonal": (position("log: F6; burnt: E5 F4 D6"), "burn|line|board"),
    "three in the other diagonal": (position("log: A6; burnt: E5 F6 D4"), "burn|line|board"),
    # The clock.
    **{f"clock {clock[:12]!r}": (changed(clock=clock), "clock") for clock in NO_CLOCKS},
    **{
        f"over, clock {clock[:12]!r}": (changed(seat="-", clock=clock), "clock")
        for clock in NO_CLOCKS_WHEN_OVER
    },
}


def test_what_is_changed_could_be_read(rules: Rules) -> None:
    """The refused positions differ from these, which are read, in one respect each."""
    for text in (changed(), changed(board=board(EMPTY_RANK)), changed(board=board(TOP_RANK, 7))):
        assert str(rules.parse(text)) == text
    for fields in (
        {"areas": "5.3/0.0"},
        {"areas": "0.0/3.3"},
        {"home": "6/2"},
        {"home": "1/6"},
        {"captives": "1/5"},
        {"captives": "5/0"},
        {"held": "20/26"},
        {"burnt": "3/3"},
        {"seat": "1"},
        {"seat": "-", "clock": "60:2:500"},
    ):
        assert str(rules.parse(changed(**fields))) == changed(**fields)


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_position(rules: Rules, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"(?i){message}"):
        rules.parse(text)
