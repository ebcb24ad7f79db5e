"""How fast the suite is on this machine: medians of several runs, with their spread.

Measures of a game are in `measures`, those of other suites in `peers`, and the course over batch
sizes and threads in `scaling`.
"""

from tzaar_envs.benchmark.measurement import Measurement, as_json, environment
from tzaar_envs.benchmark.measures import run_benchmark

__all__ = ["Measurement", "as_json", "environment", "run_benchmark"]
