"""SPICE, where the original keeps it."""
