"""One script on the original COCO tools and on their mirror, where only the import prefix differs; captions for it."""

import json
import math
import random
import subprocess
import sys

ORIGINAL, MIRROR = "pycocoevalcap", "caplens.compat.pycocoevalcap"

HARNESS = """
import json, sys
results = {}
for name, arguments in json.load(sys.stdin).items():
    print("data:", name)
    results[name] = evaluate(*arguments)
print(json.dumps(results))
"""


def run(prefix, script, data):
    """Run a script in a process of its own; return its printed lines and the results for each set of captions."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", script.replace("PREFIX", prefix) + HARNESS],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    *lines, results = done.stdout.splitlines()
    return lines, json.loads(results)


def run_both(script, data):
    return run(ORIGINAL, script, data), run(MIRROR, script, data)


def assert_close(ours, theirs, path="result"):
    """Compare plain data: the same shape, numbers to twelve digits."""
    assert type(ours) is type(theirs), path
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), path
        for key in theirs:
            assert_close(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), path
        for place, (left, right) in enumerate(zip(ours, theirs, strict=True)):
            assert_close(left, right, f"{path}[{place}]")
    elif isinstance(theirs, float):
        both_nan = math.isnan(ours) and math.isnan(theirs)
        assert both_nan or math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-15), (path, ours, theirs)
    else:
        assert ours == theirs, path


WORDS = ["a", "the", "man", "woman", "dog", "two", "red", "horse", "rides", "on", "of", "in", "park", "'s", "n't"]
WORDS += ["street", "tall", "and", "with", "café", "一个", "☃", "1/2"]


def generated(images, seed):
    """Captions that share enough words to have scores, some empty, some of one word repeated."""
    source = random.Random(seed)

    def caption():
        if source.random() < 0.05:
            return ""
        if source.random() < 0.05:
            return " ".join([source.choice(WORDS)] * source.randint(2, 9))
        return " ".join(source.choices(WORDS, weights=range(len(WORDS), 0, -1), k=source.randint(1, 14)))

    gts = {str(image): [caption() for _ in range(source.randint(1, 6))] for image in range(images)}
    return gts, {image: [caption()] for image in gts}


PARTS = [
    "a",
    "dogs",
    "dog",
    "running",
    "can't",
    "Mr.",
    "st.",
    "No.",
    "5",
    "1,000",
    "3.5",
    "U.S.",
    "T-shirt",
    "É",
    "я",
    "一",
]
PARTS += [
    *",'`‘’“”\"-–.!?(/&|",
    "--",
    "..",
    "...",
    "''",
    "|||",
    "\t",
    "\xa0",
    "\x1c",
    "\x01",
    "\x7f",
    "\x85",
    "\u2028",
    "😀",
]


def hard(images, seed):
    """Captions that give METEOR's normaliser and the original's line protocol something to do."""
    source = random.Random(seed)

    def caption():
        return "".join(source.choice(PARTS) + source.choice(["", " ", " ", "  "]) for _ in range(source.randint(0, 9)))

    gts = {str(image): [caption() for _ in range(source.randint(1, 3))] for image in range(images)}
    return gts, {image: [caption()] for image in gts}


ODD = (
    {
        "double space": ["a  man rides", "a man  rides"],
        "space around": [" a dog ", "a dog"],
        "only spaces": ["   ", " "],
        "empty": ["", "a dog"],
        "empty candidate and a double space": ["two  dogs", "two dogs"],
        "no-break space": ["1\xa01/2 cups", "1 1/2 cups"],
        "tab": ["a\tdog runs", "a dog\truns"],
        "line break": ["a\ndog runs", "a\r\ndog runs"],
        "control": ["a\x01dog runs", "a dog runs"],
        "separators": ["a\x1cdog runs\x85off", "a\u2028dog runs off"],
        "ideographic space": ["一个\u3000男人", "一个 男人"],
        "zero width": ["a\u200bdog", "a dog"],
        "surrogate": ["a \ud800 dog", "a \udfff dog"],
        "private use": ["a \ue000 dog", "a \ue00000000061 dog"],
        "null": ["a \x00 dog", "a dog"],
        "case": ["A DOG", "a dog"],
        "combining": ["cafe\u0301 noir", "café noir"],
    },
    {
        "double space": ["a  man"],
        "space around": ["a dog"],
        "only spaces": ["  "],
        "empty": [""],
        "empty candidate and a double space": [""],
        "no-break space": ["1\xa01/2 cups"],
        "tab": ["a dog\truns"],
        "line break": ["a\ndog runs"],
        "control": ["a\x01dog runs"],
        "separators": ["a\x1cdog runs off"],
        "ideographic space": ["一个\u3000男人"],
        "zero width": ["a\u200bdog"],
        "surrogate": ["a \ud800 dog"],
        "private use": ["a \ue000 dog"],
        "null": ["a \x00 dog"],
        "case": ["a dog"],
        "combining": ["café noir"],
    },
)
DATA = {
    "generated": generated(300, seed=1),
    "few": generated(3, seed=2),
    "one image": ({"1": ["a man on a horse", "a man rides"]}, {"1": ["a man rides a horse"]}),
    "one short image": ({"1": ["a man on a tall horse", "two men on a horse in a park"]}, {"1": ["a man"]}),
    "one empty candidate": ({"1": ["a man"], "2": ["two dogs"]}, {"1": [""], "2": ["two dogs"]}),
    "odd": ODD,
}
