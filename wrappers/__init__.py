"""Environment wrappers: other views of the same games.

| module         | view                                                                        |
|----------------|-----------------------------------------------------------------------------|
| `opponents`    | a game with one learner and agents in the other seats, shared by the views   |
| `single_agent` | a Gymnasium environment with the opponents inside `step`                     |
| `sb3_vec_env`  | many such games as one Stable-Baselines3 VecEnv                              |
"""
