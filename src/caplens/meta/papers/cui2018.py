"""Tables and figures of Cui et al. (2018)."""

from __future__ import annotations

from caplens.meta.papers import cells
from caplens.meta.papers.declared import Item, Paper, Part
from caplens.meta.planned import Planned
from caplens.meta.published import cui2018 as published

_METRICS = ("bleu", "meteor", "rouge", "cider", "spice", "critique")
_ABLATION = "caplens critique ablation nt.json st.json sat.json -r captions.json -o ablation --features features.npz"

PAPER = Paper(
    published.NAME,
    "Y. Cui, G. Yang, A. Veit, X. Huang, S. Belongie: Learning to evaluate image captioning, CVPR 2018",
    (
        Item("Figures 1 and 2", "the idea and the network", says=("Drawings of the method; see docs/critique.md.",)),
        Item(
            "Figure 3",
            "examples of the three transformations",
            says=("Examples, with images; the transformations are those of `caplens meta robustness`.",),
        ),
        Item(
            "Figure 4",
            "relative frequencies of words of systems and of people",
            (
                Part(
                    Planned("frequencies"),
                    cells=cells.bands,
                    columns={name: f"rank {name}" for name in ("1-10", "11-100", "101-1,000", "1,001-10,000")},
                    form="+.2f",
                    also=None,
                    figure=True,
                    why=(
                        "Published as a plot only. Numbers: logarithm (base 10) of how often words of a rank are used, "
                        "relative to people. Different systems: NeuralTalk's captions are not available here.",
                    ),
                ),
            ),
        ),
        Item(
            "Figure 5",
            "mean scores of human and machine captions by context and fusion",
            commands=(f"{_ABLATION} --preset paper",),
            says=(
                "Needs training and image features; published as bars without numbers. A run with substitute image "
                "features is described in training/critique/README.md.",
            ),
        ),
        Item(
            "Figure 6, first row",
            "robustness of linear and non-linear critiques, with and without augmentation",
            commands=(f"{_ABLATION} --preset paper --figure figure6.svg",),
            says=("Needs training; published as a figure.",),
        ),
        Item(
            "Figure 6, second row",
            "robustness of metrics: the area R under the score of degraded captions (lower is better)",
            (
                Part(
                    Planned("robustness", metrics=(*_METRICS, "wmd")),
                    cells=cells.areas,
                    columns={"RC": "RC", "WP": "WP", "RW": "RW", "RP": "RP"},
                    also=("Critique", "Bleu_1", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "SPICE", "WMD"),
                    figure=True,
                    why=(
                        "The published areas are part of the figure and not of the text. Similar images (RC) are "
                        "found by the words of their references; in the paper, by image features. RP (repeated words) "
                        "is not in the paper.",
                    ),
                ),
            ),
        ),
        Item(
            "Table 1",
            "Kendall's tau with the judgments of Flickr8k",
            (
                Part(
                    Planned("flickr8k-expert", published.NAME, metrics=_METRICS),
                    "Expert",
                    cells.coefficients,
                    {**published.TABLE_1_EXPERT, "inter-human": {"kendall_b": published.INTER_HUMAN_EXPERT}},
                    {"kendall_c": "tau-c", "kendall_b": "tau-b"},
                    whole=16_992,
                    why=(
                        "The paper follows Anderson et al. (2016) but marks its figures for BLEU-1, BLEU-4, METEOR, "
                        "ROUGE-L and CIDEr as different from theirs; the reason is unknown. Ours agree "
                        "with Anderson et al. instead (their table 3, below).",
                        "The critique that ships was trained to distinguish human from machine captions of COCO; the "
                        "paper trained "
                        "one on human captions of random images only: `caplens train critique --preset "
                        "caption-level`; a run is in training/critique/README.md.",
                    ),
                ),
                Part(
                    Planned("flickr8k-crowd", published.NAME, metrics=_METRICS),
                    "Crowd",
                    cells.coefficients,
                    published.TABLE_1_CROWD,
                    {"kendall_b": "tau-b"},
                    whole=47_830,
                    why=(
                        "Captions that are the image's own are kept, which gives the published figures (without "
                        "them, CIDEr has .221). SPICE uses caplens' own parser. For the critique, see above.",
                    ),
                ),
            ),
        ),
        Item(
            "Table 2",
            "Pearson's coefficient with judgments of systems, COCO 2015",
            (
                Part(
                    Planned("coco2015", published.NAME),
                    cells=cells.measures,
                    published=published.TABLE_2,
                    columns={"M1": "M1", "M1 p": "p", "M2": "M2", "M2 p": "p"},
                    why=("The validation captions of the twelve teams are not available here.",),
                ),
            ),
            commands=(
                "caplens critique evaluate teams/*.json -r captions_val2014.json -o runs --human judgments.csv "
                "--preset paper --features features.npz",
            ),
            says=("The rows of the critique need training, a network for each half of a team's captions.",),
        ),
        Item(
            "Figure 7",
            "the critique against M1",
            commands=(
                "caplens critique evaluate teams/*.json -r captions_val2014.json -o runs --human judgments.csv "
                "--preset paper --features features.npz --figure figure7.svg",
            ),
            says=("Needs training and the validation captions of the twelve teams, which are not available here.",),
        ),
    ),
)
