"""Captions with their tuples from a file of lines, as users make them from the output of the reference tool."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from caplens.errors import InputError
from caplens.files.opening import opened
from caplens.scenegraph.packs.pack import LONGEST
from caplens.scenegraph.rules.tuples import Proposal

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


def _checked(words: list[str], line: int, path: object) -> Any:  # noqa: ANN401 (a tuple of one, two or three words)
    if not 1 <= len(words) <= LONGEST or not all(words):
        raise InputError(f"Line {line:,} of {path} has a tuple of {len(words)} words: one to three are allowed.")
    return tuple(words)
