"""Test programs that read JSON on standard input and print JSON on standard output."""
