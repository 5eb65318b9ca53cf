"""Make everything that people see from the events of a run."""
