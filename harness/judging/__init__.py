"""The judge and what equal means: pure functions from what was observed to a verdict."""
