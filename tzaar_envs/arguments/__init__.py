"""Command-line arguments of commands and scripts.

| module           | content                                                   |
|------------------|-----------------------------------------------------------|
| `from_dataclass` | commands whose arguments are the fields of a dataclass    |
| `parameters`     | parameters that several commands share, completion        |
| `errors`         | errors as sentences, exit codes                           |
"""
