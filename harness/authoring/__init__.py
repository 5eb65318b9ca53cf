"""Check and write suites: lint, new, accept, known, selftest, init, import, pack."""
