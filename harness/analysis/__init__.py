"""Compute matrices, comparisons and histories from results."""
