"""METEOR's statistics as its Java process prints them, and that process' protocol of lines without a process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from caplens.api.scoring import score
from caplens.compat.pycocoevalcap._captions import stand_in
from caplens.core.metric import Floats, Statistics
from caplens.files.telling import silently
from caplens.metrics.meteor.metric import COLUMNS
from caplens.metrics.meteor.metric import Meteor as _Meteor
from caplens.text.meteor import resources

PRINTED = 23
"""How many of our columns the original prints for a caption; the last one is only in its sums."""
SEPARATOR = "|||"
# What the original takes off the ends of a caption: control characters below the space, and its normaliser's spaces.
_TRIMMED = "".join(map(chr, (*range(0x21), 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))


def statistics_of(hypotheses: Sequence[str], references: Sequence[Iterable[str]]) -> Floats:
    """Return a row of statistics for each hypothesis.

    Metrics with ``tokenizer=none`` cut at all white space of Unicode and drop control characters before they normalise;
    METEOR's normaliser sees the caption as it is. Rows where that could make a difference are given to the metric
    normalised.
    """
    candidates = [text.replace(SEPARATOR, "").replace("  ", " ").strip(_TRIMMED) for text in hypotheses]
    sets = [[part.strip(_TRIMMED) for part in f" {SEPARATOR} ".join(texts).split(SEPARATOR)] for texts in references]
    plain = [_is_plain(text) and all(map(_is_plain, texts)) for text, texts in zip(candidates, sets, strict=True)]
    table = np.empty((len(candidates), len(COLUMNS)))
    for normalize in (True, False):
        rows = np.flatnonzero(np.array(plain) == normalize)
        if len(rows):
            words = str if normalize else _normalized
            with silently():  # the original says nothing
                result = score(
                    [words(candidates[row]) for row in rows],
                    [[words(text) for text in sets[row]] for row in rows],
                    metrics=_Meteor(tokenizer="none", normalize=normalize),
                    progress=False,
                )
            table[rows] = result.runs[0].statistics.table
    return table


def scores_of(table: Floats) -> tuple[float, list[float]]:
    """Return the corpus score and the scores of rows of statistics."""
    metric, statistics = _Meteor(), Statistics(COLUMNS, table)
    scores: list[float] = metric.item_scores(statistics)[:, 0].tolist()
    return float(metric.corpus_scores(statistics)[0]), scores


def printed(row: Floats) -> str:
    """Return a row of statistics as the original prints it."""
    return " ".join(map(str, row[:PRINTED].tolist()))


def read_back(lines: Sequence[str]) -> Floats:
    """Return the statistics that printed lines say."""
    table = np.zeros((len(lines), len(COLUMNS)))
    for row, line in enumerate(lines):
        numbers = [float(number) for number in line.split()]
        if len(numbers) != PRINTED:
            raise ValueError(f"METEOR's statistics are {PRINTED} numbers, not {len(numbers)}: {line!r}")
        table[row, :PRINTED] = numbers
    named = {name: table[:, place] for place, name in enumerate(COLUMNS)}
    whole = (
        (named["chunks"] == 1)
        & (named["matched"] == named["length"])
        & (named["reference_matched"] == named["reference_length"])
    )
    table[:, PRINTED] = np.where(whole, 0, named["chunks"])
    return table


def _normalized(caption: str) -> str:
    return " ".join(map(stand_in, resources.load().normalizer.words(caption)))


def _is_plain(caption: str) -> bool:
    """Whether a caption keeps its words when it is cut at white space first.

    A no-break space, which the PTB tokenizer leaves inside ``1 1/2``, is white space to METEOR too, but ends a sentence
    where it follows a dot. Several spaces in a row are not always the same as one: a comma or quote uses up the space
    behind it.
    """
    spaced = caption.replace("\xa0", " ")
    return "  " not in spaced and spaced.isprintable() and ".\xa0" not in caption


class _Answers:
    """The lines that the process would print."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()

    def add(self, line: str) -> None:
        self._lines.append(f"{line}\n".encode())

    def readline(self) -> bytes:
        """Return the next answer, or nothing where the process would have no more to say."""
        return self._lines.popleft() if self._lines else b""

    def close(self) -> None:
        """Forget what was not read."""
        self._lines.clear()


class _Requests:
    """Takes lines: ``SCORE ||| reference ||| ... ||| hypothesis`` and ``EVAL ||| statistics ||| ...``."""

    def __init__(self, answers: _Answers) -> None:
        self._answers = answers
        self._begun = b""

    def write(self, data: bytes | str) -> int:
        """Answer the lines that are complete."""
        self._begun += data.encode() if isinstance(data, str) else data
        *lines, self._begun = self._begun.split(b"\n")
        for line in lines:
            self._answer(line.decode())
        return len(data)

    def flush(self) -> None:
        """Do nothing: lines are answered when they come."""

    def close(self) -> None:
        """Forget a line that was begun."""
        self._begun = b""

    def _answer(self, line: str) -> None:
        command, *parts = line.split(SEPARATOR)
        if command.strip() == "SCORE":
            *references, hypothesis = parts
            self._answers.add(printed(statistics_of([hypothesis], [references])[0]))
        elif command.strip() == "EVAL":
            corpus, items = scores_of(read_back(parts))
            for number in (*items, corpus):
                self._answers.add(repr(number))
        else:
            self._answers.add("Error: specify SCORE or EVAL")


class MeteorProcess:
    r"""What `subprocess.Popen` would be for METEOR's jar with ``-stdio``, without a process.

    Examples
    --------
    >>> process = MeteorProcess()
    >>> _ = process.stdin.write(b"SCORE ||| two dogs run ||| two dogs\n")
    >>> statistics = process.stdout.readline().decode().strip()
    >>> _ = process.stdin.write(f"EVAL ||| {statistics}\n".encode())
    >>> round(float(process.stdout.readline()), 4)
    0.2917
    """

    def __init__(self) -> None:
        self.stdout = _Answers()
        self.stdin = _Requests(self.stdout)
        self.stderr = _Answers()
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code after `kill`, else None: it runs."""
        return self.returncode

    def kill(self) -> None:
        """Stop."""
        self.returncode = -9

    terminate = kill

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code."""
        return self.returncode or 0
