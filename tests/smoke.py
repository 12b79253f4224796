"""Use an installed caplens as a newcomer would, in an empty folder; no test tool is needed.

python tests/smoke.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

METRICS = "bleu, rouge, cider, spice, scenesim, mean(wmd, spice), eval_wcs, critique"


def caplens(*words: str) -> str:
    """Run a command; return what it prints."""
    environment = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "120"}
    command = [sys.executable, "-c", "from caplens.cli import main; main()", *words]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    assert done.returncode == 0, f"caplens {' '.join(words)}: {done.stderr}"
    return done.stdout


def main() -> None:
    """Score, compare, explain, and look at the numbers."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        caplens("example", ".")
        caplens("score", "human.json", "-r", "references.json", "-m", METRICS, "-o", "scores.json", "--quiet")
        scores = json.loads(Path("scores.json").read_text(encoding="utf-8"))
        assert len(scores["items"]) == 250
        for key, expected in (("Bleu_1", 0.6130), ("ROUGE_L", 0.4581), ("CIDEr", 0.9618)):
            assert abs(scores["metrics"][key]["score"] - expected) < 5e-5, key
        compared = caplens("compare", "human.json", "degraded.json", "-r", "references.json", "-m", "cider", "--quiet")
        assert "human minus degraded" in compared
        assert "SPICE is" in caplens("explain", "a brown dog", "--reference", "a dog", "-m", "spice")
        os.chdir(Path(__file__).parent)
    import caplens as installed

    sys.stdout.write(f"caplens {installed.__version__} works on Python {sys.version.split()[0]}\n")


if __name__ == "__main__":
    main()
