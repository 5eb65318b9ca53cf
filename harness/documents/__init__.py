"""Documents that are made of a run's events, for --report: each format a module of its own.

A format is pure: a source of events in, pieces of text out, and what it holds at a time is bounded.
Which formats there are is in formats.py; files are written in making.py. Source: docs/reports.md.
"""
