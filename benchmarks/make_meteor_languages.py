"""Make tests/data/meteor_languages.json with METEOR 1.5 itself: ``python benchmarks/make_meteor_languages.py``.

Needs Java and pycocoevalcap. Word salads of each language, with inflected words, capitals, punctuation, numbers and
words that Java's hash does not tell apart; METEOR's words, matches and scores, with ``-norm`` and with ``-lower``.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from importlib.metadata import distribution
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "tests" / "data" / "meteor_languages.json"
SEED = 5
PAIRS = 24
STEMS = {"en": True, "de": True, "es": True, "fr": True, "ru": True, "cz": False, "other": False}
WORDS = {
    "en": "A man men is riding a horse horses rides don't the dog's dogs, aw c9 couch sofa No. 5 Mr. Smith's t-shirt "
    "U.S.A.",
    "de": "Ein Mann Männer ein Hund Hunde läuft über die Wiese. geht's Erlebnis Erlebnisse matte hütte so in an 3. Mai "
    "Dr. Straße Straßen T-Shirt, „große“ großen z.B. 100. Haus",
    "es": "Un niño niños está jugando juega con el balón rojo, rojos a no ¿dónde? Sr. Pérez D. la calle calles señor's",
    "fr": "L'homme à l'écharpe rouge s'assoit près de l'arbre. aujourd'hui a-t-il contiguë contiguës naïfs naïve je le "
    "n' on M. Dupont arbres homme hommes assise",
    "ru": "Маленькая собака маленькие собаки бежит по зелёной траве. сад ряд садами рядом газ вяз г. Москва 5 "
    "т.е. ёлка ёлки",
    "cz": "Malý pes psi běží přes zelenou louku. ten pán tam něm a to s i 1. muž 2. žena it's",
    "other": "Một người đàn ông chơi bóng, 厨房 剪裁 버스에 바퀴에 😀 🧡 a the . Người\u00a0đàn",
}


def main() -> None:
    """Ask METEOR and write."""
    draw = random.Random(SEED)
    lines = []
    for language, text in WORDS.items():
        for mode in ("-norm", "-lower") if language != "other" else ("-lower",):
            pairs = [_salad(draw, text.split(" ")) for _ in range(PAIRS)]
            found = _align(pairs, language, mode)
            lines += [_compact([language, mode, *pair, *row]) for pair, row in zip(pairs, found, strict=True)]
    tool = "METEOR 1.5 (pycocoevalcap 1.2), exact and stem; made by benchmarks/make_meteor_languages.py"
    TARGET.write_text(f'{{"tool":"{tool}","rows":[\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")
    print(f"{TARGET}: {len(lines)} pairs")


def _compact(entry: object) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def _salad(draw: random.Random, words: list[str]) -> tuple[str, str]:
    candidate = [draw.choice(words) for _ in range(draw.randint(2, 12))]
    reference = [word if draw.random() < 0.5 else draw.choice(words) for word in candidate]
    draw.shuffle(reference)
    return " ".join(candidate), " ".join(reference)


def _align(pairs: list[tuple[str, str]], language: str, mode: str) -> list[tuple[str, str, list[list[int]], float]]:
    """Return for each pair its words as METEOR compares them, the matches and the score."""
    jar = distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor/meteor-1.5.jar")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, place in (("candidates", 0), ("references", 1)):
            (folder / file).write_text("".join(f"{pair[place]}\n" for pair in pairs), encoding="utf-8")
        command = ["java", "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", str(jar), "candidates", "references"]
        modules = "exact stem" if STEMS[language] else "exact"
        options = ["-l", language, mode, "-m", modules, "-writeAlignments", "-f", "out"]
        subprocess.run([*command, *options], cwd=folder, check=True, capture_output=True)
        text = (folder / "out-align.out").read_text(encoding="utf-8")
    return [_block(block.split("\n")) for block in text.strip("\n").split("\n\n")]


def _block(lines: list[str]) -> tuple[str, str, list[list[int]], float]:
    """Read one alignment: a headline, candidate, reference, names of columns, then a line for each match."""
    matches = []
    for line in lines[4:]:
        reference, candidate, stage, _ = line.split()
        matches.append([int(candidate.partition(":")[0]), int(reference.partition(":")[0]), int(stage)])
    return lines[1], lines[2], matches, float(lines[0].split("\t")[-1])


if __name__ == "__main__":
    main()
