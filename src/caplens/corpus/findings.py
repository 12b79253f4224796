"""What was odd in captions, said once for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from caplens.errors import SHOWN_IDS, InputError, Notice, counted, name_some
from caplens.text.captions import Finding

_SAID = {
    Finding.BLANK: ("empty-{side}", "without any text"),
    Finding.LINE_SEPARATOR: (
        "line-separator",
        "with unusual line separators (CR, VT, FF, U+0085, U+2028, U+2029), treated as white space",
    ),
    Finding.CONTROL_CHARACTER: ("control-character", "with control characters, treated as white space"),
    Finding.LONE_SURROGATE: ("lone-surrogate", "with lone surrogates, treated as U+FFFD"),
}


def notices_of(flags: npt.NDArray[np.uint8], side: str, identifier: Callable[[int], str]) -> Iterable[Notice]:
    """Say what was found in the captions of one side; captions that are no text are refused."""
    if not flags.any():
        return

    def concerned(finding: Finding) -> tuple[int, tuple[str, ...]]:
        places = np.flatnonzero(flags & finding.value)
        return len(places), tuple(identifier(int(place)) for place in places[:SHOWN_IDS])

    count, ids = concerned(Finding.NOT_TEXT)
    if count:
        raise InputError(
            f"{counted(count, side)} {'is' if count == 1 else 'are'} not text (id {name_some(ids, count)}): a caption "
            "must be a string."
        )
    for finding, (code, message) in _SAID.items():
        count, ids = concerned(finding)
        if count:
            yield Notice.worded(code.format(side=side), f"{{0:{side}}} {message}", [count], ids)
