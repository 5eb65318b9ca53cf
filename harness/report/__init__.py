"""What people see of a run: every reporter is made from the stream of events, nothing else."""
