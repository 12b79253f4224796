"""Scores that were made elsewhere."""
