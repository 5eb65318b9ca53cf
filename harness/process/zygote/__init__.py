"""Fork runs of Python programs from a process that has imported their libraries."""
