"""Drawings of scene graphs."""
