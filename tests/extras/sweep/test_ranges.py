"""What a sweep searches: the ranges of settings."""

import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from tzaar_envs.cli.training import default_ranges, parse_range
from tzaar_envs.training import arguments_of

SETTINGS = arguments_of("alphazero").for_game("tzaar")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("learning_rate", "1e-4..1e-2", FloatDistribution(1e-4, 1e-2, log=True)),
        ("draws", "1..3", IntDistribution(1, 3)),
        ("width", "32, 64", CategoricalDistribution([32, 64])),
        ("search", "gumbel", CategoricalDistribution(["gumbel"])),
        ("lines", "true,false", CategoricalDistribution([True, False])),
    ],
)
def test_ranges(name: str, text: str, expected: object) -> None:
    assert parse_range(SETTINGS, name, text) == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("widht", "1..2", "'widht' is no setting that a sweep of --algo alphazero can search"),
        ("minutes", "1..2", "'minutes' is no setting"),
        ("width", "1.5..3", "use integers"),
        ("width", "3..3", "the first number must be the smaller"),
        ("draws", "0,2", "draws=0 is not allowed"),
        ("learning_rate", "fast", "use numbers"),
        ("learning_rate", "nan..1", "the first number must be the smaller"),
        ("lines", "yes", "use true or false"),
    ],
)
def test_wrong_ranges(name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_range(SETTINGS, name, text)


@pytest.mark.parametrize("algorithm", ["alphazero", "ppo"])
@pytest.mark.parametrize("game", ["tzaar", "zatre"])
def test_default_ranges_hold_the_defaults(algorithm: str, game: str) -> None:
    settings = arguments_of(algorithm).for_game(game)
    ranges = default_ranges(settings)
    assert "learning_rate" in ranges
    for name, found in ranges.items():
        assert found._contains(found.to_internal_repr(getattr(settings, name))), (name, found)
