"""The one grammar for metrics: ``-m``, `caplens.metric`, and signatures, which therefore round-trip.

::

    list       = metric {"," metric}
    metric     = name ["(" argument {"," argument} ")"] {"|" fact}
    argument   = key "=" value  |  metric
    fact       = key ":" value

A name is that of a metric, or ``module:Class``. A value is bare (no comma, bracket, bar, quote or equals sign in it) or
quoted with ``"`` or ``'``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from caplens.errors import UsageError
from caplens.files.plugins import names_code

DEEPEST = 32  # metrics inside metrics: far more than anybody means, far less than Python's stack holds
_SHOWN_CHARACTERS = 200

_TOKEN = re.compile(
    r"""\s*(?:(?P<mark>[(),=|])
        |"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'
        |(?P<bare>[^(),=|"'\s](?:[^(),=|"']*[^(),=|"'\s])?))\s*""",
    re.VERBOSE | re.DOTALL,
)
_NEEDS_QUOTES = re.compile(r"""[(),=|"'\\]|^\s|\s$|^$""")
NAME = re.compile(r"[A-Za-z][\w\-]*")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class Request:
    """A metric as it was asked for.

    Attributes
    ----------
    name : str
        Lower-cased name of a metric or a group; ``module:Class`` as it was written.
    options : tuple of (str, str)
        Options as written.
    inputs : tuple of Request
        Metrics that this one combines.
    facts : tuple of (str, str)
        What a signature says about the data; ignored when the metric is made again.
    """

    name: str
    options: tuple[tuple[str, str], ...] = ()
    inputs: tuple[Request, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        arguments = [str(request) for request in self.inputs]
        arguments += [f"{key}={quote(value)}" for key, value in self.options]
        call = f"{self.name}({','.join(arguments)})" if arguments else self.name
        return "|".join([call, *(f"{key}:{quote(value)}" for key, value in self.facts)])


def quote(value: str) -> str:
    """Quote a value where the grammar needs it."""
    if not _NEEDS_QUOTES.search(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _shown(text: str) -> str:
    """Return the beginning of a text, for messages."""
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def parse(text: str) -> list[Request]:
    """Parse a list of metrics.

    Examples
    --------
    >>> [str(request) for request in parse('BLEU, cider(df="my df.safetensors", n=4), mean(wmd, spice)')]
    ['bleu', 'cider(df=my df.safetensors,n=4)', 'mean(wmd,spice)']
    """
    if not isinstance(text, str):
        raise UsageError(f"Request a metric by its name, not by {text!r} ({type(text).__name__}).")
    parser = _Parser(text)
    requests = [parser.metric()]
    while parser.take(","):
        requests.append(parser.metric())
    if parser.kind != "end":
        parser.fail(f"unexpected {parser.value!r}")
    return requests


class _Parser:
    """Recursive descent over the tokens of one text; `kind` and `value` are those of the next token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self.position = 0
        self.kind = "end"
        self.value = ""
        self.advance()

    def fail(self, why: str) -> None:
        raise UsageError(
            f"The metric request {_shown(self.text)!r} cannot be parsed: {_shown(why)}. "
            'Write names with options, such as "bleu, cider(sigma=6)".'
        )

    def advance(self) -> None:
        if self._next_character() == "":
            self.kind, self.value = "end", ""
            self.position = len(self.text)
            return
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self.fail(f"a quote opens at {_shown(self.text[self.position :].strip())!r} and is not closed")
            return
        self.position = match.end()
        kind = match.lastgroup or "bare"
        value = match[kind]
        if kind in ("double", "single"):
            value = re.sub(r"""\\([\\"'])""", r"\1", value)  # a path keeps its other backslashes
        self.kind = value if kind == "mark" else "quoted" if kind in ("double", "single") else "bare"
        self.value = value

    def _next_character(self) -> str:
        """Return the first character after white space, an empty text at the end."""
        space = _SPACE.match(self.text, self.position)
        end = self.position if space is None else space.end()
        return self.text[end : end + 1]

    def take(self, kind: str) -> bool:
        if self.kind != kind:
            return False
        self.advance()
        return True

    def metric(self) -> Request:
        if self.kind == "bare" and len(self.value.split()) > 1:
            self.fail(f"{self.value!r} is not a single name; separate names with commas")
        is_code = names_code(self.value)
        if self.kind != "bare" or not (is_code or NAME.fullmatch(self.value)):
            self.fail(f"a metric's name was expected{f', not {self.value!r}' if self.value else ''}")
        name = self.value if is_code else self.value.lower()
        self.advance()
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"its brackets are nested more than {DEEPEST} deep")
        options: list[tuple[str, str]] = []
        inputs: list[Request] = []
        if self.take("("):
            while not self.take(")"):
                self.argument(options, inputs)
                if self.kind != ")" and not self.take(","):
                    self.fail("a closing bracket is missing" if self.kind == "end" else f"unexpected {self.value!r}")
        facts = []
        while self.take("|"):
            facts.append(self.fact())
        repeated = sorted(key for key, count in Counter(key for key, _ in options).items() if count > 1)
        if repeated:
            self.fail(f"the option {repeated[0]!r} is given twice")
        self.depth -= 1
        return Request(name, tuple(options), tuple(inputs), tuple(facts))

    def argument(self, options: list[tuple[str, str]], inputs: list[Request]) -> None:
        if self.kind == "bare" and self._next_character() == "=":
            key = self.value.lower()
            self.advance()
            self.advance()  # the equals sign
            if self.kind not in ("bare", "quoted"):
                self.fail(f"the option {key!r} has no value")
            options.append((key, self.value))
            self.advance()
        else:
            inputs.append(self.metric())

    def fact(self) -> tuple[str, str]:
        key, separator, value = self.value.partition(":")
        if self.kind != "bare" or not separator:
            self.fail(f"a bar must be followed by a fact such as rows:5000, not {self.value!r}")
        self.advance()
        if not value and self.kind == "quoted":
            value = self.value
            self.advance()
        return key, value
