"""The user's own categories of SPICE: word lists in a JSON file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from caplens.errors import InputError
from caplens.scenegraph.graph.score import KINDS, WORD_LISTS, WordLists, word_lists

# Columns of files are called SPICE_<category>_precision: a category of that name would make two of one name.
_ENDINGS = ("_precision", "_recall")
_SHAPE = '{"Material": ["wooden", "metal"]}'


@dataclass(frozen=True)
class Categories:
    """Word lists, SPICE's own and the user's.

    Attributes
    ----------
    lists : dict
        The words of each category.
    fingerprint : str or None
        A hash of the user's lists, or None where there are none.
    """

    lists: WordLists
    fingerprint: str | None = None


def read_categories(path: str | None) -> Categories:
    """Read the user's word lists; without a file the categories are SPICE's own.

    The file holds one JSON object: the name of each category and the list of its words, such as
    ``{"Material": ["wooden", "metal"]}``. The names go into results as ``SPICE_Material``.

    Raises
    ------
    InputError
        If there is no such file, or it holds something else.

    Examples
    --------
    >>> list(read_categories(None).lists)
    ['Color', 'Cardinality', 'Size']
    """
    if path is None:
        return Categories(WORD_LISTS)
    try:
        data = msgspec.json.decode(Path(path).read_bytes(), type=dict[str, list[str]])
    except OSError as error:
        raise InputError(f"The word lists {path} cannot be read: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} must map names to lists of words, such as {_SHAPE} ({error}).") from error
    _check(path, data)
    return Categories(word_lists(data), _fingerprint(data))


def _check(path: str, data: Mapping[str, list[str]]) -> None:
    """Refuse names that results cannot have, and lists without words."""
    if not data:
        raise InputError(f"{path} contains no word list; write one such as {_SHAPE}.")
    taken = {name.lower() for name in (*KINDS, *WORD_LISTS)}
    for name, entries in data.items():
        if not name.strip() or name != name.strip() or name.lower().endswith(_ENDINGS):
            raise InputError(f"{path}: {name!r} cannot be the name of a category: choose another.")
        if name.lower() in taken:
            raise InputError(f"{path}: there is already a category {name}: give the word list another name.")
        if not entries or not all(entry.strip() for entry in entries):
            raise InputError(f"{path}: the category {name} needs at least one word, and no empty ones.")
        taken.add(name.lower())


def _fingerprint(data: Mapping[str, list[str]]) -> str:
    """Return a hash of what the lists mean, whatever the order of words and the white space of the file."""
    lists = [(name, sorted(entries)) for name, entries in word_lists(data).items() if name not in WORD_LISTS]
    return hashlib.sha256(msgspec.json.encode(lists)).hexdigest()[:12]
