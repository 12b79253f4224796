"""What ``--language`` picks: a tokenizer by language. Metrics say themselves what else a language means to them."""

from __future__ import annotations

from caplens.errors import UsageError

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
            f"There is no setting for the language {language!r}: use a code such as de or zh, or choose a tokenizer."
        )
    return _TOKENIZERS[language]
