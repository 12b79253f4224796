"""Statistics in pure numpy and scipy."""
