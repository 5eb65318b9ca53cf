"""Read xtest.toml: subjects, builds, program lookup, and which suite runs against which subject."""
