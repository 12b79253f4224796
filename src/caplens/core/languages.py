"""What ``--language`` picks: a tokenizer by language. Metrics say themselves what else a language means to them."""

from __future__ import annotations

from collections.abc import Sequence

from caplens.core.metric import Metric
from caplens.errors import Notice, UsageError

# Languages whose words white space parts, by their codes of ISO 639-1.
_SPACED = (
    *(
        "af",
        "ar",
        "be",
        "bg",
        "bn",
        "ca",
        "cs",
        "cy",
        "da",
        "de",
        "el",
        "es",
        "et",
        "eu",
        "fa",
        "fi",
        "fil",
        "fr",
        "ga",
    ),
    *("gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ka", "kk", "kn", "lt", "lv", "mi", "mk", "ml", "mn"),
    *("mr", "ms", "mt", "nb", "ne", "nl", "nn", "no", "pa", "pl", "pt", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv"),
    *("sw", "ta", "te", "tr", "uk", "ur", "uz", "vi", "zu"),
)
_TOKENIZERS = {
    "en": "ptb",
    **dict.fromkeys(_SPACED, "intl"),
    **{code: code for code in ("zh", "ja", "ko", "th")},
    **dict.fromkeys(("bo", "km", "lo", "my"), "char"),  # unspaced, and no segmenter here
}
NOT_ENGLISH = frozenset(["zh", "zh-char", "ja", "ko", "th"])
"""Tokenizers that nobody chooses for English."""


def tokenizer_for(language: str) -> str:
    """Return the tokenizer for a language.

    Examples
    --------
    >>> tokenizer_for("zh"), tokenizer_for("de"), tokenizer_for("en")
    ('zh', 'intl', 'ptb')
    """
    if language not in _TOKENIZERS:
        raise UsageError(
            f"The language {language!r} is not supported: use a code such as de or zh, or choose a tokenizer."
        )
    return _TOKENIZERS[language]


def warnings_of_english(metrics: Sequence[Metric]) -> list[Notice]:
    """Warn of metrics for English whose tokenizer is that of another language."""
    return [
        Notice("only-english", f"{metric.name} is for English captions only: {metric.only_english}")
        for metric in metrics
        if metric.only_english and getattr(metric, "tokenizer", None) in NOT_ENGLISH
    ]


def what_was_picked(language: str, metrics: Sequence[Metric]) -> Notice:
    """Say which tokenizer, and which language of METEOR, ``--language`` stands for."""
    settings: dict[str, list[str]] = {}
    for metric in metrics:
        options = [f"{name}={getattr(metric, name)}" for name in ("language", "tokenizer") if hasattr(metric, name)]
        if options:
            settings.setdefault(", ".join(options), []).append(metric.name)
    what = "; ".join(f"{options} for {', '.join(names)}" for options, names in settings.items())
    picked = f"selects {what}" if what else "has no effect on these metrics"
    return Notice("language", f"--language {language} {picked}", level="note")
