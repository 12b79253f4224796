"""Tables and figures of Anderson et al. (2016)."""

from __future__ import annotations

from caplens.meta.papers import cells
from caplens.meta.papers.declared import Item, Paper, Part
from caplens.meta.planned import Planned
from caplens.meta.published import anderson2016 as published

_METRICS = ("bleu", "rouge", "meteor", "cider", "spice")
_MEASURES = {name: name if len(name) == 2 else "p" for name in published.TABLE_1["SPICE"]}
_BOARD = (
    "The leaderboard has entries of 11 of the 16 teams at the date of the judged one, and scores on all test images "
    "instead of the 1,000 that were judged; `--join team` also takes later entries."
)
_PARSER = "SPICE uses the rules of the original with caplens' own parser."

PAPER = Paper(
    published.NAME,
    "P. Anderson, B. Fernando, M. Johnson, S. Gould: SPICE: semantic propositional image caption evaluation, ECCV 2016",
    (
        Item(
            "Figures 1 and 2",
            "scene graphs of captions",
            commands=(
                'caplens explain "a young girl standing on top of a tennis court" '
                '--reference "two women are sitting at a white table" -m spice -o figure1.svg',
            ),
        ),
        Item(
            "Table 1",
            "Pearson's coefficient with judgments of systems, COCO 2015",
            (
                Part(
                    Planned("coco2015", published.NAME),
                    "from the leaderboard with 40 references",
                    cells.measures,
                    published.TABLE_1,
                    _MEASURES,
                    why=(_BOARD, "SPICE-exact is not on the leaderboard (`spice(synonyms=false)` scores captions so)."),
                ),
                Part(
                    Planned("coco2015", "anderson2016-table2"),
                    "SPICE, all 16 entries, from the scores in the paper's table 2",
                    cells.measures,
                    {"SPICE": published.TABLE_1["SPICE"]},
                    _MEASURES,
                    whole=16,
                    why=("Scores are published with three digits.",),
                ),
            ),
        ),
        Item(
            "Section 4.2",
            "rank of Human, and the five best machine entries by M1 that are found",
            (
                Part(
                    Planned("coco2015", published.NAME),
                    "from the leaderboard with 40 references",
                    cells.ranks,
                    published.RANKS,
                    {"rank_of_human": "rank of Human", "top_five": "of the best five"},
                    form=".0f",
                    why=(_BOARD,),
                ),
                Part(
                    Planned("coco2015", "anderson2016-table2"),
                    "from the scores in the paper's table 2",
                    cells.ranks,
                    {"SPICE": published.RANKS["SPICE"]},
                    {"rank_of_human": "rank of Human", "top_five": "of the best five"},
                    form=".0f",
                    whole=16,
                ),
            ),
        ),
        Item(
            "Figure 3",
            "metrics against people, one dot per system",
            (Part(Planned("coco2015", published.NAME), figure=True, why=(_BOARD,)),),
            says=("Published as a plot only.",),
        ),
        Item(
            "Table 2",
            "F-scores of systems by kind of tuple",
            (
                Part(
                    Planned("categories"),
                    cells=cells.f_scores,
                    published=published.TABLE_2,
                    columns={key: key.removeprefix("SPICE_") for key in published.TABLE_2["Human"]},
                    also=None,
                    comparable=False,
                    why=(
                        "Different systems and images: the teams' captions are not available here. Ours are those of "
                        "twelve "
                        "systems on COCO val2014 with five references instead of 40, which alone makes F-scores "
                        "larger.",
                        _PARSER,
                    ),
                ),
            ),
            says=("Its column SPICE ships with caplens as facts and gives table 1's row of SPICE (above).",),
        ),
        Item(
            "Table 3",
            "Kendall's tau with ratings of captions",
            (
                Part(
                    Planned("flickr8k-expert", published.NAME, metrics=_METRICS),
                    "Flickr8k-Expert",
                    cells.coefficients,
                    {**published.TABLE_3_FLICKR8K, "inter-human": {"kendall_b": published.INTER_HUMAN_FLICKR8K}},
                    {"kendall_c": "tau-c", "kendall_b": "tau-b"},
                    whole=16_992,
                    why=(
                        "The paper does not say which tau: tau-c gives its figures for metrics, tau-b its inter-human "
                        "one.",
                        "BLEU-4's .14 cannot be reproduced, not even with the COCO tools; Hessel et al. (2021) have "
                        ".308.",
                        _PARSER,
                    ),
                ),
                Part(
                    Planned("composite", published.NAME, metrics=_METRICS),
                    "Composite",
                    cells.coefficients,
                    published.TABLE_3_COMPOSITE,
                    {"kendall_c": "tau-c"},
                    whole=11_985,
                ),
            ),
        ),
        Item(
            "Table 4",
            "accuracy on pairs of captions, PASCAL-50S, percent",
            (
                Part(
                    Planned("pascal50s", published.NAME, metrics=_METRICS, more=(("curve", "1,5,20,48"),)),
                    cells=cells.shares,
                    published=published.TABLE_4,
                    columns={"HC": "HC", "HI": "HI", "HM": "HM", "MM": "MM", "mean": "all"},
                    form=".1f",
                    whole=4000,
                    why=("Five references, the mean of five random draws; equal scores count as correct.", _PARSER),
                ),
            ),
        ),
        Item(
            "Figure 4",
            "accuracy on PASCAL-50S with 1 to 48 references",
            (
                Part(
                    Planned("pascal50s", published.NAME, metrics=_METRICS, more=(("curve", "1,5,20,48"),)),
                    figure=True,
                    whole=4000,
                ),
            ),
            says=("Published as a plot only.",),
        ),
    ),
)
