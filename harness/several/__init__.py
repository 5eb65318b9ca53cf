"""Several subjects: xtest.toml, the matrix, comparison without expected outputs, history."""
