"""Text players: prompts, replies of every kind, and the agent that asks for them."""

import itertools
import json
import random
import re
import runpy
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from variants import find_game

import tzaar_envs
from tzaar_envs.agents import TextAgent, parse_reply, text_prompt
from tzaar_envs.arena import play_match
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.core.errors import GameOverError, IllegalActionError, NotationError
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

DOCS = Path(__file__).parents[2] / "docs"

# How a reply may write a move, and what it may write around it.
MOVES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "small": str.lower,
    "capital": str.upper,
    "bold": "**{}**".format,
    "italic": "_{}_".format,
    "code": "`{}`".format,
    "quoted": '"{}"'.format,
    "curly": "\u201c{}\u201d".format,
    "brackets": "[{}]".format,
    "parentheses": "({})".format,
    "exclaimed": "{}!".format,
    "spaced": lambda move: move.replace("x", " x ").replace("@", " @ ").replace(">", " > "),
    "dashes": lambda move: move.replace("-", "\u2013"),
    "arrows": lambda move: move.replace(">", " -> "),
    "wide": lambda move: "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and c != "x" else c for c in move
    ),
    "boxed": "$\\boxed{{{}}}$".format,
}
REPLIES = {
    "alone": "{}",
    "sentence": "I would like to play {}, please.",
    "blank lines": "\n\n  {}  \n\n",
    "carriage returns": "My reasons are long.\r\n{}\r\n",
    "label": "Move: {}",
    "label after thought": "First {other}? It is weak.\n\nFinal answer: {}",
    "label, then talk": "{other} is tempting.\nMy move is: {}\nGood luck to you, dear friend!",
    "last line": "{other} loses a piece, and what follows is worse.\n\n{}",
    "fence": "Here it is:\n```text\n{}\n```",
    "json": '{{"thought": "why not", "move": "{}"}}',
    "thinking": "<think>Shall I play {other}, or wait?</think>\nAction: {}",
    "twice": "{} it is. Yes, {}.",
    "list": "1. {}",
    "another language": "Ich spiele {} und warte ab.",
    "illegal beside": "There was once A9xE1, but now\nanswer = {}",
}
KINDS = [*itertools.product(MOVES.values(), REPLIES.values())]
UNREADABLE = {
    "empty": "",
    "blank": " \n\t\n",
    "refusal": "I am sorry, but I cannot play games.",
    "question": "Which board do you mean?",
    "only numbers": "42",
    "half a move": "A",
    "markup": "<move></move>",
    "nothing in json": '{{"move": null}}',
    "many": "Either {move} or {other}, both are fine.",
    "many with a label": "Move: {move} or {other}",
    "many lines": "{move}\n{other}\nI cannot decide between these two moves.",
    "glued": "x{move}x",
    "binary": "\x00\x01\ufffd",
    "very long": "word " * 5000,
}


FIVE = [find_game(name) for name in tzaar_envs.list_games()]
five_games = pytest.mark.parametrize("game", FIVE, ids=str)


def choice(game: Game, seed: int) -> tuple[State, str, str]:
    """Return a position of a random game, and two legal moves that are no words of English."""
    rng = random.Random(seed)
    state, names = game.new_state(seed), list[str]()
    for _ in range(rng.randrange(20)):
        state.apply(int(rng.choice(state.legal_actions())))
    while len(names) < 2:
        state.apply(int(rng.choice(state.legal_actions())))
        names = [state.action_name(action) for action in state.legal_actions().tolist()]
        names = [name for name in names if not name.isalpha()]
    move, other = rng.sample(names, 2)
    return state, move, other


@five_games
def test_the_move_is_found_however_a_reply_says_it(game: Game) -> None:
    assert len(KINDS) >= 200
    for seed, (write, reply) in enumerate(KINDS):
        state, move, other = choice(game, seed)
        before = str(state)
        text = reply.format(write(move), write(move), other=other)
        assert state.action_name(parse_reply(state, text)) == move, text
        assert str(state) == before


@five_games
def test_a_reply_without_one_legal_move_is_refused_with_the_reason(game: Game) -> None:
    for seed, reply in enumerate(UNREADABLE.values()):
        state, move, other = choice(game, seed)
        with pytest.raises(NotationError, match=r"names (no|several) move|the reply is empty"):
            parse_reply(state, reply.format(move=move, other=other))
    state, move, _ = choice(game, 1)
    state.apply(state.parse_action(move))
    if state.game.name != "twenty_one":  # where the next player may enter the same dice
        for write, reply in KINDS:
            with pytest.raises((IllegalActionError, NotationError), match=r"is not legal|names no"):
                parse_reply(state, reply.format(write(move), write(move), other=move))


def test_words_of_english_are_moves_only_where_no_other_is_named() -> None:
    state = find_game("twenty_one").new_state(1)
    assert state.action_name(parse_reply(state, "I keep the dice.")) == "keep"
    with pytest.raises(NotationError, match="several moves, keep, reroll"):
        parse_reply(state, "Should I keep or reroll?")
    second = find_game("tzaar").new_state(1)
    second.apply(int(second.legal_actions()[0]))
    second.apply(int(second.legal_actions()[0]))
    with pytest.raises(IllegalActionError, match="'E9xA1' is not legal"):
        parse_reply(second, "I let this one pass and take E9xA1")
    reply = "I would like E9xA1, but it is too far. Move: pass"
    assert second.action_name(parse_reply(second, reply)) == "pass"
    while not state.is_terminal:
        state.apply(int(state.legal_actions()[0]))
    with pytest.raises(GameOverError):
        parse_reply(state, "keep")


def test_a_prompt_tells_what_its_reader_may_know_and_no_more() -> None:
    history = GameHistory(find_game("zatre").new_state(1))
    for _ in range(5):
        history.apply(int(history.state.legal_actions()[0]))
    state = history.for_agent()
    mover, other = state.current_player, 1 - state.current_player
    prompt = text_prompt(state)
    assert prompt == text_prompt(state, mover)
    for part in ("In a minute.", "`VALUE@CELL`", f"Moves so far: {', '.join(history.moves)}."):
        assert part in prompt
    names = [state.action_name(action) for action in state.legal_actions().tolist()]
    assert f"Your legal moves: {', '.join(names)}." in prompt
    # Another hand of the mover changes nothing for the other seat.
    views = {text_prompt(state.determinize(other, seed), other) for seed in range(9)}
    assert len(views) == 1
    assert "It is not your turn." in views.pop()
    bare = text_prompt(state, rules=False, history=False, legal_moves=False)
    assert not {"minute", "so far", "legal moves"} & {
        *re.findall("minute|so far|legal moves", bare)
    }


def test_a_prompt_keeps_an_incomplete_simultaneous_choice_secret() -> None:
    history = GameHistory(find_game("twenty_one").new_state(1))
    while len(history.state.acting_players()) < 2 or history.plies < 5:
        history.apply(int(history.state.legal_actions()[0]))
    second = history.state.acting_players()[1]
    assert "Your legal moves: " in text_prompt(history.for_agent(), second)
    known = text_prompt(history.for_agent(), second, legal_moves=False)
    prompts = set()
    for action in history.state.legal_actions().tolist()[:3]:
        branch = history.branch(history.plies)
        branch.apply(action)
        prompts.add(text_prompt(branch.for_agent(), second, legal_moves=False))
    assert len(prompts) == 1
    assert re.findall("Moves so far.*", known) == re.findall("Moves so far.*", prompts.pop())


def test_an_agent_asks_again_and_then_forfeits() -> None:
    game, prompts = find_game("turm_und_waechter"), list[str]()

    state = game.new_state(1)
    name = state.action_name(int(state.legal_actions()[3]))

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return ["hm", "A9-A8-1", f"I play {name}."][len(prompts) - 1]

    agent = TextAgent(game, ask, "model")
    assert state.action_name(agent.act(state)) == name
    first, second, _ = prompts
    assert second.startswith(first)
    assert "You replied:" in second
    silent = TextAgent(game, lambda _: "no idea", "silent", retries=0)
    result = play_match(game, [silent, "random"], games=4, seed=1)
    assert result.forfeits == {"unreadable reply": 4}
    assert (result.summary(0).losses, result.summary(0).forfeits) == (4, 4)
    assert result.summary(1).forfeits == 0
    assert result.standings().games[0].error == "silent: the reply names no move: 'no idea'"


def test_the_page_about_text_players_holds(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "text_players.md").read_text(encoding="utf-8")
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "text_players.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1].endswith(" 0")


def test_the_example_plays_a_model_behind_an_address(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert (self.path, asked["model"]) == ("/v1/chat/completions", "tiny")
            legal = asked["messages"][0]["content"].partition("Your legal moves: ")[2]
            reply = {"message": {"content": f"Move: {legal.partition(',')[0]}"}}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"choices": [reply]}).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/v1"
        words = ["turm_und_waechter", "random", "--model", "tiny", "--address", address]
        monkeypatch.setattr(sys, "argv", ["language_model.py", *words, "--games", "2"])
        runpy.run_path(str(DOCS / "examples" / "language_model.py"), run_name="__main__")
        server.shutdown()
    out = capsys.readouterr().out
    assert out.startswith("tiny: ")
    assert out.count("0 of them forfeited") == 6
