"""Figures of J. Hessel et al., CLIPScore (EMNLP 2021): the convention that later papers follow."""

from __future__ import annotations

from caplens.meta.published.tables import table

NAME = "hessel2021"
SOURCE = "CLIPScore (Hessel et al., EMNLP 2021)"

# Times 100.
TABLE_1_EXPERT = table("""
               kendall_c
    Bleu_4       30.8
    ROUGE_L      32.3
    METEOR       41.8
    CIDEr        43.9
    SPICE        44.9
""")
