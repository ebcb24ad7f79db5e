"""A language model plays a match, behind any address that speaks OpenAI's chat protocol.

    python docs/examples/language_model.py turm_und_waechter greedy --model NAME

Servers on one's own machine, such as those of llama.cpp, Ollama and vLLM, speak it. The key of a
server that needs one is taken from the environment variable OPENAI_API_KEY.
"""

from __future__ import annotations

import argparse
import json
import os
from urllib.request import Request, urlopen

from tzaar_envs import load_game
from tzaar_envs.agents import TextAgent
from tzaar_envs.arena import play_match

TIMEOUT = 600  # seconds for a reply


def ask(address: str, model: str, prompt: str) -> str:
    """Return the reply of a model to a prompt.

    Args:
        address: Where the server is, for instance `http://127.0.0.1:8080/v1`.
        model: The model's name on the server.
        prompt: The prompt.

    Raises:
        OSError: The server cannot be reached, or refuses the request.
    """
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = Request(f"{address}/chat/completions", json.dumps(body).encode(), headers)
    with urlopen(request, timeout=TIMEOUT) as response:
        reply: str = json.load(response)["choices"][0]["message"]["content"]
    return reply


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", help="name of the game")
    parser.add_argument("opponent", help="agent that the model plays against, such as greedy")
    parser.add_argument("--model", required=True, help="the model's name on the server")
    parser.add_argument("--address", default="http://127.0.0.1:8080/v1", help="of the server")
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    game = load_game(arguments.game)
    player = TextAgent(
        game, lambda prompt: ask(arguments.address, arguments.model, prompt), arguments.model
    )
    result = play_match(
        game, [player, arguments.opponent], games=arguments.games, seed=arguments.seed
    )
    for summary in result.summaries():
        where = "" if summary.seat is None else f" as {game.layout.seat_names[summary.seat]}"
        print(
            f"{summary.agent}{where}: {summary.wins} won, {summary.draws} drawn, {summary.losses} "
            f"lost, {summary.forfeits} of them forfeited"
        )


if __name__ == "__main__":
    main()
