"""Resampling and significance tests."""

SEED = 12345
"""The seed of resampling unless another is asked for."""
