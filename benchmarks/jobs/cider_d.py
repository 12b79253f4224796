"""CIDEr-D rewards of batches of 50 captions with five references: caplens' drop-in and pycocoevalcap's Cider.

    python benchmarks/jobs/cider_d.py captions_val2014.json.gz

Both see the same tokenised captions. The drop-in has the document frequencies of all images, pycocoevalcap those of the
batch, which it counts each time. CPU seconds, five rounds, the median.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from caplens.api.loading import load_references
from caplens.compat.pyciderevalcap.ciderD.ciderD import CiderD
from caplens.compat.pycocoevalcap._ngrams import precook
from caplens.compat.pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

BATCH, REFERENCES, ROUNDS, BATCHES = 50, 5, 5, 20


def main() -> None:
    """Print captions a second of both, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("captions")
    table = load_references(parser.parse_args().captions)
    entries = defaultdict(list)
    for image, caption in zip(table.ids, table.captions, strict=True):
        entries[image].append({"caption": caption})
    chosen = {image: texts for image, texts in entries.items() if len(texts) > REFERENCES - 1}
    chosen = dict(list(chosen.items())[: BATCH * BATCHES])
    tokenised = list(PTBTokenizer().tokenize(chosen).values())
    frequencies: dict[tuple[str, ...], float] = defaultdict(float)
    for texts in tokenised:
        for ngram in {ngram for text in texts for ngram in precook(text)}:
            frequencies[ngram] += 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "df.p"
        path.write_bytes(pickle.dumps({"document_frequency": frequencies, "ref_len": len(tokenised)}))
        ours = CiderD(df=str(path))
    from pycocoevalcap.cider.cider import Cider

    theirs = Cider()
    batches = [tokenised[first : first + BATCH] for first in range(0, len(tokenised), BATCH)]

    def run_ours() -> None:
        for batch in batches:
            gts = dict(enumerate(batch))
            ours.compute_score(gts, [{"image_id": place, "caption": [texts[0]]} for place, texts in gts.items()])

    def run_theirs() -> None:
        for batch in batches:
            theirs.compute_score(dict(enumerate(batch)), {place: [texts[0]] for place, texts in enumerate(batch)})

    run_ours()
    speeds = {
        name: len(tokenised) / seconds(run) for name, run in (("drop-in", run_ours), ("pycocoevalcap", run_theirs))
    }
    for name, speed in speeds.items():
        print(f"{name:15} {speed:10,.0f} captions a second of CPU, {speed / BATCH:8,.1f} batches of {BATCH}")
    print(f"times as fast   {speeds['drop-in'] / speeds['pycocoevalcap']:10.1f}")


def seconds(run: Callable[[], None]) -> float:
    """Return the median CPU time."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
