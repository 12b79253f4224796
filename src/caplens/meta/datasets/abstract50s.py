"""ABSTRACT-50S: 400 pairs of captions of abstract scenes, each voted on with 48 references."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from caplens.meta.datasets.triplets import read_triplets
from caplens.meta.pairs import JudgedPairs, PairPreset
from caplens.meta.rows import find_file

_NOTE = "the files carry no HC/HI label: one figure for all pairs"


class Abstract50s:
    """Pairs without categories; pairs with the same references are about the same image."""

    name = "abstract50s"
    presets = (
        PairPreset(
            "000",
            "Re-evaluating automatic metrics for image captioning (Kilickaya et al., EACL 2017), table 4",
            "wrong",
            printed={
                "WMD": {"all": 79},
                "SPICE": {"all": 76},
                "CIDEr": {"all": 86},
                "METEOR": {"all": 75},
                "Bleu_4": {"all": 79},
                "ROUGE_L": {"all": 77},
            },
            note=_NOTE,
        ),
        PairPreset(
            "003",
            "WEmbSim (Sharif et al., DICTA 2020), table III, mean of its two columns",
            "wrong",
            printed={
                "Bleu_4": {"all": 66.25},
                "ROUGE_L": {"all": 67.0},
                "METEOR": {"all": 47.5},
                "CIDEr": {"all": 64.5},
                "SPICE": {"all": 71.25},
                "WMD": {"all": 71.75},
                "WEmbSim": {"all": 75.25},
            },
            note=_NOTE,
        ),
        PairPreset("004", "the convention of SPICE (Anderson et al., ECCV 2016)", "right", note=_NOTE),
    )

    def load(self, data: Path, captions: Path) -> JudgedPairs:
        """Read ``triplets.json`` or the original ``consensus_abstract.mat``."""
        path = find_file(
            data,
            ["abstract50s*/triplets.json", "triplets.json", "consensus_abstract.mat"],
            "the triplets of ABSTRACT-50S",
        )
        pairs = read_triplets(path)
        images: dict[tuple[str, ...], str] = {}
        for pair in pairs:
            images.setdefault(pair.references, str(len(images) + 1))
        return JudgedPairs(
            ids=[str(place) for place in range(1, len(pairs) + 1)],
            images=[images[pair.references] for pair in pairs],
            first=[pair.first for pair in pairs],
            second=[pair.second for pair in pairs],
            references=[pair.references for pair in pairs],
            votes={"votes": np.array([pair.votes for pair in pairs], dtype=np.float64)},
        )
