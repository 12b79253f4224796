"""Scripts in which a tokenizer that cuts at white space finds no words."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from caplens.text.captions import Captions

# First and last character of the blocks of Unicode, widened to the 64 characters that share two bytes of UTF-8.
_BLOCKS = {
    "Thai": ((0x0E00, 0x0E7F),),
    "Lao": ((0x0E80, 0x0EFF),),
    "Tibetan": ((0x0F00, 0x0FFF),),
    "Burmese": ((0x1000, 0x107F),),
    "Khmer": ((0x1780, 0x17FF),),
    "Japanese": ((0x3040, 0x30FF),),
    "Chinese": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)),
    "Korean": ((0xAC00, 0xD7BF),),
}
SCRIPTS = tuple(_BLOCKS)
_FIRST_LEAD = 0xE0  # bytes from here on begin a character of three or four bytes
_SUPPLEMENT = 0xF0  # four bytes: beyond the Basic Multilingual Plane, rare characters and emoji
_SHORT_CHUNK = 3  # Chinese and Japanese words have two characters or so: shorter chunks are words that somebody cut


@cache
def _numbers() -> npt.NDArray[np.uint8]:
    """Return the number of the script (from 1 on; 0 for all others) of each run of 64 characters."""
    numbers = np.zeros(0x10000 >> 6, dtype=np.uint8)
    for number, ranges in enumerate(_BLOCKS.values(), 1):
        for first, last in ranges:
            numbers[first >> 6 : (last >> 6) + 1] = number
    return numbers


def uncut_captions(captions: Captions) -> tuple[int, tuple[str, ...]]:
    """Count the captions in a script that white space does not cut into words; also name the scripts.

    A caption counts if at least half of its characters belong to such scripts, unless its words stand apart already.

    Examples
    --------
    >>> uncut_captions(Captions.from_texts(["一个男人骑马", "ชายขี่ม้า", "男人 骑 马", "a sign that says 出口"])[0])
    (2, ('Thai', 'Chinese'))
    """
    buffer, offsets = captions.buffer, captions.offsets
    if not len(buffer) or buffer.max() < _FIRST_LEAD:
        return 0, ()
    leads = np.flatnonzero((buffer >= _FIRST_LEAD) & (buffer < _SUPPLEMENT))
    block = ((buffer[leads] & 0x0F).astype(np.int64) << 6) | (buffer[leads + 1] & 0x3F)
    script = _numbers()[block]
    leads, script = leads[script > 0], script[script > 0]
    owner = np.searchsorted(offsets, leads, side="right") - 1
    concerned = np.unique(owner)
    found = np.bincount(owner, minlength=len(captions))[concerned]
    korean = np.bincount(owner[script == SCRIPTS.index("Korean") + 1], minlength=len(captions))[concerned]
    spaces = _per_caption(buffer == 0x20, offsets)[concerned]
    characters = (
        _per_caption((buffer & 0xC0) != 0x80, offsets)[concerned] - spaces
    )  # continuing bytes are no characters
    # Korean has spaces between words, but each with its particles.
    uncut = (2 * found >= characters) & ((characters > _SHORT_CHUNK * (spaces + 1)) | (2 * korean >= found))
    named = np.unique(script[np.isin(owner, concerned[uncut])])
    return int(uncut.sum()), tuple(SCRIPTS[number - 1] for number in named.tolist())


def _per_caption(marked: npt.NDArray[np.bool_], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Count the marked bytes of each caption."""
    before = np.concatenate([[0], np.cumsum(marked)])
    counts: npt.NDArray[np.int64] = np.diff(before[offsets])
    return counts
