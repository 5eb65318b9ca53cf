"""Import suites from other formats: a module per format, listed in registry.py.

Source: docs/import.md.
"""
