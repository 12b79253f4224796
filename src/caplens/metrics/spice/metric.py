"""SPICE: captions become scene graphs, and their tuples are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from caplens.core.english import not_english, sampled_references
from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.requirement import Requirement, WordIds
from caplens.core.state import NamedState
from caplens.core.statistics import Share
from caplens.errors import SHOWN_IDS, Notice, counted, lacking_for
from caplens.files.threads import map_blocks
from caplens.metrics.spice.preparing import CaptionGraphs, ProposedTuples, ReferenceGraphs
from caplens.output.explanation import Explanation
from caplens.scenegraph.graph.categories import Categories, read_categories
from caplens.scenegraph.graph.score import KINDS, WordLists, count_rows, precision_recall_f
from caplens.scenegraph.packs.library import known_graphs
from caplens.scenegraph.parser.registry import OWN, get_parser, load_parser, parser_names

# Of the statistics of each category; the last is 1 where the references have a tuple of it, else 0.
NUMBERS = ("f", "precision", "recall", "counts")


@dataclass(frozen=True)
class Spice(Metric):
    r"""SPICE: F-score of the objects, attributes and relations that a caption shares with its references.

    .. math:: P = \frac{|T(c) \otimes T(S)|}{|T(c)|},\quad R = \frac{|T(c) \otimes T(S)|}{|T(S)|},\quad
              \mathrm{SPICE} = \frac{2 P R}{P + R}

    where :math:`T` are the tuples of a scene graph (a single one for all references of an image) and :math:`T(c)
    \otimes T(S)` those of the candidate that match a tuple of the references: their parts are equal or share a
    WordNet synset. The corpus score is the mean over images. The categories count only their own tuples and exclude
    images whose references have none (NaN). A candidate whose graph has exactly the tuples of the references' graph
    scores 1. The score can be higher (below 2) only if several tuples of the candidate match the same tuple of the
    references, as in SPICE 1.0 (``repeat=once`` prevents this).

    The rules are those of SPICE 1.0, but the parser is caplens' own, so scores are close to those of the Java tool,
    not equal. With the Java tool's parses they are equal.

    References
    ----------
    P. Anderson, B. Fernando, M. Johnson, S. Gould: SPICE: semantic propositional image caption evaluation, ECCV 2016.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score(["a brown dog"], [["a brown dog", "a happy dog"]], metrics="spice")
    >>> result["SPICE"].score, result["SPICE"].parts["recall"].score
    (0.8, 0.6666666666666666)
    """

    name: ClassVar[str] = "spice"
    english_because: ClassVar[str] = "its parser and its synsets are English"
    title: ClassVar[str] = "SPICE"
    origin: ClassVar[str] = "Anderson et al. 2016"
    idea: ClassVar[str] = "objects, attributes and relations shared with the references"
    key_stem: ClassVar[str] = "SPICE"
    part_names: ClassVar[tuple[str, ...]] = ("precision", "recall")
    shown_parts: ClassVar[tuple[str, ...]] = part_names
    reads_graphs: ClassVar[bool] = True

    synonyms: bool = option(True, "match words that share a WordNet synset; false: only equal words (SPICE-exact)")
    repeat: Literal["any", "once"] = option("any", "`once`: match each reference tuple at most once")
    categories: str | None = option(None, "JSON file of custom categories: names with lists of attribute words")
    parser: str = option(
        OWN, "`caplens`, a registered parser or module:attribute", load=load_parser, names=parser_names
    )
    known: bool = option(True, "use the reference tool's scene graph for captions in a pack; requires `parser=caplens`")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    def __post_init__(self) -> None:
        super().__post_init__()
        # Read now: the names are among the keys, and a file that is no good is better known before the work.
        object.__setattr__(self, "_categories", read_categories(self.categories))

    def missing_data(self) -> str | None:
        """Return what is wrong with the parser."""
        return lacking_for(lambda: get_parser(self.parser))

    @property
    def own_categories(self) -> Categories:
        """The word lists and what identifies the user's among them."""
        found: Categories = self.__dict__["_categories"]
        return found

    @property
    def lists(self) -> WordLists:
        """The word list of each category that has one."""
        return self.own_categories.lists

    @property
    def once(self) -> bool:
        """Whether a reference tuple is matched at most once."""
        return self.repeat == "once"

    @property
    def keys(self) -> tuple[str, ...]:
        """``SPICE``, then one for each category."""
        return ("SPICE", *(f"SPICE_{name}" for name in (*KINDS[1:], *self.lists)))

    @property
    def main_key(self) -> str:
        """``SPICE``: the categories are details of it."""
        return "SPICE"

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1, or to 2 where several tuples of a candidate may match the same one of the references.

        With P at most 1 and R at most :math:`|T(c)| / |T(S)|`, F stays below 2.
        """
        return dict.fromkeys(self.keys, (0.0, 1.0 if self.once else 2.0))

    @property
    def proposed(self) -> ProposedTuples:
        """The tuples that captions propose."""
        return ProposedTuples(self.tokenizer, self.parser, self.uses_packs)

    @property
    def uses_packs(self) -> bool:
        """Whether captions are looked up in packs before they are parsed: another parser is asked for all of them."""
        return self.known and self.parser == OWN

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words and proposed tuples."""
        return (WordIds(self.tokenizer), self.proposed)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> State:
        """Look for reference sets without any tuple, and for references that the parser cannot know."""
        data = {
            "parser": getattr(get_parser(self.parser), "signature", None),
            "known": known_graphs().signature if self.uses_packs else None,
            "categories": self.own_categories.fingerprint,
        }
        return NamedState(
            (
                *self._without_tuples(references, usage),
                *self._not_english(references),
                *self._known_references(references),
            ),
            tuple((name, value) for name, value in data.items() if value is not None),
        )

    def _without_tuples(self, references: PreparedReferences, usage: Usage) -> list[Notice]:
        """Name the images that the mean leaves out."""
        proposed = references.get(self.proposed)
        has_tuples = np.array([bool(proposals) for proposals in proposed.distinct], dtype=bool)[proposed.numbers]
        found = np.concatenate([[0], np.cumsum(has_tuples)])[references.offsets]
        has_captions = np.diff(references.offsets) > 0
        empty = np.flatnonzero((np.diff(found) == 0) & has_captions & (usage.rows > 0)).tolist()
        if not empty:
            return []
        wording = "SPICE excludes {0:image}, in whose references its parser finds no object, attribute or relation"
        return [
            Notice.worded("no-tuples", wording, [len(empty)], [references.ids[place] for place in empty[:SHOWN_IDS]])
        ]

    def _known_references(self, references: PreparedReferences) -> list[Notice]:
        """Say how many references have the reference tool's scene graph."""
        return self._known_captions(references, "reference")

    def notices(self, prepared: Prepared) -> tuple[Notice, ...]:
        """Say how many candidates have the reference tool's scene graph."""
        return tuple(self._known_captions(prepared.candidates, "candidate"))

    def _known_captions(self, side: PreparedCaptions, noun: str) -> list[Notice]:
        proposed = side.get(self.proposed)
        known = int(proposed.known[proposed.numbers].sum())
        if not known:
            return []
        what, how = "SPICE uses the reference tool's scene graphs for", "(packs; known=false turns them off)"
        said = Notice.worded("known-graphs", f"{what} {{0:{noun}}} {how}", [known], (), "note")
        message = f"{what} {known:,} of {counted(len(proposed.numbers), noun)} {how}"
        return [replace(said, message=message)]

    def coverage(self, prepared: Prepared) -> dict[str, Share]:
        """Return the shares of candidates and references whose scene graphs come from packs."""
        sides = {"known_candidates": prepared.candidates, "known_references": prepared.references}
        proposed = {name: side.get(self.proposed) for name, side in sides.items()} if self.uses_packs else {}
        return {
            name: Share(int(found.known[found.numbers].sum()), len(found.numbers)) for name, found in proposed.items()
        }

    def _not_english(self, references: PreparedReferences) -> list[Notice]:
        """Warn where most words are unknown to the parser, if it can tell."""
        known_share = getattr(get_parser(self.parser), "known_share", None)
        captions = sampled_references(references, WordIds(self.tokenizer))
        if known_share is None or not captions:
            return []
        return not_english("SPICE's parser", captions, float(known_share(captions)))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return F, precision, recall and whether it counts, for each category.

        A row without any reference (`missing=zero`) counts, with 0, in all of them.
        """
        found = np.stack(precision_recall_f(self.known_counts(prepared)), axis=-1)[..., [2, 0, 1]]
        found[np.diff(prepared.references.offsets)[prepared.reference_set] == 0] = 0
        counts = np.isfinite(found[..., :1]).astype(np.float64)
        table = np.concatenate([np.nan_to_num(found), counts], axis=-1).reshape(len(prepared), -1)
        columns = (f"{name.lower()}_{number}" for name in (*KINDS, *self.lists) for number in NUMBERS)
        return Statistics(tuple(columns), table)

    def known_counts(self, prepared: Prepared) -> npt.NDArray[np.int32]:
        """Return `tuple_counts`, counted once however many rows are explained."""
        return prepared.once((self, "counts"), lambda: self.tuple_counts(prepared))

    def tuple_counts(self, prepared: Prepared) -> npt.NDArray[np.int32]:
        """Return the tuples that match, those of the candidate and those of the references.

        For each row and category, see `caplens.scenegraph.graph.score.count_rows`. Rows with the same words and the
        same references are counted once.
        """
        candidates = prepared.candidates.get(CaptionGraphs(self.proposed, self.synonyms))
        numbers = prepared.candidates.get(self.proposed).numbers
        sets, set_of = np.unique(prepared.reference_set, return_inverse=True)
        references = prepared.references.get(ReferenceGraphs(self.proposed, self.synonyms)).get(sets.tolist())
        pairs, pair_of = np.unique(set_of * max(1, len(candidates)) + numbers, return_inverse=True)
        caption, place = (pairs % max(1, len(candidates))).tolist(), (pairs // max(1, len(candidates))).tolist()

        def count(first: int, last: int) -> npt.NDArray[np.int32]:
            # Pairs are sorted by set, so that a block has few sets, one after the other.
            within = references[place[first] : place[last - 1] + 1]
            chosen = [candidates[each] for each in caption[first:last]]
            places = [each - place[first] for each in place[first:last]]
            return count_rows(chosen, within, places, self.lists, self.once)

        # On one thread: it is all Python.
        return np.concatenate(map_blocks(count, len(pairs), 1, "SPICE"))[pair_of]

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return mean F-scores over the images that count."""
        return self._means(sums)[..., 0]

    def parts_of(self, sums: Floats, rows: Floats) -> Floats:
        """Return mean precision and recall over the images that count."""
        return self._means(sums)[..., 1:]

    def _means(self, sums: Floats) -> Floats:
        """Divide by the number of images that count, shape (..., keys, numbers without the last)."""
        by_category = sums.reshape(*sums.shape[:-1], len(self.keys), len(NUMBERS))
        with np.errstate(invalid="ignore"):
            means: Floats = by_category[..., :-1] / by_category[..., -1:]
        return means

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show both scene graphs and the tuples that match, that are wrong and that are missed."""
        from caplens.metrics.spice.explanation import Explainer

        return prepared.once((self, state, "explainer"), lambda: Explainer(self, prepared, state)).explain(row)
