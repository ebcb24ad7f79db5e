"""Training scripts, one per library, and what they share.

| module              | idea                                                         |
|---------------------|--------------------------------------------------------------|
| `sb3_maskable_ppo`  | MaskablePPO of sb3-contrib against a schedule of opponents    |
| `sb3_policy`        | the suite's network as a policy of that library              |
| `opponent_schedule` | who the learner plays against, and when                      |
| `run_folder`        | the folder that a run leaves behind                          |
| `learning_curve`    | the picture of a run                                         |
"""
