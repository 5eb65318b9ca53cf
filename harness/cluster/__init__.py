"""Runs on several machines, over Dask. Source: docs/howto/cluster.md."""
