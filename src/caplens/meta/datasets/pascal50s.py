"""PASCAL-50S: 4,000 pairs of captions in four categories, 50 references an image."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from caplens.errors import InputError, counted, name_some
from caplens.meta.datasets.triplets import matlab, read_triplets, text_of
from caplens.meta.files import find_file
from caplens.meta.pairs.judged import JudgedPairs
from caplens.meta.pairs.study import PairStudy
from caplens.meta.published import anderson2016, kilickaya2017, sharif2018, sharif2020
from caplens.meta.study import Preset
from caplens.readers.records import number, read_json, read_records, require_columns

_CATEGORIES = {1: "HC", 2: "HI", 3: "HM", 4: "MM"}


@dataclass(frozen=True)
class Pascal50s(PairStudy):
    """Pairs of a human-correct (HC), human-incorrect (HI), human-machine (HM) or machine-machine (MM) kind."""

    name: ClassVar[str] = "pascal50s"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(
                preset=Preset(anderson2016.NAME, f"{anderson2016.SOURCE}, table 4", published=anderson2016.TABLE_4),
                ties="right",
            ),
            cls(
                preset=Preset(
                    kilickaya2017.NAME,
                    f"{kilickaya2017.SOURCE}, table 4",
                    published=kilickaya2017.TABLE_4_PASCAL50S,
                    note="the paper does not state the number of references for this set, so all are used",
                ),
                ties="wrong",
                reference_count=None,
            ),
            cls(
                preset=Preset(sharif2018.NAME, f"{sharif2018.SOURCE}, table 2", published=sharif2018.TABLE_2),
                ties="wrong",
            ),
            cls(
                preset=Preset(
                    sharif2020.NAME, f"{sharif2020.SOURCE}, table III", published=sharif2020.TABLE_III_PASCAL50S
                ),
                ties="wrong",
                categories=("HC", "HI"),
            ),
            cls(
                preset=Preset("consensus", "preferences of the 48 triplets instead of direct votes"),
                ties="right",
                votes="consensus",
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedPairs:
        """Read ``pairs.json`` and ``refs50.json``, or the original ``pair_pascal.mat`` and ``consensus_pascal.mat``."""
        if any(data.glob("pair_pascal.mat")) or any(data.glob("*/pair_pascal.mat")):
            return _from_matlab(data)
        path = find_file(data, ["pascal50s*/pairs.json", "pairs.json"], "the pairs of PASCAL-50S")
        rows = read_records(path)
        require_columns(rows, ["image", "a", "b", "category", "votes_a", "votes_b"], path)
        shared = find_file(path.parent, ["refs50.json"], "the references of PASCAL-50S")
        references = {image: tuple(theirs) for image, theirs in read_json(shared).items()}
        unknown = sorted({row["image"] for row in rows} - references.keys())
        if unknown:
            raise InputError(
                f"{counted(len(unknown), 'image')} of {path.name} have no references ({name_some(unknown)})."
            )
        votes = {"votes": np.array([[number(row["votes_a"]), number(row["votes_b"])] for row in rows])}
        label = next((column for column in rows[0] if column.startswith("consensus")), None)
        if label is not None:  # 0 where the first caption is preferred, 1 where the second is
            votes["consensus"] = np.array([[row[label] == 0, row[label] == 1] for row in rows], dtype=np.float64)
        return JudgedPairs(
            ids=[str(place) for place in range(1, len(rows) + 1)],
            images=[row["image"] for row in rows],
            first=[row["a"] for row in rows],
            second=[row["b"] for row in rows],
            references=[references[row["image"]] for row in rows],
            votes=votes,
            categories=[row["category"] for row in rows],
        )


def _from_matlab(data: Path) -> JudgedPairs:
    """Read the original files: the pairs with their categories, and the triplets that hold votes and references."""
    pairs: Any = matlab(find_file(data, ["pair_pascal.mat"], "the pairs of PASCAL-50S"), ("new_input", "category"))
    # A row is a struct of three fields, or a cell of three cells.
    cells = (row.item() if isinstance(row, np.void) else np.ravel(row) for row in np.ravel(pairs["new_input"]))
    rows = [[text_of(cell) for cell in row] for row in cells]
    categories = np.ravel(pairs["category"]).tolist()
    if len(categories) != len(rows) or not set(categories) <= _CATEGORIES.keys():
        raise InputError(f"The {len(rows):,} pairs of pair_pascal.mat need a category from 1 to 4 each.")
    path = find_file(data, ["consensus_pascal.mat"], "the triplets of PASCAL-50S")
    triplets = read_triplets(path, len(rows))
    votes = np.array(
        [[entry.votes_for(row[1]), entry.votes_for(row[2])] for row, entry in zip(rows, triplets, strict=True)]
    )
    found = JudgedPairs(
        ids=[str(place) for place in range(1, len(rows) + 1)],
        images=[row[0] for row in rows],
        first=[row[1] for row in rows],
        second=[row[2] for row in rows],
        references=[entry.references for entry in triplets],
        votes={"votes": votes, "consensus": votes},
        categories=[_CATEGORIES[category] for category in categories],
    )
    why = f"the triplets at their position in {path.name} concern other captions"
    return found.leave_out(np.isnan(votes).any(axis=1), "other-captions", why)
