"""Training scripts, one per library, and what they share.

Every script has the same sections: arguments, then the run. `tzaar-envs train --algo NAME` runs it,
as does its file.

| script             | idea                                                              |
|--------------------|-------------------------------------------------------------------|
| `sb3_maskable_ppo` | MaskablePPO of sb3-contrib against a schedule of opponents        |
| `sb3_dqn`          | DQN of Stable-Baselines3 against a schedule of opponents          |
| `ppo`              | PPO in self-play, in a single file                                |
| `alphazero`        | AlphaZero: self-play by a tree search that the network guides     |
| `rllib_ppo`        | PPO of RLlib in a league                                          |
| `tianshou_dqn`     | double DQN of Tianshou against a schedule of opponents            |
| `tianshou_ppo`     | PPO of Tianshou against a schedule of opponents                   |
| `torchrl_ppo`      | PPO of TorchRL in self-play                                       |
| `tune_evaluation`  | the weights of evaluation functions, from self-play of alpha-beta |
| `tune_by_matches`  | the same from matches of `greedy`, for any game                   |

| shared part         | idea                                                                |
|---------------------|---------------------------------------------------------------------|
| `algorithms`        | the scripts by name                                                 |
| `settings`          | what every script can be told; `defaults/` has what suits each game |
| `command`           | the command line of a script                                        |
| `run`               | a run: head start, budget, evaluation, checkpoints                  |
| `run_folder`        | the folder that a run leaves behind                                 |
| `opponents`         | who a learner in one seat plays against, and when                   |
| `imitation`         | the head start: a network learns to play like a teacher             |
| `precision`         | in what precision a network calculates while it learns              |
| `replay`            | a replay buffer on disk                                             |
| `q_values`          | the values of actions, from the network of a policy                 |
| `learning_curve`    | the picture of a run                                                |
| `sb3_policy`        | the suite's network as a policy of Stable-Baselines3                |
| `sb3_masked_dqn`    | DQN of Stable-Baselines3 with the mask wherever it must be          |
| `sb3_run`           | a run with Stable-Baselines3: environment, model, checkpoints       |
| `sb3_callback`      | what happens between the steps of Stable-Baselines3                 |
| `league`            | who plays in a league of RLlib, and who joins it                    |
| `rllib_module`      | the suite's network as modules of RLlib                             |
| `rllib_callback`    | who has which seat in a game of RLlib, and what is learnt from it   |
| `rllib_learner`     | the PPO learner of RLlib with the learning rate of the run          |
| `tianshou_run`      | a run with Tianshou: games as a batch, buffers, updates             |
| `tianshou_policies` | the suite's network as policies of Tianshou                         |
"""
