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
    "Eval_* are not the paper's networks: the shipped ones were fitted to ratings of Flickr8k-Expert, because the "
    "paper's task, human against machine captions, teaches nothing that improves agreement with human judgments "
    "(docs/composite.md has the controls). The "
    "captions that the paper trained on, of three systems run on Flickr30k, are not available here; with such "
    "captions the "
    "command below trains its networks."
)
_COMMANDS = (
    "caplens train composite show_tell.json show_attend_tell.json adaptive.json -r flickr30k.json -o paper "
    "--no-monotone --judgments flickr8k --exclude judged_images.txt",
    'caplens meta composite --data DIR --preset sharif2018 -m "composite(weights=paper/Eval_MS.safetensors)"',
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
            commands=_COMMANDS,
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
