"""The wire programs: each decodes JSON from standard input, calls an engine and prints JSON."""
