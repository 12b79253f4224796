"""The metrics."""
