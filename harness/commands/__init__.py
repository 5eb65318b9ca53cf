"""The commands of xtest, a module each; `harness.cli` has their table."""
