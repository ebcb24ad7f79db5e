"""`tzaar-envs engine`: an agent that other programs ask for moves."""

from __future__ import annotations

import io
import shlex
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_games.adding import ADDING_FOR_TWO

from tzaar_envs import load_game
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.engine_protocol import ANSWERS
from tzaar_envs.agents.engine_server import EngineServer
from tzaar_envs.core.game import Game

GAME = load_game("turm_und_waechter")
PROGRAM = [sys.executable, "-m", "tzaar_envs"]


class Conversation:
    """A host that talks to an engine in this process."""

    def __init__(self, agent: str = "random", game: Game = GAME) -> None:
        self.lines: list[str] = []
        self.server = EngineServer(game, agent, self.lines.append)

    def say(self, *commands: str) -> list[str]:
        """Send commands; return what the engine has written until it is ready again."""
        self.lines.clear()
        for command in commands:
            assert self.server.obey(command)
        return self.wait()

    def wait(self) -> list[str]:
        thread = self.server._thread
        if thread is not None:
            thread.join(500)
        return self.lines[:]


@pytest.fixture
def random() -> Conversation:
    return Conversation()


def test_the_handshake_names_the_engine_and_its_options() -> None:
    lines = Conversation("mcts:simulations=30").say("protocol 1")
    assert lines[0] == "id name mcts:simulations=30 (Turm & Wächter)"
    assert "option name simulations type spin default 30 min 1 max 100000000" in lines
    assert "option name leaf type combo default lookahead var playout var evaluation var lookahead" in lines  # fmt: skip  # noqa: E501
    assert "option name seed type spin default 0 min 0 max 2147483647" in lines
    assert lines[-1] == "protocolok"


def test_an_engine_plays_what_its_agent_plays() -> None:
    host = Conversation("greedy")
    state = GAME.new_state()
    agent = make_agent("greedy", GAME, seed=5)
    host.say("setoption name seed value 5", "newgame")
    moves: list[str] = []
    for _ in range(6):
        [answer] = host.say(f"position start moves {'; '.join(moves)}", "go")
        expected = state.action_name(agent.act(state))
        assert answer == f"bestmove {expected}"
        moves.append(expected)
        state.apply(state.parse_action(expected))
    [answer] = host.say(f"position {state}", "go")
    assert answer == f"bestmove {state.action_name(agent.act(state))}"


def test_an_answer_is_written_before_the_engine_ends() -> None:
    lines: list[str] = []

    def write_slowly(line: str) -> None:
        time.sleep(0.05)
        lines.append(line)

    EngineServer(GAME, "mcts:simulations=2", write_slowly).serve(["go"])
    assert lines[-1].startswith("bestmove")


def infos(lines: list[str]) -> list[dict[str, str]]:
    found = []
    for line in lines:
        words = line.split()
        if words[0] == "info" and words[1] != "visits":
            found.append({n: words[words.index(n) + 1] for n in ("depth", "nodes", "value", "pv")})
    return found


def test_a_search_keeps_its_limits_and_says_what_it_found() -> None:
    host = Conversation("alphabeta")
    lines = host.say("go depth 2")
    assert [info["depth"] for info in infos(lines)] == ["1", "2", "2"]
    assert lines[-1] == f"bestmove {infos(lines)[-1]['pv'].removesuffix(';')}"
    lines = host.say("go nodes 3000")
    assert 3000 <= int(infos(lines)[-1]["nodes"]) < 3000 + 2 * 2048
    lines = host.say("go")  # the depth of the agent itself
    assert infos(lines)[-1]["depth"] == "3"
    lines = host.say("go movetime 1")
    assert lines[-1].startswith("bestmove ")
    # An option of text can be empty again.
    assert "option name policy type string default <empty>" in host.say("protocol 1")
    [line] = host.say("setoption name policy value /nonexistent")
    assert line == "error there is no policy file '/nonexistent'"
    lines = host.say("setoption name policy value <empty>", "go depth 1")
    assert lines[-1].startswith("bestmove ")


def test_a_tree_search_counts_simulations() -> None:
    host = Conversation("mcts")
    lines = host.say("go nodes 50")
    assert " simulations 50 " in lines[-2]
    visits = lines[-3].removeprefix("info visits ").split("; ")
    assert sum(int(each.partition(" ")[0]) for each in visits) == 50
    assert any(each.endswith(lines[-1].removeprefix("bestmove")) for each in visits)
    lines = host.say("setoption name simulations value 20", "go")
    assert " simulations 20 " in lines[-2]
    lines = host.say("go depth 2")
    assert 2 <= int(infos(lines)[-1]["depth"]) <= 4  # a look at the depth every few simulations
    lines = host.say("setoption name simulations value 0")
    assert lines == ["error option simulations=0 is not allowed: use 1 to 100000000"]


@pytest.mark.parametrize("agent", ["alphabeta", "mcts", "random"])
def test_an_infinite_search_ends_with_stop(agent: str) -> None:
    host = Conversation(agent)
    assert host.server.obey("go infinite")
    time.sleep(0.05)
    assert host.server.obey("isready")
    assert host.server.obey("position start")
    assert "readyok" in host.lines
    assert "error position is not allowed during a search: send stop first" in host.lines
    assert not any(line.startswith("bestmove") for line in host.lines)
    assert host.server.obey("stop")
    assert host.wait()[-1].startswith("bestmove ")
    assert host.say("stop") == []
    assert host.say("go nodes 20")[-1].startswith("bestmove ")


def test_bad_lines_cost_one_clear_sentence(random: Conversation) -> None:
    for line, reason in {
        "jump": "there is no command 'jump': use protocol, setoption,",
        "protocol 9": "protocol '9' is not spoken here: use protocol 1",
        "position": "position is missing",
        "position x": "position 'x': ",
        "position start moves D5-D6-1; D5-D6-1": "move 2: 'D5-D6-1' is not legal",
        f"position {'x' * 10_000}": "position 'xxx",
        "go nodes -1": "go: nodes '-1' is not an integer from 1",
        "setoption depth 3": "use setoption name NAME value VALUE",
        "setoption name depth value 3": "agent random has no option 'depth'",
        "setoption name seed value x": "option seed='x' is not allowed: use 0 to",
        "game tzaar_v0 setup=fixed": "this engine plays turm_und_waechter_v0, not tzaar_v0",
    }.items():
        [answer] = random.say(line)
        assert answer.startswith("error ")
        assert len(answer) < 1010
        assert reason in answer
    assert random.say("game turm_und_waechter_v0", "", "legal a; b", "observation 1 2") == []
    over = Conversation(game=ADDING_FOR_TWO)
    assert over.say("position 0 1 21 2", "go") == ["error go: the game is over"]
    assert random.say("isready", "go")[0] == "readyok"
    lost = "error engine 'false' has lost its game: it ended with exit code 1"
    assert Conversation("engine:false").say("go") == [lost]


def serve(data: bytes, agent: str = "random") -> list[str]:
    lines: list[str] = []
    stream = io.TextIOWrapper(io.BytesIO(data), "utf-8", "backslashreplace")
    EngineServer(GAME, agent, lines.append).serve(stream)
    return lines


def test_the_engine_answers_until_quit_or_the_end_of_its_input() -> None:
    lines = serve(b"\xff\xfe\nisready\nquit\nisready\n")
    assert lines[0].startswith("error there is no command")
    assert lines[1:] == ["readyok"]
    # The end may come before the answer, which is written all the same.
    assert serve(b"go")[-1].startswith("bestmove ")


commands = st.sampled_from(
    ["protocol 1", "isready", "newgame", "position start", "go", "go nodes 3", "stop", "go depth"]
).map(str.encode)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(commands, st.binary(max_size=40)), max_size=12))
def test_nothing_that_a_host_writes_ends_the_engine(lines: list[bytes]) -> None:
    given = [line for line in lines if b"quit" not in line]
    answers = serve(b"\n".join([*given, b"stop", b"isready", b""]))
    assert "readyok" in answers
    for answer in answers:
        assert answer.split()[0] in ANSWERS
        assert "\n" not in answer


def test_our_engine_is_an_opponent_like_any_other() -> None:
    command = shlex.join([*PROGRAM, "engine", "turm_und_waechter", "--agent", "alphabeta:depth=2"])
    agent = make_agent(f"engine:{command},depth=1", GAME, seed=1)
    state = GAME.new_state()
    direct = make_agent("alphabeta:depth=1", GAME)
    direct.act(state)
    action = agent.act(state)
    assert state.is_legal(action)
    assert agent.last_search is not None
    assert direct.last_search is not None
    assert agent.last_search.depth == 1
    assert agent.last_search.value == pytest.approx(direct.last_search.value, abs=1e-3)
    assert agent.last_search.principal_variation == (action,)
