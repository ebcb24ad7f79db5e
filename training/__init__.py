"""Training scripts, one per library; `tzaar-envs train --algo NAME` runs one, as does its file.

| script             | algorithm                                                           |
|--------------------|---------------------------------------------------------------------|
| `sb3_maskable_ppo` | MaskablePPO of sb3-contrib against a schedule of opponents          |
| `sb3_dqn`          | DQN of Stable-Baselines3 against a schedule of opponents            |
| `ppo`              | PPO in self-play, in a single file                                  |
| `alphazero`        | AlphaZero: self-play by a tree search that the network guides       |
| `rllib_ppo`        | PPO of RLlib in a league                                            |
| `tianshou_dqn`     | DQN of Tianshou against a schedule of opponents                     |
| `tianshou_ppo`     | PPO of Tianshou against a schedule of opponents                     |
| `torchrl_ppo`      | PPO of TorchRL in self-play                                         |

Each script reads from top to bottom: arguments, parts, then `train` with environment, network and
the training loop. A loop holds a `Session` (see `common/session.py`), which has the budget, the
log, evaluations and checkpoints.

| folder       | content                                                                   |
|--------------|---------------------------------------------------------------------------|
| `common/`    | parts for all scripts: session, warm start, opponents, replay, arguments  |
| `libraries/` | adapters to Stable-Baselines3, Tianshou and RLlib                         |
| `tuning/`    | scripts that tune evaluation functions, search of training settings       |
| `defaults/`  | arguments that suit each game                                             |
"""
