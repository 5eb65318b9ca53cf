"""Test fests: teams' suites against teams' programs. Source: docs/howto/test-fest.md."""
