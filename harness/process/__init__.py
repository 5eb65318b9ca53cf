"""Start, watch and terminate subjects; the only package that starts programs."""
