"""Benchmarks: the speed of the suite on this machine, as medians of several runs with spread.

`measures` has the measures of a game, `peers` those of other suites, `scaling` the steps/s over
batch sizes and threads, `training` the share of the games in the time of training, and `learning`
how long scripts take to learn a game.
"""

from tzaar_envs.cli.benchmark.measurement import Measurement, as_json, environment
from tzaar_envs.cli.benchmark.measures import run_benchmark

__all__ = ["Measurement", "as_json", "environment", "run_benchmark"]
