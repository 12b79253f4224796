"""Lens: support, coverage and form of a caption, and one score."""
