"""Training scripts, one per library, and what they share.

Every script has the same sections: arguments, then the run. `tzaar-envs train --algo NAME` runs it,
as does its file.

| script             | idea                                                              |
|--------------------|-------------------------------------------------------------------|
| `sb3_maskable_ppo` | MaskablePPO of sb3-contrib against a schedule of opponents        |
| `ppo`              | PPO in self-play, in a single file                                |
| `alphazero`        | AlphaZero: self-play by a tree search that the network guides     |
| `sb3_dqn`          | DQN of Stable-Baselines3 against a schedule of opponents          |
| `torchrl_ppo`      | PPO of TorchRL in self-play                                       |
| `tianshou_dqn`     | double DQN of Tianshou against a schedule of opponents            |
| `tianshou_ppo`     | PPO of Tianshou against a schedule of opponents                   |
| `tune_evaluation`  | the weights of evaluation functions, from self-play of alpha-beta |
| `tune_by_matches`  | the same from matches, for any game                               |

| shared part      | idea                                                                |
|------------------|---------------------------------------------------------------------|
| `algorithms`     | the scripts by name                                                 |
| `settings`       | what every script can be told; `defaults/` has what suits each game |
| `command`        | the command line of a script                                        |
| `run`            | a run: head start, budget, evaluation, checkpoints                  |
| `run_folder`     | the folder that a run leaves behind                                 |
| `opponents`      | who a learner in one seat plays against, and when                   |
| `replay`         | a replay buffer on disk                                             |
| `precision`      | in what precision a network calculates while it learns              |
| `imitation`      | the head start: a network learns to play like a teacher             |
| `learning_curve` | the picture of a run                                                |
| `sb3_policy`     | the suite's network as a policy of Stable-Baselines3                |
| `sb3_callback`   | what happens between the steps of Stable-Baselines3                 |
"""
