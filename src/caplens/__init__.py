"""caplens: image-caption evaluation in one install.

The functions below are loaded when they are used, so ``import caplens`` itself is instant.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from caplens._version import __version__
from caplens.errors import CaplensError, CaplensWarning, InputError, MissingDataError, UsageError

if TYPE_CHECKING:
    from caplens.api.comparing import compare
    from caplens.api.explaining import explain, explain_item
    from caplens.api.loading import load_candidates, load_corpus, load_references
    from caplens.api.scoring import metric, score
    from caplens.core.comparison import Comparison
    from caplens.core.evaluator import Evaluator
    from caplens.core.metric import Metric
    from caplens.core.options import option
    from caplens.core.registry import register_metric
    from caplens.core.requirement import Requirement
    from caplens.core.result import Result
    from caplens.core.state import State
    from caplens.core.statistics import Statistics
    from caplens.corpus.core import Corpus
    from caplens.corpus.runs import Runs
    from caplens.meta.run import study
    from caplens.output.explanation import Explanation
    from caplens.scenegraph.parse import Sentence
    from caplens.scenegraph.parser.registry import register_parser
    from caplens.text.tokenizers import register_tokenizer
    from caplens.text.transformations import register_transformation

_LAZY = {
    "Comparison": "caplens.core.comparison",
    "Corpus": "caplens.corpus.core",
    "Evaluator": "caplens.core.evaluator",
    "Explanation": "caplens.output.explanation",
    "Metric": "caplens.core.metric",
    "Requirement": "caplens.core.requirement",
    "Result": "caplens.core.result",
    "Runs": "caplens.corpus.runs",
    "Sentence": "caplens.scenegraph.parse",
    "State": "caplens.core.state",
    "Statistics": "caplens.core.statistics",
    "compare": "caplens.api.comparing",
    "explain": "caplens.api.explaining",
    "explain_item": "caplens.api.explaining",
    "load_candidates": "caplens.api.loading",
    "load_corpus": "caplens.api.loading",
    "load_references": "caplens.api.loading",
    "metric": "caplens.api.scoring",
    "option": "caplens.core.options",
    "register_metric": "caplens.core.registry",
    "register_parser": "caplens.scenegraph.parser.registry",
    "register_tokenizer": "caplens.text.tokenizers",
    "register_transformation": "caplens.text.transformations",
    "score": "caplens.api.scoring",
    "study": "caplens.meta.run",
}

__all__ = [
    "CaplensError",
    "CaplensWarning",
    "Comparison",
    "Corpus",
    "Evaluator",
    "Explanation",
    "InputError",
    "Metric",
    "MissingDataError",
    "Requirement",
    "Result",
    "Runs",
    "Sentence",
    "State",
    "Statistics",
    "UsageError",
    "__version__",
    "compare",
    "explain",
    "explain_item",
    "load_candidates",
    "load_corpus",
    "load_references",
    "metric",
    "option",
    "register_metric",
    "register_parser",
    "register_tokenizer",
    "register_transformation",
    "score",
    "study",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 (whatever the attribute is)
    if name == "meta":
        return import_module("caplens.meta")
    if name not in _LAZY:
        raise AttributeError(f"module 'caplens' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
