"""Connect four, a game for two on a board of 6 x 7 cells."""

from tzaar_envs.authoring import ActionBlock, GameSpec, Layout, Plane, standard_files

PLANES = (
    Plane("own", "the observer's stones"),
    Plane("enemy", "the enemy's stones"),
    Plane("to_act", "everywhere 1 if the observer is to act"),
)


def _layout(options: object) -> Layout:
    return Layout(
        seat_names=("First", "Second"),
        board_shape=(6, 7),
        planes=PLANES,
        actions=(ActionBlock("drop", "the column, from the left", planes=7, on_board=False),),
        max_plies=42,
    )


SPEC = GameSpec(
    name="connect_four",
    version=0,
    title="Connect Four",
    summary="Drop stones into columns; four in a row, in any direction, win.",
    options=(),
    layout=_layout,
    **standard_files(__name__),
)
