"""The command line `tzaar-envs`: thin, and quick to start because commands import what they need.

| module       | commands                                                     |
|--------------|--------------------------------------------------------------|
| `games`      | `list`, `info`                                               |
| `play`       | `play`                                                       |
| `evaluate`   | `evaluate`                                                   |
| `tournament` | `tournament`, `rate`                                         |
| `dataset`    | `dataset`                                                    |
| `engine`     | `engine`                                                     |
| `policies`   | `card`, `measure`, `export`                                  |
| `benchmark`  | `benchmark`                                                  |
| `train`      | `train`                                                      |
| `check`      | `check`                                                      |
| `new_game`   | `new-game`                                                   |
| `app`        | the program: all commands and their common options           |
| `completion` | shell completion of agents                                   |
| `output`     | tables, sections, progress                                   |
"""

import sys

try:
    from tzaar_envs.cli.app import main
except KeyboardInterrupt:
    sys.exit(130)

__all__ = ["main"]
