"""An engine that plays the first legal move until it misbehaves; the argument says how.

python odd_engine.py crash
"""

import os
import sys
import time

sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
KIND = sys.argv[1] if len(sys.argv) > 1 else "good"
moves: list[str] = []

BEFORE = {  # instead of the answer to `protocol`
    "mute": lambda: time.sleep(1000),
    "leaver": lambda: sys.exit("no licence"),
    "refuser": lambda: print("error this engine is not for you"),
    "stranger": lambda: print("uciok"),
}
INSTEAD = {  # of the answer to `go`
    "crash": lambda: os._exit(7),
    "hang": lambda: time.sleep(1000),
    "illegal": lambda: print("bestmove nonsense"),
    "empty": lambda: print("bestmove"),
    "error": lambda: print("error out of ideas"),
    "binary": lambda: sys.stdout.buffer.write(bytes(range(256)) + b"\nbestmove \xff\n"),
    "wordy": lambda: print("info " + "x " * 500_000),
    "flood": lambda: [print("info string so much to say") for _ in iter(int, 1)],
}
ANSWERS = {
    "tabs": "info\tdepth\t4\t\tnodes\t99\tvalue\t0.25\nbestmove\t{first}\t",
    "dots": "thinking...bestmove {first}",
    "prompt": "> bestmove {first}",
    "chatter": "a bestmove is hard to find\nbestmove {first}",
    "twice": "bestmove {first}\nbestmove {last}\nbestmove nonsense",
    "mark": "\ufeffbestmove {first}",
}
NOISE = [
    "info depth -3 nodes x value nan time 1e9 pv",
    "info value 7 values 1 depth",
    "info",
    "hello?",
    "",
    "info depth 4 nodes 99 value 0.25 time 20 pv {move}; {move}; nonsense",
    "info string value 0.9",
]


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if f"dead-{word}" == KIND:
        os._exit(3)
    if word == "protocol":
        if KIND in BEFORE:
            BEFORE[KIND]()
        print("id name Odd\nfeature legal\noption name seed type spin default 0")
        print("option name style type string default none\nprotocolok")
    elif word == "isready":
        print("readyok")
    elif word == "legal":
        moves = rest.split("; ")
    elif word == "go":
        if KIND in INSTEAD:
            INSTEAD[KIND]()
        if KIND == "noisy":
            print("\n".join(NOISE).format(move=moves[0]))
        if KIND == "obedient":
            while not sys.stdin.readline().startswith("stop"):
                pass
        print(ANSWERS.get(KIND, "bestmove {first}").format(first=moves[0], last=moves[-1]))
    elif word == "quit":
        break
    sys.stdout.flush()
