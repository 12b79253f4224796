"""Fluency: how likely the words of a caption are, one after the other."""
