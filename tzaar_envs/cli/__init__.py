"""The command line `tzaar-envs`: quick to start, because a command is imported once it is called.

| module          | content                                               |
|-----------------|-------------------------------------------------------|
| `app`           | the program: all commands and their common options    |
| `games`         | `list`, `info`, `rules`                               |
| `play`          | `play`, `watch`, `serve`, `replay`                    |
| `terminal_game` | games in the terminal                                 |
| `matches`       | `evaluate`, `tournament`, `rate`, `dataset`, `engine` |
| `policies`      | `card`, `measure`, `export`                           |
| `benchmark`     | `benchmark`                                           |
| `train`         | `train`                                               |
| `sweep`         | `sweep`                                               |
| `check`         | `check`                                               |
| `new_game`      | `new-game`, with the template of a package            |
| `parameters`    | parameters that several commands take                 |
| `output`        | tables, sections, progress                            |
"""

import sys

try:
    from tzaar_envs.cli.app import main
except KeyboardInterrupt:
    sys.exit(130)

__all__ = ["main"]
