"""`evaluate` of ``aac_metrics`` (audio captioning), for the metrics that caplens has.

Examples
--------
>>> references = [["a man speaks."], ["rain falls hard"]]
>>> corpus, sentences = evaluate(["a man is speaking", "rain falls"], references, metrics=["bleu_1"])
>>> round(float(corpus["bleu_1"]), 4)
0.6667
"""

from caplens.compat.aac_metrics.evaluating import METRICS_SETS, Evaluate, evaluate

__all__ = ["METRICS_SETS", "Evaluate", "evaluate"]
