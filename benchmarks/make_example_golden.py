"""Score the example data with the original tools and keep the outcome as golden data that ships with the tests.

python benchmarks/make_example_golden.py      (needs Java and pycocoevalcap)
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections import defaultdict
from pathlib import Path

from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "src" / "caplens" / "data" / "example"
TARGET = ROOT / "tests" / "data" / "example_golden.json"


def read(name: str) -> dict[str, list[dict[str, str]]]:
    """Read captions by image, as the original tokenizer wants them."""
    data = json.loads((EXAMPLE / f"{name}.json").read_text(encoding="utf-8"))
    captions = defaultdict(list)
    for entry in data["annotations"] if isinstance(data, dict) else data:
        captions[str(entry["image_id"])].append({"caption": entry["caption"]})
    return dict(captions)


def main() -> None:
    """Write tokens, item scores and corpus scores."""
    tokenizer = PTBTokenizer()
    references = tokenizer.tokenize(read("references"))
    golden: dict[str, object] = {"tool": "pycocoevalcap 1.2", "references_ptb": references}
    for system in ("human", "degraded"):
        candidates = tokenizer.tokenize(read(system))
        items: dict[str, list[float]] = {}
        corpus: dict[str, float] = {}
        with contextlib.redirect_stdout(sys.stderr):
            score, scores = Bleu(4).compute_score(references, candidates)
        for order in range(4):
            corpus[f"Bleu_{order + 1}"], items[f"Bleu_{order + 1}"] = score[order], scores[order]
        for key, scorer in (("METEOR", Meteor()), ("ROUGE_L", Rouge()), ("CIDEr", Cider())):
            score, scores = scorer.compute_score(references, candidates)
            corpus[key], items[key] = float(score), list(map(float, scores))
        golden[system] = {"candidates_ptb": candidates, "ids": list(candidates), "items": items, "corpus": corpus}
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(golden) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
