"""Train the preset `caption-level` on the training images of Flickr8k: negatives are captions of other images only.

python training/critique/flickr8k.py --run RUN [--nearness 1]
caplens meta flickr8k-expert --data ../shared/data/flickr8k -m "critique(weights=RUN)"
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from splits import DATA

from caplens.learned.critique.config import CAPTION_LEVEL
from caplens.meta.image_captions import captions_of
from caplens.train.critique.request import TrainingInput, train_critique
from train import say

FLICKR8K = DATA / "flickr8k"


def main() -> None:
    """Train; images of the test split, which the judgments are about, are not touched."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder for checkpoints and weights")
    parser.add_argument("--nearness", type=float, default=CAPTION_LEVEL.training.nearness, help="0: any other image")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    captions = captions_of("flickr8k", FLICKR8K)
    splits = {
        split: {Path(line).stem for line in (FLICKR8K / f"Flickr_8k.{split}Images.txt").read_text().split()}
        for split in ("train", "dev")
    }
    with tempfile.TemporaryDirectory() as folder:
        references, validation = Path(folder) / "captions.json", Path(folder) / "dev.txt"
        chosen = splits["train"] | splits["dev"]
        references.write_text(json.dumps({image: texts for image, texts in captions.items() if image in chosen}))
        validation.write_text("\n".join(sorted(splits["dev"])))
        given = TrainingInput([references], validation=validation)
        config = CAPTION_LEVEL.changed({"training": {"nearness": arguments.nearness}})
        say(train_critique(arguments.run, config, given, say, threads=arguments.threads))


if __name__ == "__main__":
    main()
