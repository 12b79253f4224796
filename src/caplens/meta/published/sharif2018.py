"""Figures of N. Sharif et al., Learning-based composite metrics for improved caption evaluation (ACL SRW 2018).

Its BLEU is BLEU-4: the row of table 2 is the one that Sharif et al. (2020) call BLEU4.
"""

from __future__ import annotations

from caplens.meta.published.tables import table

NAME = "sharif2018"
SOURCE = "Learning-based composite metrics for improved caption evaluation (Sharif et al., ACL SRW 2018)"

TABLE_1 = table("""
                 kendall_b
    Bleu_4         0.202
    ROUGE_L        0.216
    METEOR         0.352
    CIDEr          0.356
    SPICE          0.366
    WMD            0.336
    Eval_MS        0.386
    Eval_CS        0.384
    Eval_MCS       0.386
    Eval_WCS       0.379
    Eval_MWS       0.367
    Eval_MWCS      0.378
""")
TABLE_2 = table("""
                  HC     HI     HM     MM    mean
    Bleu_4       53.7   93.2   85.6   61.0   73.4
    ROUGE_L      56.5   95.3   93.4   58.5   75.9
    METEOR       61.1   97.6   94.6   62.0   78.8
    CIDEr        57.8   98.0   88.8   68.2   78.2
    SPICE        58.0   96.7   88.4   71.6   78.7
    WMD          56.2   98.4   91.7   71.5   79.5
    Eval_MS      62.8   97.9   93.5   69.6   80.9
    Eval_CS      59.5   98.3   90.7   71.3   79.9
    Eval_MCS     60.2   98.3   91.8   71.8   80.5
    Eval_WCS     58.2   98.7   91.7   70.6   79.8
    Eval_MWS     56.9   98.4   91.3   71.2   79.4
    Eval_MWCS    59.0   98.5   90.7   70.2   79.6
""")
