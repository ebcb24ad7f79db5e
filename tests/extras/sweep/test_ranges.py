"""What a sweep searches: the ranges of settings."""

import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from tzaar_envs.cli.training import default_ranges, parse_range
from tzaar_envs.training import arguments_of

SETTINGS = arguments_of("alphazero").for_game("tzaar")


def test_ranges() -> None:
    assert parse_range(SETTINGS, "learning_rate", "1e-4..1e-2") == FloatDistribution(
        1e-4, 1e-2, log=True
    )
    assert parse_range(SETTINGS, "draws", "1..3") == IntDistribution(1, 3)
    assert parse_range(SETTINGS, "width", "32, 64") == CategoricalDistribution([32, 64])
    assert parse_range(SETTINGS, "search", "gumbel") == CategoricalDistribution(["gumbel"])
    assert parse_range(SETTINGS, "lines", "true,false") == CategoricalDistribution([True, False])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("widht", "1..2", "'widht' is no setting that a sweep of --algo alphazero can search"),
        ("folder", "a,b", "'folder' is no setting"),
        ("minutes", "1..2", "'minutes' is no setting"),
        ("width", "1.5..3", "use whole numbers"),
        ("width", "3..3", "the first number must be the smaller"),
        ("width", "0..3", "width=0 is not allowed"),
        ("draws", "0,2", "draws=0 is not allowed"),
        ("learning_rate", "fast", "use numbers"),
        ("learning_rate", "nan..1", "the first number must be the smaller"),
        ("lines", "yes", "use true or false"),
    ],
)
def test_wrong_ranges(name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_range(SETTINGS, name, text)


@pytest.mark.parametrize("algorithm", ["alphazero", "sb3", "ppo", "sb3-dqn"])
@pytest.mark.parametrize("game", ["tzaar", "zatre"])
def test_default_ranges_hold_the_defaults(algorithm: str, game: str) -> None:
    settings = arguments_of(algorithm).for_game(game)
    ranges = default_ranges(settings)
    assert "learning_rate" in ranges
    for name, found in ranges.items():
        assert found._contains(found.to_internal_repr(getattr(settings, name))), (name, found)
