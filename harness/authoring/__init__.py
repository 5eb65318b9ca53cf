"""Check and write suites: lint, new, accept, selftest, pack."""
