"""Reports of a test fest: a module a format."""
