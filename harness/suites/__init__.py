"""The corpus as it is kept: suites, cases, their settings, schemas and packed files."""
