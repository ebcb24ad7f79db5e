"""Parts for self-play on a Ray cluster.

| module        | content                               |
|---------------|---------------------------------------|
| `ray_cluster` | connection to a Ray cluster           |
| `ray_actors`  | players of self-play on a Ray cluster |
"""
