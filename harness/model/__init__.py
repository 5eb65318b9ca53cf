"""Declare the records of the harness: verdicts, limits, cases, subjects, events."""
