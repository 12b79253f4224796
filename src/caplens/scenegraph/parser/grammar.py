"""A grammar of tags that chooses tags, heads and labels of a caption together, where the network leaves a choice.

The parser inside SPICE is a context-free grammar whose symbols are tags and phrases: it finds the best tree and the
tags at once. The network judges tags and heads one by one, so its choices do not always go together. The grammar
scores whole derivations among what the network finds likely: the sum of the network's log-probabilities, times
`NETWORK_SHARE`, and of weights of the derivation's steps, which `training/parser/train_grammar.py` learned. A step's
features are what the symbols of such a grammar tell apart (Klein and Manning, "Accurate Unlexicalized Parsing", ACL
2003): the tag and label of a phrase, the kind of word it depends on, the dependents that it has on that side, the word
that introduces it, and whether there is a verb inside.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers, Singles
from caplens.scenegraph.parser import _grammar

NETWORK_SHARE = np.float32(0.4)
"""Weight of the network's log-probabilities; chosen on the development captions of `training/parser`."""

KINDS = (
    ("NN", "NNS", "NNP", "NNPS", "PRP", "CD", "EX", "WP", "DT", "FW", "$", "WDT"),
    ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"),
    ("JJ", "JJR", "JJS"),
    ("RB", "RBR", "RBS", "WRB"),
    ("IN", "TO", "RP"),
)
"""Tags by what depends on such words alike; the root is 0, these are 1 to 5, all others 6."""

SPEAKING = ("IN", "TO", "RP", "CC", "WDT", "MD", "EX", "WRB", "WP")
"""Tags whose words matter themselves, such as prepositions."""

INNER = ("det", "amod", "compound", "nummod", "nmod:poss", "det:predet", "cc:preconj", "mwe", "nmod:npmod")
"""Labels of dependents on the left that belong to the innermost phrase of a word."""

INNER_UNLESS_VERB = ("advmod", "neg")

NAMED = ("root", "case", "mark", "det")


@dataclass(frozen=True, eq=False)
class Candidates:
    """What the words of captions may be, and how likely (log-probabilities).

    Attributes
    ----------
    tag_starts, arc_starts : numpy.ndarray of int32
        Where the candidates of each token begin; one entry more than tokens.
    tags, tag_logs : numpy.ndarray
        Tags of tokens.
    heads, labels, arc_logs : numpy.ndarray
        Heads of tokens, counted from 1 within the caption (0 is the root), with labels.
    """

    tag_starts: ShortIntegers
    tags: ShortIntegers
    tag_logs: Singles
    arc_starts: ShortIntegers
    heads: ShortIntegers
    labels: ShortIntegers
    arc_logs: Singles


class Roles:
    """What tags and labels mean to the grammar.

    Parameters
    ----------
    tags, labels : sequence of str
        Their names, by number.
    """

    def __init__(self, tags: Sequence[str], labels: Sequence[str]) -> None:
        kind = {tag: number for number, names in enumerate(KINDS, start=1) for tag in names}
        self.kinds = np.array([kind.get(tag, len(KINDS) + 1) for tag in tags], np.uint8)
        self.speaking = np.array([tag in SPEAKING for tag in tags], np.uint8)
        inner = dict.fromkeys(INNER, 1) | dict.fromkeys(INNER_UNLESS_VERB, 2)
        self.inner = np.array([inner.get(label, 0) for label in labels], np.uint8)
        root, case, mark, determiner = (labels.index(name) for name in NAMED)
        self.named = (root, case, mark, determiner)

    @property
    def root(self) -> int:
        """The label of the root."""
        return self.named[0]


class Grammar:
    """Weights of steps of derivations.

    Parameters
    ----------
    weights : numpy.ndarray of float32
        By the hash of a feature; a power of two of them.
    roles : Roles
        What tags and labels mean.
    """

    def __init__(self, weights: Singles, roles: Roles) -> None:
        self.weights = weights
        self.roles = roles

    def choose(
        self,
        candidates: Candidates,
        words: npt.NDArray[np.uint32],
        offsets: ShortIntegers,
        columns: ShortIntegers,
        costs: tuple[Singles, Singles] | None = None,
    ) -> Singles:
        """Replace tags, heads and labels by those of the best derivations; return the scores of these.

        A caption stays as it is where the network leaves no choice, where no derivation is found and where there are
        more than `_grammar.LONGEST` words; its score is minus infinity.

        Parameters
        ----------
        candidates : Candidates
            What the network finds likely.
        words : numpy.ndarray of uint32
            From `checksums`, token by token.
        offsets : numpy.ndarray of int32
            Caption ``c`` owns the tokens ``offsets[c]:offsets[c + 1]``.
        columns : numpy.ndarray of int32
            Rows of tags, heads and labels.
        costs : tuple of numpy.ndarray, optional
            Added to the scores of tags and arcs, in training.
        """
        tag_scores, arc_scores = NETWORK_SHARE * candidates.tag_logs, NETWORK_SHARE * candidates.arc_logs
        if costs is not None:
            tag_scores, arc_scores = tag_scores + costs[0], arc_scores + costs[1]
        scores = np.empty(len(offsets) - 1, np.float32)
        roles = self.roles
        _grammar.choose(
            offsets,
            words,
            candidates.tag_starts,
            candidates.tags,
            tag_scores,
            candidates.arc_starts,
            candidates.heads,
            candidates.labels,
            arc_scores,
            roles.kinds,
            roles.speaking,
            roles.inner,
            roles.named,
            self.weights,
            columns,
            scores,
        )
        return scores


def checksums(words: Sequence[str]) -> npt.NDArray[np.uint32]:
    """Return words as the grammar knows them."""
    return np.fromiter((zlib.crc32(word.encode()) for word in words), np.uint32, len(words))


def pack(weights: Singles) -> tuple[npt.NDArray[np.int8], Singles]:
    """Return weights as eight-bit numbers of a unit, and the unit."""
    unit = np.array([np.abs(weights).max() / 127], np.float32)
    return np.rint(weights / unit).astype(np.int8), unit


def unpack(packed: npt.NDArray[np.int8], unit: Singles) -> Singles:
    """Return the weights that `pack` stored."""
    return packed * unit
