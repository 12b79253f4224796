"""CIDEr-D, where the original keeps it."""
