"""Factories, fixtures and runners shared by the tests."""
