"""Which papers a score stands on: BibTeX by the name of a metric, and of what caplens adds to every result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper as BibTeX has it, and how a sentence refers to it."""

    key: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    @property
    def bibtex(self) -> str:
        """The entry."""
        lines = [f"  {name} = {{{value}}}" for name, value in self.fields]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


def _conference(key: str, author: str, title: str, booktitle: str) -> Paper:
    year = key[-4:]
    fields = (("author", author), ("title", title), ("booktitle", booktitle), ("year", year))
    return Paper(key, "inproceedings", fields)


_PAPERS = {
    paper.key: paper
    for paper in (
        _conference(
            "papineni2002",
            "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
            "{BLEU}: a Method for Automatic Evaluation of Machine Translation",
            "ACL",
        ),
        _conference(
            "linoch2004",
            "Lin, Chin-Yew and Och, Franz Josef",
            "{ORANGE}: a Method for Evaluating Automatic Evaluation Metrics for Machine Translation",
            "COLING",
        ),
        _conference(
            "denkowski2014",
            "Denkowski, Michael and Lavie, Alon",
            "Meteor Universal: Language Specific Translation Evaluation for Any Target Language",
            "Workshop on Statistical Machine Translation",
        ),
        _conference(
            "lin2004",
            "Lin, Chin-Yew",
            "{ROUGE}: A Package for Automatic Evaluation of Summaries",
            "Text Summarization Branches Out",
        ),
        _conference(
            "vedantam2015",
            "Vedantam, Ramakrishna and Zitnick, C. Lawrence and Parikh, Devi",
            "{CIDEr}: Consensus-based Image Description Evaluation",
            "CVPR",
        ),
        _conference(
            "anderson2016",
            "Anderson, Peter and Fernando, Basura and Johnson, Mark and Gould, Stephen",
            "{SPICE}: Semantic Propositional Image Caption Evaluation",
            "ECCV",
        ),
        _conference(
            "liu2017",
            "Liu, Siqi and Zhu, Zhenhai and Ye, Ning and Guadarrama, Sergio and Murphy, Kevin",
            "Improved Image Captioning via Policy Gradient optimization of {SPIDEr}",
            "ICCV",
        ),
        _conference(
            "kilickaya2017",
            "Kilickaya, Mert and Erdem, Aykut and Ikizler-Cinbis, Nazli and Erdem, Erkut",
            "Re-evaluating Automatic Metrics for Image Captioning",
            "EACL",
        ),
        _conference(
            "sharif2018",
            "Sharif, Naeha and White, Lyndon and Bennamoun, Mohammed and Shah, Syed Afaq Ali",
            "Learning-based Composite Metrics for Improved Caption Evaluation",
            "ACL Student Research Workshop",
        ),
        _conference(
            "sharif2020",
            "Sharif, Naeha and White, Lyndon and Bennamoun, Mohammed and Liu, Wei and Shah, Syed Afaq Ali",
            "{WEmbSim}: A Simple yet Effective Metric for Image Captioning",
            "DICTA",
        ),
        _conference(
            "cui2018",
            "Cui, Yin and Yang, Guandao and Veit, Andreas and Huang, Xun and Belongie, Serge",
            "Learning to Evaluate Image Captioning",
            "CVPR",
        ),
        _conference(
            "rohrbach2018",
            "Rohrbach, Anna and Hendricks, Lisa Anne and Burns, Kaylee and Darrell, Trevor and Saenko, Kate",
            "Object Hallucination in Image Captioning",
            "EMNLP",
        ),
        _conference(
            "koehn2004",
            "Koehn, Philipp",
            "Statistical Significance Tests for Machine Translation Evaluation",
            "EMNLP",
        ),
    )
}
_OF_METRICS = {
    "bleu": ("papineni2002",),
    "bleu_smoothed": ("papineni2002", "linoch2004"),
    "meteor": ("denkowski2014",),
    "rouge": ("lin2004",),
    "cider": ("vedantam2015",),
    "spice": ("anderson2016",),
    "spider": ("liu2017", "vedantam2015", "anderson2016"),
    "wmd": ("kilickaya2017",),
    "wembsim": ("sharif2020",),
    "wembsim_c": ("sharif2020",),
    "wembsim_e": ("sharif2020",),
    "composite": ("sharif2018",),
    "critique": ("cui2018",),
    "chair": ("rohrbach2018",),
}
TESTS = "koehn2004"
"""Of the paired bootstrap."""


def papers_of(metric: str) -> tuple[Paper, ...]:
    """Return the papers of a metric; none for what has no paper of its own.

    Examples
    --------
    >>> [paper.key for paper in papers_of("spider")]
    ['liu2017', 'vedantam2015', 'anderson2016']
    """
    return tuple(_PAPERS[key] for key in _OF_METRICS.get(metric, ()))


def paper(key: str) -> Paper:
    """Return a paper by its key."""
    return _PAPERS[key]
