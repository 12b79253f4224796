"""Document frequencies by name: those that ship with caplens, and those that ``caplens df build --name`` made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from caplens.errors import CaplensError, UsageError, reason_of
from caplens.files.claims import claim_input
from caplens.files.folders import user_directory
from caplens.files.paths import is_file
from caplens.metrics.cider.document_frequencies import SHIPPED, DocumentFrequencies, load

VARIABLE = "CAPLENS_DF"
"""The environment variable that names another folder for named document frequencies."""
SUFFIX = ".df.safetensors"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_RESERVED = ("corpus",)


@dataclass(frozen=True)
class Entry:
    """Document frequencies that can be asked for.

    Attributes
    ----------
    name : str
        What ``cider(df=...)`` calls them.
    documents, ngrams : int
        How many documents were counted, and how many n-grams occur in two of them or more.
    rules : str
        The tokenizer, and whether words are stemmed.
    fingerprint : str
        The hash of the content that signatures show.
    place : str
        Where they are kept.
    fault : str or None
        Why they cannot be used, if so.
    """

    name: str
    documents: int
    ngrams: int
    rules: str
    fingerprint: str
    place: str
    fault: str | None = None


def directory() -> Path:
    """Return the folder of named frequencies: ``$CAPLENS_DF``, or a folder in the platform's place for data."""

    def usual() -> str:
        from platformdirs import user_data_path

        return str(user_data_path("caplens", appauthor=False) / "df")

    return user_directory(VARIABLE, usual, "~/.local/share/caplens/df")


def path_for(name: str) -> Path:
    """Return where frequencies of a name are kept; a name that cannot be given is refused."""
    if name in SHIPPED:
        raise UsageError(f"{name!r} are document frequencies that ship with caplens: choose another name.")
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise UsageError(
            f"{name!r} cannot be the name of document frequencies: use letters, digits, dots, dashes and underscores."
        )
    return directory() / f"{name}{SUFFIX}"


def load_named(name: str) -> DocumentFrequencies:
    """Read frequencies by name: shipped ones, then named ones, else from the file.

    Examples
    --------
    >>> load_named("coco-val2014").documents
    40504
    """
    path = SHIPPED.get(name)
    if path is None and _NAME.fullmatch(name):
        named = directory() / f"{name}{SUFFIX}"
        path = named if named.is_file() and not Path(name).is_file() else None
    path = Path(name) if path is None else path
    claim_input(path)
    if not is_file(path):
        return load(path)  # which says how to make it
    try:
        return _loaded(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {reason_of(error)}.") from error


@lru_cache(maxsize=8)
def _loaded(path: Path, changed: int) -> DocumentFrequencies:
    """Read a file once; ``changed`` tells a file that was written again from the old one."""
    return load(path)


def names() -> list[str]:
    """Return the names of all named frequencies, those that ship first."""
    try:
        named = sorted(directory().glob(f"*{SUFFIX}"))
    except OSError:
        named = []
    return [*SHIPPED, *(path.name.removesuffix(SUFFIX) for path in named)]


def entries() -> list[Entry]:
    """Return all named frequencies, those that ship first."""
    found = []
    for name in names():
        place = "shipped with caplens" if name in SHIPPED else str(directory() / f"{name}{SUFFIX}")
        try:
            known = load_named(name)
        except CaplensError as error:
            found.append(Entry(name, 0, 0, "", "", place, str(error)))
            continue
        ngrams = sum(int((counts > 1).sum()) for counts in known.frequencies)
        rules = f"{known.words.tokenizer}{', stemmed' if known.words.stem else ''}, n={len(known.frequencies)}"
        found.append(Entry(name, known.documents, ngrams, rules, known.fingerprint, place))
    return found


def remove(name: str) -> Path:
    """Remove named frequencies; return where they were."""
    path = path_for(name)
    try:
        path.unlink()
    except FileNotFoundError:
        known = ", ".join(entry.name for entry in entries() if entry.name not in SHIPPED) or "none"
        raise UsageError(f"There are no document frequencies named {name!r}; named ones: {known}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be removed: {reason_of(error)}.") from error
    return path
