"""Training of composite metrics."""
