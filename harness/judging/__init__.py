"""Judge a transcript: pure functions from observed output to a verdict."""
