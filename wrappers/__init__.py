"""Environment wrappers: other views of the same games.

| module                  | view                                                                   |
|-------------------------|------------------------------------------------------------------------|
| `opponents`             | a game with one learner and agents in the other seats, shared by views |
| `single_agent`          | a Gymnasium environment with the opponents inside `step`               |
| `single_agent_vector`   | many such games as one Gymnasium vector environment                    |
| `sb3_vec_env`           | many such games as one Stable-Baselines3 VecEnv                        |
| `observation_view`      | what the wrappers of AEC environments share that change observations   |
| `mask_location`         | the mask where a library looks for it                                  |
| `channels_last`         | planes as the last axis                                                |
| `flatten_observation`   | observations as flat vectors                                           |
| `random_symmetry`       | each game on a board that is turned or mirrored at random              |
| `two_seats`             | a game of several seats as one of a player and the others              |
| `transitions`           | what each player has met with, from an AEC environment                 |
| `vector_transitions`    | the same from `make_vec`                                               |
| `symmetry_augmentation` | batches of training data turned and mirrored at random                 |
| `record_games`          | every game as a line of a file                                         |
| `torchrl_env`           | many games, all seats played, as one batched TorchRL environment       |
| `rllib_env`             | a MultiAgentEnv of RLlib: all seats are played from outside            |
"""
