"""ROUGE-L, where the original keeps it."""
