"""The command line `tzaar-envs`: thin, and quick to start because commands import what they need.

| module       | commands                                                     |
|--------------|--------------------------------------------------------------|
| `games`      | `list`, `info`                                               |
| `play`       | `play`                                                       |
| `evaluate`   | `evaluate`                                                   |
| `tournament` | `tournament`, `rate`                                         |
| `policies`   | `card`, `measure`, `export`                                  |
| `benchmark`  | `benchmark`                                                  |
| `train`      | `train`                                                      |
| `app`        | the program: all commands and their common options           |
| `parameters` | parameters that several commands share, completion           |
| `completion` | shell completion of agents                                   |
| `arguments`  | commands from dataclasses                                    |
| `output`     | tables, sections, progress                                   |
| `errors`     | errors as sentences, exit codes                              |
"""

import sys

try:
    from tzaar_envs.cli.app import main
except KeyboardInterrupt:
    sys.exit(130)

__all__ = ["main"]
