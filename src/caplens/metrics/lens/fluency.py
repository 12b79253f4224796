"""The fluency of a caption relative to its references: rare words are no fault where references contain them, too."""

from __future__ import annotations

import numpy as np

from caplens.arrays import Floats, Integers
from caplens.core.prepared import Prepared
from caplens.core.requirement import WordIds
from caplens.metrics.fluency.metric import WordProbabilities
from caplens.text.ragged import offsets_of, places_of

TYPICAL_FLUENCY = -3.5
"""The mean log probability per word of a human caption whose references are not known."""
TYPICAL_REFERENCES = 2.0
"""That figure counts as much as this many references."""


def relative_fluency(prepared: Prepared, words: WordIds) -> Floats:
    r"""Return the fluency of each candidate, less what its references lead one to expect.

    .. math:: f(c) - \frac{K}{K + 2} \left(\operatorname{median}_k f(r_k) - f_0\right)

    with :math:`K` references that have words and the fluency :math:`f_0` of a typical caption. It is computed
    once for a corpus, however many of its rows are explained.

    Parameters
    ----------
    prepared : Prepared
        Candidates and references.
    words : WordIds
        The words that are read.
    """
    return prepared.once((words, "relative fluency"), lambda: _relative_fluency(prepared, words))


def _relative_fluency(prepared: Prepared, words: WordIds) -> Floats:
    sets, of_row = np.unique(prepared.reference_set, return_inverse=True)
    captions, counts = places_of(prepared.references.offsets, sets)
    spoken = prepared.references.get(words).lengths[captions] > 0
    numbers = np.repeat(np.arange(len(sets)), counts)[spoken]
    theirs = prepared.references.get(WordProbabilities(words))[captions[spoken]]
    return prepared.candidates.get(WordProbabilities(words)) - expected(theirs, numbers, len(sets))[of_row]


def expected(fluency: Floats, numbers: Integers, sets: int) -> Floats:
    """Return by how much the references of each set shift what is expected of a caption.

    Parameters
    ----------
    fluency : numpy.ndarray
        Of the references.
    numbers : numpy.ndarray of int
        The set of each reference, in ascending order.
    sets : int
        How many sets there are; one without references shifts nothing.
    """
    ordered = np.append(fluency[np.lexsort((fluency, numbers))], 0.0)
    counts = np.bincount(numbers, minlength=sets)
    begins = offsets_of(counts)[:-1]
    low, high = begins + np.maximum(counts - 1, 0) // 2, begins + counts // 2
    middle = (ordered[low] + ordered[high]) / 2
    shift: Floats = counts / (counts + TYPICAL_REFERENCES) * (middle - TYPICAL_FLUENCY)
    return shift
