"""The agent `engine:COMMAND`: other programs, good and bad."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from small_games.adding import ADDING_FOR_TWO

from tzaar_envs import load_game
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.engine import EngineAgent
from tzaar_envs.agents.engine_protocol import parse_position
from tzaar_envs.arena import play_match
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.state import State
from tzaar_envs.envs.single_agent import SingleAgentEnv

SCRIPT = Path(__file__).parents[1] / "helpers" / "odd_engine.py"


def command(kind: str = "good") -> str:
    """Return the command of an engine that misbehaves in this way."""
    return shlex.join([sys.executable, "-I", "-S", str(SCRIPT), kind])


def engine(kind: str = "good", **options: object) -> EngineAgent:
    return EngineAgent(ADDING_FOR_TWO, command(kind), 1, **options)


def start() -> State:
    return ADDING_FOR_TWO.new_state(0)


def test_an_engine_plays_a_game_and_says_what_it_found() -> None:
    agent = engine("noisy", ms=50)
    assert agent.name == f"engine:{command('noisy')}"
    state = start()
    assert agent.act(state) == 0
    found = agent.last_search
    assert found is not None
    assert (found.depth, found.nodes, found.value, found.seconds) == (4, 99, 0.25, 0.02)
    assert found.values == (0.25, -0.25)
    assert found.principal_variation == (0, 0)  # as far as it is legal
    while not state.is_terminal:
        state.apply(agent.act(state))


def test_an_engine_that_ignores_its_time_is_told_to_stop() -> None:
    assert engine("obedient", ms=20, timeout=60.0).act(start()) == 0


# Reading the words of "wordy" one by one from the front of a list would take minutes.
@pytest.mark.parametrize("kind", ["tabs", "dots", "prompt", "chatter", "twice", "mark", "wordy"])
def test_stray_output_costs_no_game(kind: str) -> None:
    agent, state = engine(kind, timeout=60.0), start()
    while not state.is_terminal:
        assert agent.act(state) == state.legal_actions()[0]
        found = agent.last_search
        assert kind != "tabs" or (found is not None and (found.depth, found.nodes) == (4, 99))
        state.apply(int(state.legal_actions()[0]))


FAULTS = {
    "dead-protocol": ("crash", "has lost its game: it ended with exit code 3"),
    "dead-position": ("crash", "has lost its game: it ended with exit code 3"),
    "crash": ("crash", "has lost its game: it ended with exit code 7"),
    "hang": ("time", "did not answer 'bestmove' within 0.5 s"),
    "flood": ("time", "within 0.5 s: it last said 'info string so much to say'"),
    "illegal": ("illegal action", "played 'nonsense', which is not legal in position"),
    "empty": ("illegal action", "played '', which is not legal in position"),
    "binary": ("illegal action", r"played '\\xff', which is not legal"),
    "error": ("exception", "reports an error: out of ideas"),
    "leaver": ("crash", "it ended with exit code 1: no licence"),
    "refuser": ("exception", "reports an error: this engine is not for you"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_bad_engine_loses_in_one_clear_sentence(kind: str) -> None:
    fault, sentence = FAULTS[kind]
    late = kind in ("hang", "flood")
    agent = engine(kind, timeout=0.5 if late else 60.0)
    for _ in range(1 if late else 2):  # it is started again
        with pytest.raises(ForfeitError) as caught:
            agent.act(start())
        assert caught.value.reason == fault
        assert sentence in str(caught.value)
        assert str(caught.value).startswith(f"engine {sys.executable!r} ")
        assert "\n" not in str(caught.value)


def test_options_of_the_engine_are_set_and_unknown_ones_refused() -> None:
    text = f"engine:{command()},set.style=wild,nodes=5"
    agent = make_agent(text, ADDING_FOR_TWO)
    assert isinstance(agent, EngineAgent)
    assert agent.set_options == {"style": "wild"}
    assert agent.limits.nodes == 5
    assert agent.act(start()) == 0
    with pytest.raises(ForfeitError, match="has no option 'colour': its options are seed, style"):
        make_agent(f"engine:{command()},set.colour=red", ADDING_FOR_TWO).act(start())


def test_the_command_is_quoted_as_in_a_shell() -> None:
    def words(text: str) -> tuple[list[str], float]:
        agent = make_agent(text, ADDING_FOR_TWO)
        assert isinstance(agent, EngineAgent)
        return agent._argv, agent.limits.seconds

    assert words("engine:env a 'b c',ms=100") == (["env", "a", "b c"], 0.1)
    assert words("engine:env 'a,ms=5',ms=100") == (["env", "a,ms=5"], 0.1)
    assert words('engine:env "a,ms=5"') == (["env", "a,ms=5"], 0)
    assert words(r"engine:env a\,ms=5") == (["env", "a,ms=5"], 0)
    assert words("engine:env a,b,ms=7") == (["env", "a,b"], 0.007)
    assert words("engine:env mss=5,mode=3") == (["env", "mss=5,mode=3"], 0)


def test_a_program_that_is_not_an_engine_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tzaar_envs.agents.engine._READY_SECONDS", 0.5)
    with pytest.raises(ForfeitError, match="did not answer 'protocolok' within"):
        engine("mute").act(start())


# --- Where engines play ---------------------------------------------------------------------------


def test_a_fault_costs_the_engine_its_game_in_the_arena() -> None:
    result = play_match(ADDING_FOR_TWO, [f"engine:{command('illegal')}", "random"], 2)
    for record in result.games:
        assert record.culprit is not None
        assert record.agents[record.culprit].startswith("engine:")
        assert record.returns is not None
        assert record.returns[record.culprit] == -1
        assert record.forfeit == "illegal action"
        assert record.error is not None
        assert "played 'nonsense', which is not legal in position" in record.error


def test_an_opponent_that_crashes_loses_and_one_that_never_plays_ends_the_training() -> None:
    env = SingleAgentEnv(ADDING_FOR_TWO, f"engine:{command('crash')}", seat=0)
    for _ in range(2):
        env.reset(seed=1)
        with pytest.warns(RuntimeWarning, match="an opponent has lost its game: engine"):
            _, reward, terminated, truncated, info = env.step(0)
        assert (reward, terminated, truncated) == (1.0, True, False)
        assert not info["action_mask"].any()
    env.reset(seed=1)
    with pytest.raises(ForfeitError, match="exit code 7"):
        env.step(0)


SPY = """
import sys
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "protocol":
        print("feature legal", "feature observation", "protocolok", sep="\\n")
    if word == "isready":
        print("readyok")
    if word in ("position", "observation"):
        print(word, rest, file=open(sys.argv[1], "a"))
    if word == "legal":
        move = rest.split("; ")[0]
    if word == "go":
        print("bestmove", move)
    sys.stdout.flush()
"""


def test_an_engine_is_shown_no_more_than_its_player_may_see(tmp_path: Path) -> None:
    """It gets a position with the same observation, in which secret choices are redrawn."""
    script, seen = tmp_path / "spy.py", tmp_path / "seen.txt"
    script.write_text(SPY)
    game = load_game("twenty_one")
    spy = shlex.join([sys.executable, "-I", "-S", str(script), str(seen)])
    agent = make_agent(f"engine:{spy}", game, seed=3)
    state = game.new_state(5)
    random = make_agent("random", game, seed=1)
    shown = []
    for _ in range(12):
        agent.act(state)
        shown.append(state.clone())
        state.apply(random.act(state))
    agent.close()
    lines = seen.read_text().splitlines()
    assert len(lines) == 24
    for state, position, observation in zip(shown, lines[::2], lines[1::2], strict=True):
        copied = game.parse(position.removeprefix("position "))
        player = state.current_player
        assert (copied.observation(player) == state.observation(player)).all()
        numbers = np.array(observation.split()[1:], np.int8)
        assert (numbers == state.observation(player).ravel()).all()
    assert any(f"position {state}" != line for state, line in zip(shown, lines[::2], strict=True))


def test_an_engine_that_asks_for_the_moves_knows_which_positions_have_occurred(
    tmp_path: Path,
) -> None:
    script, seen = tmp_path / "spy.py", tmp_path / "seen.txt"
    script.write_text(SPY.replace('"feature legal"', '"feature legal", "feature moves"'))
    spy = shlex.join([sys.executable, "-I", "-S", str(script), str(seen)])
    game = load_game("turm_und_waechter")
    history = GameHistory(game.new_state(0))
    round_trip = ("D7-E7-1", "D1-E1-1", "E7-D7-1", "E1-D1-1")
    for name in (*round_trip, *round_trip[:3]):
        history.apply(history.state.parse_action(name))
    agent = make_agent(f"engine:{spy}", game)
    agent.act(history.for_agent())
    agent.act(history.state)  # whose moves nobody tells
    agent.close()
    told, untold = (line for line in seen.read_text().splitlines() if line.startswith("position"))
    assert untold == f"position {history.state}"
    for line, reason in ((told, "repetition"), (untold, None)):
        state = parse_position(game, line.removeprefix("position "), 0)
        assert state == history.state
        state.apply(state.parse_action("E1-D1-1"))
        assert state.end_code == reason
