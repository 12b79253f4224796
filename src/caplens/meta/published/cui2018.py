"""Figures of Y. Cui et al., Learning to evaluate image captioning (CVPR 2018)."""

from __future__ import annotations

from caplens.meta.published.tables import table

NAME = "cui2018"
SOURCE = "Learning to evaluate image captioning (Cui et al., CVPR 2018)"

# Kendall's tau, the paper does not say which. It marks BLEU-1, BLEU-4, METEOR, ROUGE-L and CIDEr as different from
# those of Anderson et al. (2016), whose procedure it follows.
TABLE_1_EXPERT = table("""
                kendall_c
    Bleu_1        0.191
    Bleu_2        0.212
    Bleu_3        0.209
    Bleu_4        0.206
    METEOR        0.308
    ROUGE_L       0.218
    CIDEr         0.289
    SPICE         0.456
    Critique      0.466
""")
TABLE_1_CROWD = table("""
                kendall_b
    Bleu_1        0.206
    Bleu_2        0.212
    Bleu_3        0.204
    Bleu_4        0.202
    METEOR        0.242
    ROUGE_L       0.217
    CIDEr         0.264
    SPICE         0.252
    Critique      0.295
""")
INTER_HUMAN_EXPERT = 0.736

# The critique trained without data augmentation is a row of its own.
TABLE_2 = table("""
                                M1     M1 p      M2     M2 p
    Bleu_1                    0.124   0.687    0.135   0.660
    Bleu_2                    0.037   0.903    0.048   0.877
    Bleu_3                    0.004   0.990    0.016   0.959
    Bleu_4                   -0.019   0.951   -0.005   0.987
    METEOR                    0.606   0.028    0.594   0.032
    ROUGE_L                   0.090   0.769    0.096   0.754
    CIDEr                     0.438   0.134    0.440   0.133
    SPICE                     0.759   0.003    0.750   0.003
    Critique, no augmentation   0.821   0.000    0.807   0.000
    Critique                  0.939   0.000    0.949   0.000
""")
