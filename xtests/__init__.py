"""The programs: each decodes JSON from standard input, asks an engine, and prints JSON."""
