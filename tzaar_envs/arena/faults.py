"""How an agent can lose a game at once: it gets -1, every other seat `1 / (seats - 1)`."""

FAIR = 0
ILLEGAL = 1
EXCEPTION = 2
TIME = 3
CRASH = 4

FAULT_NAMES = {
    ILLEGAL: "illegal action",
    EXCEPTION: "exception",
    TIME: "time",
    CRASH: "crash",
}


def forfeit_returns(seats: int, culprit: int) -> list[float]:
    """Return every seat's return in a game that a seat lost by its fault."""
    if seats == 1:
        return [0.0]
    returns = [1 / (seats - 1)] * seats
    returns[culprit] = -1.0
    return returns
