"""Adapters between the suite and the reinforcement learning libraries.

| module               | content                                                           |
|----------------------|-------------------------------------------------------------------|
| `sb3_callback`       | callback and logger of Stable-Baselines3                          |
| `sb3_policy`         | a policy network as a policy of sb3-contrib                       |
| `sb3_masked_dqn`     | DQN of Stable-Baselines3 with action masks                        |
| `tianshou_collector` | collector of transitions from a batch of games                    |
| `tianshou_policy`    | a policy network as policies of Tianshou                          |
| `ray_cluster`        | connection to a Ray cluster                                       |
| `ray_actors`         | players of self-play on a Ray cluster                             |
| `rllib_algorithm`    | a league in an algorithm of RLlib                                 |
| `rllib_league`       | who plays in a league, and when a snapshot joins                  |
| `rllib_callback`     | callback for the games of env runners                             |
| `rllib_learner`      | PPO learner                                                       |
| `rllib_module`       | a policy network as RLModules                                     |
"""
