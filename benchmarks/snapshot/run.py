"""Write what a fixed list of commands prints and writes: ``python benchmarks/snapshot/run.py OUT [--tree DIR]``.

Two versions of caplens are compared by running this at both and looking at the difference::

    python benchmarks/snapshot/run.py before --tree ../old-checkout
    python benchmarks/snapshot/run.py after
    diff -r before after

Every command runs on the example captions that ship, or on judgments made up from them (`judgments`), with a fixed
seed. ``--tree`` names the root of another checkout whose kernels are built; the commands of this one are used for it,
with the spellings that older versions knew (`OLD_SPELLINGS`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from judgments import Example, write_judgments

ROOT = Path(__file__).resolve().parents[2]
IMAGES = 40
FAST = "bleu, meteor, rouge, cider, spice, wmd"
WORDS = "bleu(n=4), cider"
LEARNED = "eval_ms, eval_mwcs, critique, scenesim, mean(wmd, spice, meteor), spider, bleu_smoothed"
RESAMPLES = ["--resamples", "200"]


@dataclass(frozen=True)
class Command:
    """A command line under a name; ``OUT`` in it is the folder of its output files."""

    name: str
    arguments: tuple[str, ...]


def commands(data: Path, example: Path) -> list[Command]:
    """Return the fixed list."""
    human, degraded, references = (str(example / f"{name}.json") for name in ("human", "degraded", "references"))
    caption, reference = "a man in a blue shirt on a horse", "a person wearing a blue shirt rides a horse"
    listed = [
        ("score", ["score", human, "-r", references, "-m", FAST, "-o", "OUT/scores.json"]),
        ("score-learned", ["score", human, "-r", references, "-m", LEARNED, "-o", "OUT/scores.csv"]),
        ("score-rows", ["score", degraded, "-r", references, "-m", WORDS, "-o", "OUT/scores.jsonl"]),
        ("score-options", ["score", human, "-r", references, "-m", "cider(df=coco-val2014), spice(repeat=once)"]),
        ("score-tokenizer", ["score", human, "-r", references, "-m", WORDS, "--tokenizer", "intl"]),
        ("compare", ["compare", human, degraded, "-r", references, "-m", FAST, "-o", "OUT/comparison.json"]),
        ("compare-rows", ["compare", human, degraded, "-r", references, "-m", WORDS, "-o", "OUT/comparison.csv"]),
        ("metrics", ["metrics"]),
    ]
    for metric in ("bleu", "meteor", "rouge", "cider", "spice", "wmd", "wembsim", "critique", "eval_mwcs", "spider"):
        name, arguments = f"explain-{metric}", ["explain", caption, "--reference", reference, "-m", metric]
        listed.append((name, [*arguments, "-o", "OUT/explanation.json"]))
    listed.append(("explain-item", ["explain", human, "-r", references, "--id", "283904", "-m", "cider, spice"]))
    listed += [(f"meta-{name}", ["meta", *arguments]) for name, arguments in _studies(data).items()]
    wrong = [["score", "missing.json", "-r", references], ["score", human, "-r", references, "-m", "blue"]]
    wrong += [["explain", caption, "-m", "bleu"], ["meta", "unknown", "--data", str(data)]]
    listed += [(f"wrong-{number}", arguments) for number, arguments in enumerate(wrong, 1)]
    return [Command(name, tuple(arguments)) for name, arguments in listed]


def _studies(data: Path) -> dict[str, list[str]]:
    """Return the arguments of every study, on every kind of data that it takes."""
    exact = ["-m", WORDS, "-o", "OUT/study.json"]
    few = [*exact, *RESAMPLES]
    sets = ("flickr8k-expert", "flickr8k-crowd", "composite", "thumb", "foil", "abstract50s", "pascal50s", "coco2015")
    studies = {name: [name, "--data", str(data), *few] for name in sets}
    table = str(data / "judged.jsonl")
    studies["table"] = ["table", "--data", table, "--scores", str(data / "scores.csv"), *few]
    studies["coco2015-captions"] = ["coco2015", "--data", str(data), "--systems", str(data / "systems"), *few]
    studies["pascal50s-curve"] = ["pascal50s", "--data", str(data), "--reference-count", "2", "--curve", "1,3", *few]
    studies["distraction"] = ["distraction", "--data", str(data), *few]
    studies["williams"] = ["williams", "--data", str(data), *few]
    for name in ("complementarity", "distributions"):
        studies[name] = [name, "--data", str(data), *exact]
    studies["williams-systems"] = ["williams", "--data", str(data), "--on", "coco2015", *few]
    studies["sensitivity"] = ["sensitivity", *exact]
    studies["robustness"] = ["robustness", "-r", str(data / "captions_val2014.json"), "--images", "20", *few]
    studies["categories"] = ["categories", "--data", str(data), "-o", "OUT/study.json"]
    studies["frequencies"] = ["frequencies", "--data", str(data), "-o", "OUT/study.json"]
    return studies


# What versions before 0.2 called options.
OLD_SPELLINGS = {"--reference-count": "--references"}


def old_spelling(arguments: list[str], data: Path) -> list[str]:
    """Return a command as versions before 0.2 knew it: robustness looked for captions in the folder of the data."""
    if arguments[:2] == ["meta", "robustness"]:
        place = arguments.index("-r")
        arguments = [*arguments[:place], "--data", str(data), *arguments[place + 2 :]]
    return [OLD_SPELLINGS.get(argument, argument) for argument in arguments]


def run(command: Command, out: Path, tree: Path, data: Path, *, old: bool) -> None:
    """Run a command and write its standard output, errors and exit code beside its files."""
    place = out / command.name
    place.mkdir(parents=True)
    arguments = [argument.replace("OUT", str(place)) for argument in command.arguments]
    if old:
        arguments = old_spelling(arguments, data)
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "caplens", *arguments], capture_output=True, text=True, env=environment, check=False
    )
    text = f"exit {done.returncode}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}"
    for path, name in ((str(place), "OUT"), (str(data), "DATA"), (str(tree), "TREE")):
        text = text.replace(path, name)
    (place / "printed.txt").write_text(text)
    for written in place.glob("*.json"):  # one value a line, so that a difference can be read
        written.write_text(re.sub(r"(?m)^\s+", "", json.dumps(json.loads(written.read_text()), indent=1)))


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder to write to; must not exist")
    parser.add_argument("--tree", type=Path, default=ROOT, help="root of another checkout to run instead of this one")
    arguments = parser.parse_args()
    if arguments.out.exists():
        parser.error(f"{arguments.out} exists already")
    tree, out = arguments.tree.resolve(), arguments.out.resolve()
    example, data = ROOT / "src" / "caplens" / "data" / "example", out.parent / f"{out.name}.judgments"
    write_judgments(Example(example, IMAGES), data)
    old = not (tree / "src" / "caplens" / "core").is_dir()
    wanted = commands(data, example)
    for place, command in enumerate(wanted, 1):
        sys.stderr.write(f"{place}/{len(wanted)} {command.name}\n")
        run(command, out, tree, data, old=old)


if __name__ == "__main__":
    main()
