"""Make the example data of `make demo` from the COCO val2014 captions.

    python examples/make_example.py captions_val2014.json[.gz]

It writes to `src/caplens/data/example`: the first four captions of 250 images as references, the fifth as the captions
of a "system" (a person), and a degraded variant of these (see `degrade`). Everything is drawn with a fixed seed.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import defaultdict
from pathlib import Path

IMAGES = 250
SEED = 2014
TARGET = Path(__file__).resolve().parents[1] / "src" / "caplens" / "data" / "example"


def degrade(words: list[str], others: list[str], generator: random.Random) -> list[str]:
    """Imitate a weak captioning system: lose words, repeat one, and take one from another image's caption."""
    kept = [word for word in words if generator.random() > 0.15] or words[:1]
    if generator.random() < 0.3:
        place = generator.randrange(len(kept))
        kept.insert(place, kept[place])
    if generator.random() < 0.6:
        kept[generator.randrange(len(kept))] = generator.choice(others)
    return kept


def main(path: Path) -> None:
    """Write the three files."""
    content = path.read_bytes()
    annotations = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)["annotations"]
    captions: dict[int, list[str]] = defaultdict(list)
    for annotation in annotations:
        captions[annotation["image_id"]].append(annotation["caption"].strip())
    generator = random.Random(SEED)
    images = sorted(generator.sample(sorted(image for image, texts in captions.items() if len(texts) == 5), IMAGES))
    human = {image: captions[image][4] for image in images}
    pool = [word for text in human.values() for word in text.lower().rstrip(".").split()]
    degraded = {
        image: " ".join(degrade(text.lower().rstrip(".").split(), pool, generator)) for image, text in human.items()
    }
    references = {
        "images": [{"id": image} for image in images],
        "annotations": [
            {"image_id": image, "id": 10 * image + place, "caption": text}
            for image in images
            for place, text in enumerate(captions[image][:4])
        ],
    }
    TARGET.mkdir(parents=True, exist_ok=True)
    write("references.json", references)
    for name, texts in (("human", human), ("degraded", degraded)):
        write(f"{name}.json", [{"image_id": image, "caption": text} for image, text in texts.items()])


def write(name: str, data: object) -> None:
    """Write one file, readable and with a stable layout."""
    text = json.dumps(data, ensure_ascii=False, indent=0).replace("{\n", "{").replace("\n}", "}").replace(',\n"', ', "')
    (TARGET / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
