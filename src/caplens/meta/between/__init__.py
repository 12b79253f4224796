"""Metrics compared with each other."""
