"""Figures of M. Kilickaya et al., Re-evaluating automatic metrics for image captioning (EACL 2017).

Its BLEU is the smoothed one (section 2.1), its ROUGE is ROUGE-L (section 2.2).
"""

from __future__ import annotations

from caplens.meta.published.tables import table

NAME = "kilickaya2017"
SOURCE = "Re-evaluating automatic metrics for image captioning (Kilickaya et al., EACL 2017)"

# Scores of sentences against the original one, which is also scored against itself.
TABLE_2 = table("""
                  original  candidate  synonyms  redundancy  word order
    Bleu_smoothed    1        0.45       0.20       0.45        0.26
    METEOR           1        0.28       0.17       0.28        0.26
    ROUGE_L          1        0.67       0.57       0.66        0.38
    CIDEr           10        2.19       0.65       2.01        1.32
    SPICE            1        0.40       0.00       0.36        0.40
    WMD              1        0.19       0.10       0.18        0.19
""")

TABLE_3_FLICKR8K = table("""
                   pearson  spearman  kendall_b
    WMD              0.68     0.60      0.48
    SPICE            0.69     0.64      0.56
    CIDEr            0.60     0.56      0.45
    METEOR           0.69     0.58      0.47
    Bleu_smoothed    0.59     0.44      0.35
    ROUGE_L          0.57     0.44      0.35
""")
TABLE_3_COMPOSITE = table("""
                   pearson  spearman  kendall_b
    WMD              0.43     0.43      0.32
    SPICE            0.40     0.42      0.34
    CIDEr            0.32     0.42      0.32
    METEOR           0.37     0.44      0.33
    Bleu_smoothed    0.34     0.38      0.28
    ROUGE_L          0.40     0.39      0.29
""")

# In percent, as studies of pairs report it.
TABLE_4_ABSTRACT50S = table("""
                     HC   HI   mean
    WMD              65   93    79
    SPICE            62   89    76
    CIDEr            76   95    86
    METEOR           60   90    75
    Bleu_smoothed    69   89    79
    ROUGE_L          65   89    77
""")
TABLE_4_PASCAL50S = table("""
                     HC   HI   HM   MM   mean
    WMD              71   99   93   74    84
    SPICE            66   98   85   72    81
    CIDEr            69   99   94   66    82
    METEOR           69   99   90   65    81
    Bleu_smoothed    67   97   94   60    80
    ROUGE_L          68   97   92   60    79
""")
TABLE_5 = table("""
                     replace-scene  replace-person  share-scene  share-person  mean
    Bleu_smoothed          62              73            79           78         73
    METEOR                 69              77            85           85         79
    ROUGE_L                63              78            79           78         75
    CIDEr                  83              78            81           83         81
    SPICE                  54              67            70           67         65
    WMD                    76              80            87           88         83
""")
TABLE_5_INSTANCES = {"replace-scene": 2514, "replace-person": 5817, "share-scene": 2621, "share-person": 4596}

# Section 3.4: Spearman's coefficient of the best sum of normalised scores, and of SPICE alone.
SUMS_FLICKR8K = {"METEOR+SPICE+WMD": {"spearman": 0.66}, "SPICE": {"spearman": 0.64}}
SUMS_COMPOSITE = {"METEOR+SPICE+WMD": {"spearman": 0.45}, "SPICE": {"spearman": 0.42}}
