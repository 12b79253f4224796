"""Metrics made of others: means, sums, SPIDEr."""
