"""Care of the corpus: lint, new, accept, selftest."""
