"""CIDEr without clipping and length penalty, where the original keeps it."""
