"""Word Mover's Distance."""
