"""Parts that all training scripts share, whatever library they use.

| module              | content                                                          |
|---------------------|------------------------------------------------------------------|
| `session`           | budget, warm start, log, evaluations and checkpoints of a run    |
| `settings`          | arguments of all scripts, their ranges, and defaults per game    |
| `command`           | command lines of the scripts                                     |
| `algorithms`        | the scripts by name                                              |
| `run_folder`        | the folder of a run                                              |
| `checkpoint`        | checkpoint files                                                 |
| `evaluation`        | matches against the baselines                                    |
| `progress`          | progress bars of a run                                           |
| `learning_curve`    | plot of the evaluations                                          |
| `warm_start`        | behaviour cloning of a teacher                                   |
| `opponent_schedule` | opponents of a learner in one seat                               |
| `legal_actions`     | legal actions of a batch, packed                                 |
| `erring_agent`      | agents that err                                                  |
| `against_agent`     | games of a learning network against a frozen agent               |
| `precision`         | numeric precision in training                                    |
| `means`             | means of losses                                                  |
| `q_values`          | action values from a policy network, and how they are learnt     |
"""
