"""Read cases of other formats: a module each, whose `read` yields cases and what it cannot take."""
