"""Plan and execute runs, and remember their results."""
