"""BLEU, where the original keeps it."""
