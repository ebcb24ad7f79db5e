"""The observation of Twenty One: the numbers of its spec."""

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.layout import plane_numbers
from tzaar_envs.games.twenty_one import MOST_LEAD, common_planes, lead_planes, rules, sheet_planes
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.jit.arrays import Observation, StateArray
from tzaar_envs.jit.compile import compiled

# With one player; each further one adds a number before `to_decide` and one before `dice`.
COMMON = plane_numbers(common_planes(1))
COMMON_SIZE = sum(plane.count for plane in common_planes(1))
# From the first number of a seat on.
OF_SEAT = plane_numbers(sheet_planes("", ""), prefix="_")
SEAT_SIZE = sum(plane.count for plane in sheet_planes("", ""))

# From the first number after the sheet of another seat on.
LEAD = plane_numbers(lead_planes("", ""), prefix="_")
LEAD_SIZE = sum(plane.count for plane in lead_planes("", ""))


@compiled
def observe(state: StateArray, seat: int, out: Observation) -> None:
    """Write all numbers; of the choices of this turn only the observer's."""
    out[:] = 0
    players = state[b.PLAYERS]
    if state[STATUS] == RUNNING:
        out[COMMON.roll_phase] = state[b.PHASE] == b.ROLL
        out[COMMON.fill_phase] = state[b.PHASE] == b.FILL
        out[COMMON.active + players + (state[SEAT] - seat) % players] = 1
    out[COMMON.active + (state[b.ACTIVE] - seat) % players] = 1
    start = 2 * (players - 1)
    observe_common(state, seat, out[start:])
    start += COMMON_SIZE
    own, own_if_entered = observe_sheet(state, seat, out[start:])
    start += SEAT_SIZE
    for place in range(1, players):
        points, if_entered = observe_sheet(state, (seat + place) % players, out[start:])
        start += SEAT_SIZE
        out[start + LEAD.lead] = min(max(0, points - own), MOST_LEAD)
        out[start + LEAD.deficit] = min(max(0, own - points), MOST_LEAD)
        out[start + LEAD.lead_if_entered] = min(max(0, if_entered - own_if_entered), MOST_LEAD)
        out[start + LEAD.deficit_if_entered] = min(max(0, own_if_entered - if_entered), MOST_LEAD)
        start += LEAD_SIZE


@compiled
def observe_common(state: StateArray, seat: int, out: Observation) -> None:
    """Write dice, printed numbers, and the observer's choice."""
    for colour in range(b.DICE_COUNT):
        out[COMMON.dice + b.HIGHEST * colour + state[b.DICE.start + colour] - 1] = 1
    for row in range(b.ROWS):
        printed = state[b.PRINTED.start + row]  # of sheet A; the numbers are the same on all sheets
        for position in range(b.POSITIONS):
            out[COMMON.numbers + b.POSITIONS * row + position] = rules.number_at(printed, position)
    choice = state[b.CHOICE.start + seat]
    if choice != b.NONE:
        out[COMMON.chosen] = 1
        for position in range(b.POSITIONS):
            out[COMMON.chosen_positions + position] = choice >> position & 1


@compiled
def observe_sheet(state: StateArray, seat: int, out: Observation) -> tuple[int, int]:
    """Write the sheet of one seat, return its points: now, and if all dice that fit are entered."""
    first_printed = b.PRINTED.start + b.ROWS * state[b.SHEET.start + seat]
    first_marks = b.MARKS.start + b.ROWS * seat
    for row in range(b.ROWS):
        printed = state[first_printed + row]
        for position in range(b.POSITIONS):
            out[OF_SEAT.colours + b.POSITIONS * row + position] = rules.colour_at(printed, position)
    current = state[b.ROW.start + seat]
    points = 0
    for row in range(current):
        score = rules.row_score(state[first_marks + row], state[first_printed + row])
        out[OF_SEAT.row_scores + row] = score
        points += score
    if current == b.ROWS:
        return points, points
    out[OF_SEAT.row + current] = 1
    out[OF_SEAT.free_fields] = b.POSITIONS * (b.ROWS - 1 - current)  # and those of the current row
    score, if_entered = observe_row(
        state[first_marks + current], state[first_printed + current], state, out
    )
    if state[STATUS] != RUNNING:
        out[OF_SEAT.row_scores + current] = score
    return points + score, points + if_entered


@compiled
def observe_row(marks: int, printed: int, state: StateArray, out: Observation) -> tuple[int, int]:
    """Write the current row of a seat and how the dice fit; return its points now and with them."""
    points, hits = 0, 0
    fitting, exact_hits = 0, 0
    for position in range(b.POSITIONS):
        colour = rules.colour_at(printed, position)
        number = rules.number_at(printed, position)
        mark = rules.mark_at(marks, position)
        die = state[b.DICE.start + colour]
        value = mark * (mark != b.STRUCK)
        hit = mark == number
        free = mark == b.FREE
        fits = free & (die <= number)
        exact = free & (die == number)
        out[OF_SEAT.number + position] = number
        out[OF_SEAT.colour + b.DICE_COUNT * position + colour] = 1
        out[OF_SEAT.die + position] = die
        out[OF_SEAT.free_fields] += free
        out[OF_SEAT.free + position] = free
        out[OF_SEAT.fits + position] = fits
        out[OF_SEAT.exact + position] = exact
        out[OF_SEAT.value + position] = value
        out[OF_SEAT.hit + position] = hit
        points += value
        hits += hit
        fitting += fits * die
        exact_hits += exact
    out[OF_SEAT.hits + hits] = 1
    out[OF_SEAT.row_points] = points + rules.bonus(hits)
    return points + rules.bonus(hits), points + fitting + rules.bonus(hits + exact_hits)
