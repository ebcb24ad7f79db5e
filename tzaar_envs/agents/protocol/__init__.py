"""The engine protocol: lines between a host and an engine; `docs/engines.md` describes it.

| module       | content                                                       |
|--------------|---------------------------------------------------------------|
| `words`      | what both sides must agree on: commands and their parts       |
| `moves`      | moves in notation, with the chance outcomes of each           |
| `positions`  | positions, with what a player may see of them                 |
| `findings`   | what an engine says about its search                          |
| `client`     | an engine as a host sees it                                   |
"""
