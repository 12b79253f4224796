"""Tables and figures of Sharif et al. (2020)."""

from __future__ import annotations

from caplens.meta.papers import cells
from caplens.meta.papers.declared import Item, Paper, Part
from caplens.meta.planned import Planned
from caplens.meta.published import sharif2020 as published

_METRICS = ("bleu", "rouge", "meteor", "cider", "spice", "wmd", "wembsim")
_VECTORS = (
    "WEmbSim-E, -G, -W and -F need the vectors of ELMo, GloVe 840B, word2vec and fastText, which are too large to "
    "ship: `caplens vectors import FILE` and the same command fill these rows. WEmbSim without a suffix and WMD use "
    "the shipped vectors."
)
_MEANS = ", ".join(f"{key} {mean}" for key, mean in published.TABLE_III_MEAN.items())
_TEAMS = "The validation captions of the twelve teams are not available here."

PAPER = Paper(
    published.NAME,
    "N. Sharif, L. White, M. Bennamoun, W. Liu, S. A. A. Shah: WEmbSim: a simple yet effective metric for image "
    "captioning, DICTA 2020",
    (
        Item("Figures 1 and 2", "the metric", says=("Drawings of the method; `caplens explain ... -m wembsim`.",)),
        Item(
            "Table I",
            "the four sets of vectors",
            commands=("caplens vectors list",),
            says=("Nothing is measured.",),
        ),
        Item(
            "Table II",
            "Pearson's coefficient with judgments of systems, COCO 2015",
            (
                Part(
                    Planned("coco2015", published.NAME),
                    cells=cells.measures,
                    published=published.TABLE_II,
                    columns={"M1": "M1", "M1 p": "p", "M2": "M2", "M2 p": "p"},
                    why=(_TEAMS,),
                ),
            ),
        ),
        Item(
            "Table III",
            "accuracy on pairs of captions, percent",
            (
                Part(
                    Planned("abstract50s", published.NAME, metrics=_METRICS),
                    "ABSTRACT-50S",
                    cells.shares,
                    published.TABLE_III_ABSTRACT50S,
                    {"HC": "HHC", "HI": "HHI"},
                    form=".1f",
                    also=("WEmbSim",),
                    whole=400,
                    why=(
                        "Five references, the mean of five random draws (the paper: one draw); equal scores count as "
                        "wrong; the kind of a pair is inferred by a rule (docs/meta.md). METEOR's published 48.5 and "
                        "46.5 are below chance where a correct caption is paired with one of another image; this is "
                        "unexplained, and far from the 90 that Kilickaya et al. (2017) report.",
                        _VECTORS,
                    ),
                ),
                Part(
                    Planned("pascal50s", published.NAME, metrics=_METRICS),
                    "PASCAL-50S",
                    cells.shares,
                    published.TABLE_III_PASCAL50S,
                    {"HC": "HHC", "HI": "HHI"},
                    form=".1f",
                    also=("WEmbSim",),
                    whole=2000,
                ),
            ),
            says=(f"The paper's last column is the mean over both sets: {_MEANS}. Ours would need all of PASCAL-50S.",),
        ),
        Item(
            "Figure 3",
            "examples of perturbed captions",
            commands=("caplens meta distraction --data DIR -m rouge --items distractors.jsonl",),
            says=(
                "Examples; nothing is measured. The command writes every pair of a correct caption and a distractor.",
            ),
        ),
        Item(
            "Table IV",
            "forced choices between a caption and a distractor, percent",
            (
                Part(
                    Planned("distraction", published.NAME, metrics=_METRICS),
                    cells=cells.shares,
                    published=published.TABLE_IV,
                    columns={name: name for name in published.TABLE_IV["WMD"]},
                    form=".1f",
                    comparable=False,
                    also=("WEmbSim",),
                    why=(
                        "The distractors of the paper (15,652, by Hodosh and Hockenmaier, 2016) are not available "
                        "here. Ours are made by rules from captions of Flickr30k, 1,000 of each kind: the two "
                        "columns are not "
                        "comparable. `--data FILE` accepts the original ones.",
                        _VECTORS,
                    ),
                ),
            ),
        ),
        Item(
            "Figure 4",
            "Spearman's coefficient between metrics, over systems",
            (Part(Planned("complementarity", published.NAME, "coco2015"), figure=True),),
            says=("Published as a plot only.", _TEAMS),
        ),
        Item(
            "Table V",
            "Pearson's coefficient of sums of raw scores with people",
            (
                Part(
                    Planned("complementarity", published.NAME, "coco2015"),
                    cells=cells.raw_sums,
                    published=published.TABLE_V,
                    columns={"alone": "alone", **{f"WEmbSim-{end}": f"+ WEmbSim-{end}" for end in "EWGF"}},
                    why=(
                        _TEAMS,
                        "Alone, CIDEr, SPICE and WMD have the figures of M1 in table II; BLEU, ROUGE-L and METEOR "
                        "have others, which the paper does not explain.",
                    ),
                ),
            ),
        ),
    ),
)
