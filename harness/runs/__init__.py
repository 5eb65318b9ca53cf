"""A run from its options to its events: which cases, how they are fed, the session, its memory."""
