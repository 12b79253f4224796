"""Figures that papers published, transcribed: one module per paper, one constant per table.

Rows are named by the keys of our scores and columns by the names that studies use, so that both stand side by side.
"""
