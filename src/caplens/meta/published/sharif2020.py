"""Figures of N. Sharif et al., WEmbSim: a simple yet effective metric for image captioning (DICTA 2020).

WEmbSim-E has the vectors of ELMo, -G those of GloVe (840B), -W those of word2vec (Google News), -F those of fastText
(Wikipedia). A table of vectors that was imported with ``caplens vectors import`` gives its score the same ending.
"""

from __future__ import annotations

from caplens.meta.published.tables import table

NAME = "sharif2020"
SOURCE = "WEmbSim (Sharif et al., DICTA 2020)"

TABLE_II = table("""
                   M1    M1 p     M2    M2 p
    Bleu_4       -0.02   0.95   -0.01   0.99
    ROUGE_L       0.09   0.77    0.10   0.75
    METEOR        0.61   0.03    0.59   0.03
    CIDEr         0.47   0.13    0.50   0.10
    SPICE         0.76   0.00    0.75   0.01
    WMD           0.68   0.02    0.71   0.01
    WEmbSim-E     0.47   0.13    0.48   0.12
    WEmbSim-G     0.80   0.00    0.76   0.00
    WEmbSim-W     0.71   0.01    0.64   0.02
    WEmbSim-F     0.83   0.00    0.76   0.01
""")

# The paper's last column is the mean over both sets.
TABLE_III_ABSTRACT50S = table("""
                  HC     HI
    Bleu_4       51.5   81.0
    ROUGE_L      52.0   82.0
    METEOR       48.5   46.5
    CIDEr        50.5   78.5
    SPICE        56.0   86.5
    WMD          50.0   93.5
    WEmbSim-E    55.5   94.5
    WEmbSim-G    56.0   89.5
    WEmbSim-W    57.5   90.5
    WEmbSim-F    60.5   90.0
""")
TABLE_III_PASCAL50S = table("""
                  HC     HI
    Bleu_4       53.7   93.2
    ROUGE_L      56.5   95.3
    METEOR       61.1   97.6
    CIDEr        57.8   98.0
    SPICE        58.0   96.7
    WMD          56.2   98.4
    WEmbSim-E    56.5   98.3
    WEmbSim-G    58.0   97.6
    WEmbSim-W    59.3   98.9
    WEmbSim-F    60.9   98.1
""")
TABLE_III_MEAN = {
    "Bleu_4": 69.9,
    "ROUGE_L": 71.5,
    "METEOR": 63.4,
    "CIDEr": 71.2,
    "SPICE": 74.3,
    "WMD": 74.5,
    "WEmbSim-E": 76.2,
    "WEmbSim-G": 75.3,
    "WEmbSim-W": 76.6,
    "WEmbSim-F": 77.4,
}

TABLE_IV = table("""
                 share-person  share-scene  just-person  just-scene  mean
    Bleu_4           83.5          82.4         54.9        67.7     72.1
    ROUGE_L          86.8          86.8         83.4        94.1     87.8
    METEOR           92.4          91.4         91.9        98.4     93.5
    CIDEr            94.1          93.1         73.3        81.5     85.5
    SPICE            88.5          88.8         78.1        92.0     86.9
    WMD              94.3          92.5         86.3        96.9     92.5
    WEmbSim-E        92.5          91.4         89.4        96.6     92.5
    WEmbSim-G        91.8          90.2         95.1        99.6     94.2
    WEmbSim-W        93.9          92.2         93.6        98.8     94.6
    WEmbSim-F        92.5          91.2         95.7        99.6     94.8
""")
TABLE_IV_INSTANCES = {"share-person": 4596, "share-scene": 2621, "just-person": 5811, "just-scene": 2624}

# Pearson's coefficient of raw sums with people; the first column is the metric alone.
TABLE_V = table("""
               alone   WEmbSim-E   WEmbSim-W   WEmbSim-G   WEmbSim-F
    Bleu_4     0.529     0.520       0.609       0.613       0.652
    ROUGE_L    0.388     0.411       0.519       0.522       0.567
    METEOR     0.744     0.658       0.748       0.778       0.811
    WMD        0.682     0.618       0.712       0.736       0.773
    CIDEr      0.465     0.466       0.500       0.500       0.515
    SPICE      0.762     0.656       0.745       0.785       0.813
""")
