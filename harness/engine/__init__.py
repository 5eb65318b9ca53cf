"""Run and judge: plans, units, workers, the judge process, retries, progress."""
