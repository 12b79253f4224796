"""Diversity: how different several captions of an image are."""
