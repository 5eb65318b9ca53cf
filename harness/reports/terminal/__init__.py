"""Format events as lines of text for a terminal or a pipe."""
