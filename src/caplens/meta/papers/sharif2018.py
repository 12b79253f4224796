"""Tables and figures of Sharif et al. (2018)."""

from __future__ import annotations

from caplens.meta.papers import cells
from caplens.meta.papers.declared import Item, Paper, Part
from caplens.meta.planned import Planned
from caplens.meta.published import sharif2018 as published

_METRICS = (
    *("bleu", "rouge", "meteor", "cider", "spice", "wmd"),
    *("eval_ms", "eval_cs", "eval_mcs", "eval_wcs", "eval_mws", "eval_mwcs"),
)
_TRAINING = (
    "The weights of Eval_* were trained here, on other machine captions than the paper's (three systems run on "
    "Flickr30k), which are not here; docs/composite.md has their controls. `caplens train composite` trains others."
)

PAPER = Paper(
    published.NAME,
    "N. Sharif, L. White, M. Bennamoun, S. A. A. Shah: Learning-based composite metrics for improved caption "
    "evaluation, ACL SRW 2018",
    (
        Item(
            "Figures 1 to 3", "the framework, the metrics by level, training pairs", says=("Drawings of the method.",)
        ),
        Item(
            "Table 1",
            "Kendall's tau with correctness, Composite",
            (
                Part(
                    Planned("composite", published.NAME, metrics=_METRICS),
                    cells=cells.coefficients,
                    published=published.TABLE_1,
                    columns={"kendall_b": "tau-b"},
                    whole=6993,
                    why=("The paper uses 6,993 captions of 11,985 and does not say which.", _TRAINING),
                ),
            ),
            commands=("caplens train composite coco_val2014 --validation flickr8k -o weights",),
        ),
        Item(
            "Table 2",
            "accuracy on pairs of captions, PASCAL-50S, percent",
            (
                Part(
                    Planned("pascal50s", published.NAME, metrics=_METRICS),
                    cells=cells.shares,
                    published=published.TABLE_2,
                    columns={"HC": "HC", "HI": "HI", "HM": "HM", "MM": "MM", "mean": "mean"},
                    form=".1f",
                    whole=4000,
                    why=("Five references, the mean of five random draws; equal scores count as wrong.", _TRAINING),
                ),
            ),
        ),
    ),
)
