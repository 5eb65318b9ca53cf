"""Decode, encode and address JSON exactly. Standard library only: xtests/ may import it."""
