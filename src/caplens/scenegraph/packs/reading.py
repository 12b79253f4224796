"""Captions with their tuples from a file of lines, as users make them from the output of the reference tool."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from caplens.errors import InputError, Notice, counted
from caplens.files.opening import opened
from caplens.scenegraph.packs.pack import LONGEST
from caplens.scenegraph.rules.tuples import Proposal
from caplens.text.ptb import tokenize

Captions = dict[tuple[str, ...], tuple[Proposal, ...]]


class _Line(msgspec.Struct):
    text: str
    tuples: list[list[str]]


def read_parses(path: str | os.PathLike[str]) -> Captions:
    """Read JSON lines ``{"text": "a tall man", "tuples": [["man"], ["man", "tall"]]}``; other keys are passed over.

    The text is the caption as it was parsed: PTB tokens in lower case, joined by spaces. A tuple is ``[object]``,
    ``[object, attribute]`` or ``[subject, object, relation]``. Of a caption that is there twice, the first line counts.
    """
    decoder = msgspec.json.Decoder(_Line)
    captions: Captions = {}
    with opened(Path(path)) as content:
        for number, line in enumerate(content.read().splitlines(), 1):
            if not line.strip():
                continue
            try:
                entry = decoder.decode(line)
            except msgspec.MsgspecError as error:
                raise InputError(f"Line {number:,} of {path} is not a caption with its tuples: {error}.") from error
            captions.setdefault(tuple(entry.text.split()), tuple(_checked(each, number, path) for each in entry.tuples))
    if not captions:
        raise InputError(f"There are no captions in {path}.")
    return captions


def odd_tokens(captions: Iterable[tuple[str, ...]]) -> list[Notice]:
    """Warn of captions that are not PTB tokens in lower case: hardly any caption has words that are equal to them.

    Examples
    --------
    >>> print(*odd_tokens([("A", "man."), ("a", "dog")]))
    1 caption is not PTB tokens in lower case, so SPICE will hardly find it ('A man.': 'a man')
    """
    given = [" ".join(words) for words in captions]
    tokens = [" ".join(tokenize(text)) for text in given]
    wrong = [(text, found) for text, found in zip(given, tokens, strict=True) if text != found.replace("\xa0", " ")]
    if not wrong:
        return []
    wording = "{0:caption} {0:is|are} not PTB tokens in lower case, so SPICE will hardly find {0:it|them}"
    return [Notice.worded("odd-tokens", wording, [len(wrong)], [f"{text!r}: {found!r}" for text, found in wrong])]


def _checked(words: list[str], line: int, path: object) -> Any:  # noqa: ANN401 (a tuple of one, two or three words)
    if not 1 <= len(words) <= LONGEST:
        raise InputError(
            f"Line {line:,} of {path} has a tuple of {counted(len(words), 'word')}: one to three are allowed."
        )
    if not all(words):
        raise InputError(f"Line {line:,} of {path} has a tuple with an empty word.")
    return tuple(words)
