"""Captions changed on purpose, and other looks at what metrics react to."""
