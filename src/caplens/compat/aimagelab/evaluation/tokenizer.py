"""The PTB tokenizer with aimagelab's calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caplens.compat.pycocoevalcap.tokenizer import ptbtokenizer

Texts = Sequence[str] | Sequence[Sequence[str]] | Mapping[Any, Sequence[str]]


class PTBTokenizer:
    """Lower-cased Penn Treebank tokens without punctuation.

    Examples
    --------
    >>> PTBTokenizer.tokenize(["A man's dog."])
    {0: ["a man 's dog"]}
    """

    @classmethod
    def tokenize(cls, corpus: Texts) -> dict[Any, list[str]]:
        """Return the tokenised captions by image.

        Parameters
        ----------
        corpus : list of str, list of lists of str, or dict of lists of str
            One caption or several for each image; lists are numbered.
        """
        if not isinstance(corpus, Mapping):
            corpus = {place: [texts] if isinstance(texts, str) else list(texts) for place, texts in enumerate(corpus)}
        entries = {image: [{"caption": text} for text in texts] for image, texts in corpus.items()}
        return ptbtokenizer.PTBTokenizer().tokenize(entries)
