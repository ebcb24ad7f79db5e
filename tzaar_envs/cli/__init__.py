"""The command line `tzaar-envs`: quick to start, because a command is imported once it is called.

| module          | content                                               |
|-----------------|-------------------------------------------------------|
| `app`           | the program: all commands, and errors as one sentence |
| `common`        | what several commands share: look, options, output    |
| `games`         | `list`, `info`, `rules`, `check`, `new-game`          |
| `play`          | `play`, `watch`, `serve`, `replay`                    |
| `terminal_game` | games in the terminal                                 |
| `matches`       | `evaluate`, `tournament`, `rate`, `dataset`, `engine` |
| `policies`      | `card`, `measure`, `export`                           |
| `benchmark`     | `benchmark`                                           |
| `training`      | `train`, `sweep`                                      |
| `template`      | the package that `new-game` writes                    |
"""

import sys

try:
    from tzaar_envs.cli.app import main
except KeyboardInterrupt:
    sys.exit(130)

__all__ = ["main"]
