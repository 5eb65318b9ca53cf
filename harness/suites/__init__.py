"""Discover and load suites: cases, settings, schemas, packed files."""
