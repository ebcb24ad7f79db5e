"""The command line `tzaar-envs`: thin, and quick to start since commands import what they need.

| module       | commands                                                     |
|--------------|--------------------------------------------------------------|
| `games`      | `list`, `info`                                               |
| `play`       | `play`                                                       |
| `evaluate`   | `evaluate`                                                   |
| `tournament` | `tournament`, `rate`                                         |
| `policies`   | `card`, `measure`, `export`                                  |
| `benchmark`  | `benchmark`                                                  |
| `train`      | `train`                                                      |
| `app`        | all of them as one program; errors become a line             |
| `parameters` | what several commands can be told                            |
| `output`     | tables, sections                                             |
| `errors`     | errors as sentences, exit codes                              |
"""

from tzaar_envs.cli.app import app, main

__all__ = ["app", "main"]
