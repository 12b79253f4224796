"""METEOR 1.5."""
