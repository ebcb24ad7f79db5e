"""Players that read and write text, such as language models: a prompt, a reply, and an agent.

`text_prompt` tells a player all that it may know, `parse_reply` finds the move in what it answers,
and `TextAgent` plays by any function from one text to another.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Sequence

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.errors import ForfeitError, IllegalActionError, NotationError
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.state import State
from tzaar_envs.core.validation import integer_from
from tzaar_envs.rulebook import RulesPage

# What a reply may write in place of the signs of a notation.
_SIGNS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u2192\u21d2\u2794\u279c", ">")
    | {"\u00d7": "x"}
)
_ARROW = re.compile(r"[-=]+>")
_DECORATION = re.compile(
    r"[*_`\"'\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb{}\[\]$]|\\(?:boxed|text|mathbf)\b"
)

# Parts of a move around which a reply may have spaces: the x of a capture, and other signs.
_SIGN = re.compile(r"(\s+|[^\w\s]|(?<=\d)x(?=[a-z]\d))", re.IGNORECASE)

# What comes after the name that a reply gives to its move; the last one counts.
_LABEL = re.compile(
    r"\b(?:move|action|answer|choice|decision)\b[^\n:=]{0,20}[:=](.*)", re.IGNORECASE
)
_SHORT = 3  # words: a last line of no more is the answer


def text_prompt(
    state: State,
    viewer: int | None = None,
    *,
    rules: bool = True,
    history: bool = True,
    legal_moves: bool = True,
) -> str:
    """Return a position as a text that asks for a move.

    It has the rules in a minute, the notation, the moves so far, the board, and the legal moves. It
    tells nothing that the viewer cannot know.

    Args:
        state: The position. Its moves so far are known where the arena made it for an
            agent, see `State.line`.
        viewer: The seat that reads it; None: the one to move.
        rules: Whether the rules and the notation are told.
        history: Whether the moves so far are told.
        legal_moves: Whether the legal moves are listed, if the viewer is to move.

    Raises:
        ValueError: There is no such seat, or nobody is to move and no viewer is given.
    """
    game = state.game
    seat = game.checked_player(state.current_player if viewer is None else viewer)
    parts = [f"You play {game.spec.title} as {game.layout.seat_names[seat]}."]
    if rules and game.spec.rules_page is not None:
        page = RulesPage.read(game.spec.rules_page)
        parts += [page.goal, page.minute]
        if page.moves is not None:
            notation = page.moves.text.partition("\n")[2]
            parts.append(f"How moves are written:\n{notation}")
    moves = _public_moves(state)
    if history and moves:
        parts.append(f"Moves so far: {', '.join(moves)}.")
    parts.append(f"The position:\n\n{state.draw(colour=False, viewer=seat)}")
    if seat not in state.acting_players():
        parts.append(state.end_reason or "It is not your turn.")
        return "\n\n".join(parts)
    if legal_moves:
        words = state.words
        words[SEAT] = seat
        own = State(game, words, state.generator)
        names = [own.action_name(action) for action in own.legal_actions().tolist()]
        parts.append(f"Your legal moves: {', '.join(names)}.")
    parts.append("Reply with one move, written as above, on the last line.")
    return "\n\n".join(parts)


def _public_moves(state: State) -> Sequence[str]:
    """Return the moves so far, without those of a simultaneous choice that is not complete."""
    if state.line is None:
        return []
    moves = state.line.moves
    if not state.game.spec.simultaneous:
        return moves
    position, hidden = state.line.start.clone(), 0
    for move, outcome in zip(moves, state.line.outcomes, strict=True):
        others = [seat for seat in position.acting_players() if seat != position.current_player]
        position.apply(position.parse_action(move), outcome)
        hidden = hidden + 1 if others and position.acting_players() == others else 0
    return moves[: len(moves) - hidden]


def parse_reply(state: State, text: str) -> int:
    """Return the one legal action that a reply in prose names; the position is unchanged.

    Case, Markdown, quotes, spaces around signs, and other dashes or arrows do not matter. What
    follows the last label, such as `Move:`, counts more than a short last line, and that more than
    the rest of the reply.

    Args:
        state: The position that the reply is about.
        text: The reply.

    Raises:
        NotationError: It names no move, or several.
        IllegalActionError: It names a move that is not legal.
        GameOverError: The game is over.
    """
    if state.is_terminal:
        raise state.refusal(0)
    reply = _ARROW.sub(">", unicodedata.normalize("NFKC", text).translate(_SIGNS))
    reply = _DECORATION.sub(" ", reply).strip()
    last_line = reply.rpartition("\n")[2]
    scopes = [*_LABEL.findall(reply)[-1:], *[last_line] * (len(last_line.split()) <= _SHORT), reply]
    several: Sequence[str] = ()
    for scope in scopes:
        legal, illegal = _moves_in(state, scope)
        # A word such as `pass` is no move where another one is named.
        sure = {name: action for name, action in legal.items() if not (illegal and name.isalpha())}
        if len(sure) == 1:
            return next(iter(sure.values()))
        if illegal and not sure:
            raise IllegalActionError(f"{illegal[-1]!r} is not legal: {state.label}")
        several = several or [*sure]
    if several:
        raise NotationError(f"the reply names several moves, {', '.join(several)}: name one")
    start = " ".join(text.split())[:60]
    raise NotationError(f"the reply names no move: {start!r}" if start else "the reply is empty")


def _moves_in(state: State, text: str) -> tuple[dict[str, int], list[str]]:
    """Return the legal moves that a text names, by name, and others that are not legal."""
    names = {state.action_name(action): action for action in state.legal_actions().tolist()}
    by_letters = {_letters(name): name for name in names}
    # The longest first: `enter WB` begins as `enter W` does.
    patterns = map(_pattern, sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w|[-+>@^]\w)", re.IGNORECASE)
    found = [by_letters[_letters(match)] for match in pattern.findall(text)]
    shapes = {_shape(name) for name in names if any(map(str.isdigit, name))}
    illegal = []
    words = [word.strip(".,;:!?()") for word in pattern.sub("\n", text).split(" ")]
    for word in [*words, *map(" ".join, itertools.pairwise(words))]:
        try:
            found.append(state.action_name(state.parse_action(word)))
        except IllegalActionError:
            illegal.append(word)
        except NotationError:
            illegal += [word] * (_shape(word) in shapes)
    return {name: names[name] for name in found}, illegal


def _pattern(name: str) -> str:
    parts = (r"[\s:]+" if part.isspace() else re.escape(part) for part in _SIGN.split(name))
    return r"\s*".join(filter(None, parts))


def _letters(move: str) -> str:
    return re.sub(r"[\s:]", "", move).casefold()


def _shape(move: str) -> str:
    return re.sub(r"\d", "0", re.sub(r"[a-wyz]", "a", _letters(move)))


class TextAgent(Agent):
    """Plays by a function from prompts to replies, such as a call to a language model.

    A reply that names no legal move is sent back with the reason, a few times; after that the agent
    forfeits its game, as `illegal action` or `unreadable reply`.

    Args:
        game: The game that it plays.
        ask: Returns the reply to a prompt.
        name: Its name in results.
        retries: How often it is asked again about one move.
        rules: Whether prompts tell the rules and the notation.
        history: Whether they tell the moves so far.
        legal_moves: Whether they list the legal moves.
    """

    def __init__(
        self,
        game: Game,
        ask: Callable[[str], str],
        name: str = "text",
        *,
        retries: int = 2,
        rules: bool = True,
        history: bool = True,
        legal_moves: bool = True,
    ) -> None:
        self.game = game
        self.ask = ask
        self.name = name
        self.retries = integer_from("retries", retries, 0)
        self.told = {"rules": rules, "history": history, "legal_moves": legal_moves}

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Do nothing: the function makes all choices."""

    def act(self, position: State | AgentObservation) -> int:
        """Return the move of the first reply that names one.

        Raises:
            ForfeitError: No reply did.
        """
        state = self.require_state(position)
        prompt = question = text_prompt(state, **self.told)
        for _ in range(self.retries + 1):
            reply = self.ask(question)
            try:
                return parse_reply(state, reply)
            except (NotationError, IllegalActionError) as error:
                problem = error
            question = f"{prompt}\n\nYou replied:\n\n{reply}\n\nThis cannot be played: {problem}."
        illegal = isinstance(problem, IllegalActionError)
        raise ForfeitError(
            "illegal action" if illegal else "unreadable reply", f"{self.name}: {problem}"
        )
