"""The command line: a module for each command, or a few."""
