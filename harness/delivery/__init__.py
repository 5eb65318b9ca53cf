"""Declare the ways of laying out and feeding a case's input."""
