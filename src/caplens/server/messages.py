"""What requests and answers of the API hold: the types that bodies are checked against, and that OpenAPI shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from caplens.core import DEFAULT_METRICS
from caplens.server.limits import LONGEST_CAPTION, LONGEST_REQUEST, MOST_CAPTIONS, MOST_REFERENCES, WORDS
from caplens.text import MAX_WORDS

Caption = Annotated[str, Meta(max_length=LONGEST_CAPTION)]
References = Annotated[list[Caption], Meta(max_length=MOST_REFERENCES)]
Identifier = Annotated[str, Meta(min_length=1, max_length=200)]
MetricsText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_REQUEST,
        description="Metrics in the metric grammar, such as `spice, cider(df=coco-val2014)`. Options can name what "
        "ships with caplens and what was given a name (`caplens df build --name`, `caplens vectors import`), but not "
        "files.",
    ),
]
Tokenizer = Annotated[
    Literal["ptb", "none", "intl", "char", "zh-char", "zh", "ja", "ko", "th"],
    Meta(description="Tokenizer."),
]
MaxWords = Annotated[
    int, Meta(ge=1, le=MAX_WORDS, description="Maximum number of words per caption; longer captions are truncated.")
]


class ExplainRequest(Struct, forbid_unknown_fields=True, frozen=True):
    """A caption with its references."""

    candidate: Caption
    references: References = []
    metrics: MetricsText = DEFAULT_METRICS
    tokenizer: Tokenizer = "ptb"
    max_words: MaxWords = WORDS


class ScoreRequest(Struct, forbid_unknown_fields=True, frozen=True):
    """Captions with their references: two lists of equal length, or two mappings with the same ids."""

    candidates: (
        Annotated[list[Caption], Meta(min_length=1, max_length=MOST_CAPTIONS)]
        | Annotated[dict[Identifier, Caption], Meta(min_length=1, max_length=MOST_CAPTIONS)]
    )
    references: (
        Annotated[list[References], Meta(max_length=MOST_CAPTIONS)]
        | Annotated[dict[Identifier, References], Meta(max_length=MOST_CAPTIONS)]
        | None
    ) = None
    metrics: MetricsText = DEFAULT_METRICS
    tokenizer: Tokenizer = "ptb"
    max_words: MaxWords = WORDS
    intervals: Annotated[bool, Meta(description="Whether to compute 95 % bootstrap intervals.")] = False


class RowRequest(Struct, forbid_unknown_fields=True, frozen=True):
    """A row of the loaded files."""

    system: Annotated[str, Meta(max_length=1_000)]
    id: Annotated[str, Meta(max_length=1_000)]


Number = float | None


class ExplanationAnswer(Struct):
    """Explanation of a caption's score under one metric; null stands for an undefined number."""

    metric: Annotated[str, Meta(description="The metric with all its options.")]
    candidate: str
    references: list[str]
    scores: dict[str, Number]
    facts: dict[str, str | int | float | None]
    sections: Annotated[
        list[dict[str, Any]],
        Meta(
            description="The details in reading order; `kind` is table, text, word_costs, alignment, tuples or "
            "scene_graphs."
        ),
    ]
    notes: list[str]
    summary: str


class NoticeAnswer(Struct):
    """A warning about the input or the request."""

    code: str
    message: str
    count: int
    ids: list[str]


class Explanations(Struct):
    """One explanation per metric."""

    schema: int
    caplens: str
    explanations: list[ExplanationAnswer]
    warnings: list[NoticeAnswer]


class ItemAnswer(Struct):
    """The scores of one candidate."""

    id: str
    scores: dict[str, Number]
    parts: dict[str, dict[str, Number]] = {}


class Scores(Struct):
    """Corpus scores by key (with 95 % intervals if `intervals` is true), and the scores of each candidate."""

    schema: int
    caplens: str
    metrics: dict[str, dict[str, Any]]
    items: list[ItemAnswer]
    warnings: list[NoticeAnswer]


class MetricAnswer(Struct):
    """An available metric, or what is missing for it to run."""

    name: str
    scores: str
    origin: str
    idea: str
    needs: str
    ready: bool


class Metrics(Struct):
    """All metrics."""

    metrics: list[MetricAnswer]
    groups: dict[str, list[str]]


class Health(Struct):
    """State of the server; `warm` is true once models and tables are loaded."""

    status: Literal["ok"]
    caplens: str
    warm: bool


class Problem(Struct):
    """Why the request was rejected, in one sentence."""

    error: str
