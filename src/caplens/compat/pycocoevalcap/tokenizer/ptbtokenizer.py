"""The Stanford PTB tokenizer, without Java, with the calls of the original."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from caplens.text.captions import Captions
from caplens.text.ptb import PUNCTUATION, line_tokens
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

PUNCTUATIONS = sorted(PUNCTUATION)
"""The tokens that are dropped."""

Image = TypeVar("Image", bound=Hashable)

# Initials and abbreviations whose full stop the PTB rules keep or drop by the word that follows.
_UNDECIDED = re.compile(r"(?:\b[a-z]|\b(?:art|ca|figs?|nos?|op|pp|prop))\.\s*$", re.IGNORECASE | re.ASCII)


class PTBTokenizer:
    """Lower-cased Penn Treebank tokens without punctuation.

    Two things the original does with lines are different here. A caption with a carriage return or another line
    separator shifts all captions behind it there; here such a character is a space. And its very last caption has no
    line end, which a few rules ask for; here all captions are treated alike.
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Take what forks of the original take, such as ``verbose``; it changes nothing."""

    def tokenize(self, captions_for_image: Mapping[Image, Sequence[Mapping[str, Any]]]) -> dict[Image, list[str]]:
        """Return the tokenised captions of every image, words joined by single spaces.

        Parameters
        ----------
        captions_for_image : dict
            Lists of ``{"caption": "..."}`` by image. An image without captions does not come back.

        Examples
        --------
        >>> PTBTokenizer().tokenize({7: [{"caption": "A man's dog."}, {"caption": "Two dogs (running)"}]})
        {7: ["a man 's dog", 'two dogs -lrb- running -rrb-']}
        """
        texts = [entry["caption"] for entries in captions_for_image.values() for entry in entries]
        lines = _tokenised(texts)
        for place, text in enumerate(texts):
            if _UNDECIDED.search(text, max(len(text) - 8, 0)):
                lines[place] = _before(text, _following(texts, place))
        remaining = iter(lines)
        return {
            image: [next(remaining) for _ in entries] for image, entries in captions_for_image.items() if len(entries)
        }


def _tokenised(texts: list[str]) -> list[str]:
    words = encode_words(Captions.from_texts(texts)[0], get_tokenizer("ptb"))
    # Each distinct word is decoded once; a caption is then a list look-up.
    vocabulary = [words.table.key(word).decode("utf-8") for word in range(len(words.table))]
    spelled = [vocabulary[word] for word in words.ids.tolist()]
    offsets = words.offsets.tolist()
    return [" ".join(spelled[first:last]) for first, last in pairwise(offsets)]


def _following(texts: list[str], place: int) -> str:
    """Return the text behind a caption, up to the end of the next caption that is not blank."""
    end = place + 1
    while end < len(texts) - 1 and not texts[end].strip():
        end += 1
    return " ".join(texts[place + 1 : end + 1])


def _before(text: str, following: str) -> str:
    """Tokenise a caption as it stands before others.

    The original's tokenizer reads on over the line end, so in ``parked at sign P.`` the full stop is dropped where the
    next caption begins with *A* and kept where it begins with *Two*.
    """
    words, rest = line_tokens(f"{text} {following}"), line_tokens(following)
    end = len(words) - len(rest)
    return " ".join(words[:end] if words[end:] == rest else line_tokens(text))
