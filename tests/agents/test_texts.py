"""Agent texts: what can be written in them, and that they are read as they are printed."""

import random

import pytest

import tzaar_envs
from tzaar_envs.agents import AgentText, runs_code

SPEC = tzaar_envs.load_game("tzaar").spec
PATHS = (
    "a,b/policy.safetensors",
    "lr=0.001,bs=64/policy.safetensors",
    "a,ms=5",
    'it\'s "here", too',
    '"quoted"',
    "'",
    " spaces ",
    r"C:\Users\me,\policy.safetensors",
    "a\nb,c",
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["greedy", "alphabeta", "mcts"])
def test_a_path_of_any_characters(name: str, path: str) -> None:
    text = AgentText.parse(name, SPEC).changed("policy", path)
    assert text.options == {"policy": path}
    assert AgentText.parse(str(text), SPEC) == text
    policy = AgentText.parse(f"policy:{path}", SPEC)
    if path in PATHS[:2]:
        assert policy.argument == path  # as it is, unless it ends as options do
    assert AgentText.parse(str(policy), SPEC) == policy


def test_what_is_printed_is_read_the_same() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        path = "".join(rng.choices("ab,='\" :\\", k=rng.randint(1, 9)))
        text = AgentText.parse("mcts:ms=5", SPEC).changed("policy", path)
        assert text.options == {"ms": 5, "policy": path}
        assert AgentText.parse(str(text), SPEC) == text
        argument = AgentText.parse("policy:x", SPEC).changed("sample", "true")
        object.__setattr__(argument, "argument", path)
        assert AgentText.parse(str(argument), SPEC) == argument
        engine = AgentText.parse("engine:x,ms=5", SPEC).changed("set.book", path)
        assert AgentText.parse(str(engine), SPEC) == engine


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("MCTS", "mcts"),
        ("Mcts: simulations = 1e3 , ms=5", "mcts:simulations=1000,ms=5"),
        ("alphabeta:depth=2, policy='a,b'", 'alphabeta:depth=2,policy="a,b"'),
        ("mcts:policy=Bob's run/p,ms=5", 'mcts:ms=5,policy="Bob\'s run/p"'),
        ("policy: a.onnx , sample=true", 'policy:" a.onnx ",sample=true'),
        ("engine:./e 'a, b', ms=5, set.book='a,b'", "engine:./e 'a, b',ms=5,set.book=\"a,b\""),
    ],
)
def test_lenient_forms(text: str, same: str) -> None:
    assert str(AgentText.parse(text, SPEC)) == same


def test_a_program_is_noticed_however_it_is_written() -> None:
    assert runs_code("ENGINE:./e")
    assert runs_code(" engine :./e")
    assert not runs_code("mcts:ms=5")
