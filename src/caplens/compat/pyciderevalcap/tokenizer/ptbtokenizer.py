"""The PTB tokenizer with the calls of the original: references by image, or candidates in a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caplens.compat.pycocoevalcap.tokenizer import ptbtokenizer
from caplens.errors import UsageError

SOURCES = ("gts", "res")


class PTBTokenizer:
    """Lower-cased Penn Treebank tokens without punctuation.

    Parameters
    ----------
    _source : {"gts", "res"}
        What is tokenised: lists of references by image, or candidates in a list.

    Examples
    --------
    >>> PTBTokenizer("gts").tokenize({7: [{"caption": "A dog."}]})
    {7: ['a dog']}
    >>> PTBTokenizer("res").tokenize([{"image_id": 7, "caption": "Two dogs!"}])
    [{'image_id': 7, 'caption': ['two dogs']}]
    """

    def __init__(self, _source: str = "gts") -> None:
        if _source not in SOURCES:
            raise UsageError(f"PTBTokenizer tokenises {' or '.join(SOURCES)}, not {_source!r}.")
        self.source = _source

    def tokenize(
        self, captions_for_image: Mapping[Any, Sequence[Mapping[str, Any]]] | Sequence[Mapping[str, Any]]
    ) -> Any:  # noqa: ANN401 (a dictionary of references, or a list of candidates)
        """Return tokenised captions in the shape that the scorers of this package take."""
        if isinstance(captions_for_image, Mapping):
            return ptbtokenizer.PTBTokenizer().tokenize(captions_for_image)
        lines = ptbtokenizer.PTBTokenizer().tokenize({place: [entry] for place, entry in enumerate(captions_for_image)})
        return [
            {"image_id": entry["image_id"], "caption": lines[place]} for place, entry in enumerate(captions_for_image)
        ]
