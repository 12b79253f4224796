"""Learned metrics at run time: networks without torch."""
