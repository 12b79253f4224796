"""METEOR, where the original keeps it."""
