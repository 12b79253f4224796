"""CIDEr, where the original keeps it."""
