"""The playthroughs are those of the present code."""

from playthroughs.playthrough import FOLDER, file_of, playthrough
from variants import GAMES, every_game

from tzaar_envs.core.game import Game


@every_game
def test_a_game_is_played_as_written(game: Game) -> None:
    written = file_of(game).read_text(encoding="utf-8").splitlines()
    assert playthrough(game).splitlines() == written, (
        "if this change is meant, run `python tests/playthroughs/playthrough.py` and read its diff"
    )


def test_every_variant_has_a_file_of_its_own() -> None:
    files = {file_of(game) for game in GAMES}
    assert len(files) == len(GAMES)
    assert files == set(FOLDER.glob("*.txt"))
