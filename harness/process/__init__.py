"""Start, watch and terminate subjects; no other package starts any."""
