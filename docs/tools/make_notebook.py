"""Write the notebook `docs/notebooks/first_steps.ipynb` with its outputs.

`python docs/tools/make_notebook.py` runs the cells below; it needs the extra `notebook`. A test
compares notebook and cells, and `tests/extras/notebook` runs them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "first_steps.ipynb"

# Text, and the code that follows it.
CELLS = (
    (
        "# First steps\n\n"
        "A game, a position, a search, environments and a match. Positions and environments show "
        "themselves as pictures. The first use of a game compiles it, which takes some seconds.",
        'import tzaar_envs\n\ngame = tzaar_envs.load_game("turm_und_waechter")\n'
        "state = game.new_state()\nstate",
    ),
    (
        "Actions are numbers with the same meaning in every position, and have names in the "
        "notation of the game. `tzaar-envs rules turm_und_waechter` explains both.",
        "actions = state.legal_actions()\n"
        'print(len(actions), "legal actions:")\n'
        'print(", ".join(state.action_name(action) for action in actions[:12]), "...")',
    ),
    (
        "What a player observes is an array of named planes.",
        "print(state.observation(player=0).shape)\n"
        "print([plane.name for plane in game.layout.planes][:6])",
    ),
    (
        "An agent is named by text. This one searches; its visits are marked on the board.",
        "from IPython.display import SVG\n\nfrom tzaar_envs.agents import make_agent\n\n"
        'agent = make_agent("mcts:simulations=400", game, seed=1)\n'
        "action = agent.act(state)\n"
        "search = agent.last_search\n"
        'print(state.action_name(action), f"is expected to return {search.value:+.2f}")\n'
        "SVG(state.svg(weights=search.visits, width=480))",
    ),
    (
        "The same game as a PettingZoo environment, with random legal actions.",
        'env = tzaar_envs.make("turm_und_waechter_v0", render_mode="rgb_array")\n'
        "env.reset(seed=42)\n"
        "for player in env.possible_agents:\n"
        "    env.action_space(player).seed(42)\n"
        "for player in env.agent_iter():\n"
        "    _, reward, terminated, truncated, info = env.last()\n"
        "    if terminated or truncated:\n"
        '        print(player, "gets", reward)\n'
        "        env.step(None)\n"
        "    else:\n"
        '        env.step(env.action_space(player).sample(info["action_mask"]))\n'
        "env",
    ),
    (
        "Thousands of games at once, here four.",
        'envs = tzaar_envs.make_vec("tzaar_v0", num_envs=4, seed=1)\n'
        "envs.reset()\n"
        "for _ in range(20):\n"
        "    envs.step(envs.sample_actions())\n"
        "envs",
    ),
    (
        "A match, with an interval for its result.",
        "from tzaar_envs.arena import play_match\n\n"
        'match = play_match(game, ["greedy", "random"], games=20, seed=1)\n'
        "for record in match.games[:3]:\n"
        '    print(" - ".join(record.agents), record.returns, record.end)',
    ),
)


def run() -> dict[str, Any]:
    """Return the notebook with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook()
    for number, (text, code) in enumerate(CELLS):
        notebook.cells += [
            nbformat.v4.new_markdown_cell(text, id=f"text-{number}"),
            nbformat.v4.new_code_cell(code, id=f"code-{number}"),
        ]
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            # The compiler reports its progress on the standard error stream.
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    nbformat.validate(notebook)
    return notebook


if __name__ == "__main__":
    import nbformat as library

    NOTEBOOK.parent.mkdir(exist_ok=True)
    NOTEBOOK.write_text(library.writes(run()) + "\n", encoding="utf-8")
    print(f"wrote {NOTEBOOK}, {NOTEBOOK.stat().st_size / 1000:.0f} kB")
