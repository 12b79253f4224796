"""Metrics on vectors of words: WEmbSim and its relatives."""
