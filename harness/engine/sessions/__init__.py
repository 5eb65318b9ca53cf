"""Let one process answer many cases."""
