"""Hard strings of our own, with what the reference tokenizer (Stanford CoreNLP 3.4.1, as the COCO tools call it) says.

Each string was given to the reference twice in a row, so that the caption behind it begins as it does itself
(`docs/tokenizer.md` says why that matters).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from caplens.text.ptb import raw_tokens, tokenize

STRINGS = json.loads(Path(__file__).with_name("hard_strings.json").read_text(encoding="utf-8"))
PUNCTUATION = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"}
# Here an abbreviation at the end of a caption has a full stop of its own; it is dropped with all others.
DIFFERENT_BEFORE_PUNCTUATION_IS_DROPPED = {"etc. etc. and etc.", "e.g. i.e. cf. vs. viz. al."}


def without_punctuation(printed):
    return " ".join(word for word in printed.split(" ") if word not in PUNCTUATION)


def test_there_are_more_than_two_hundred():
    assert len({text for text, _ in STRINGS}) >= 200


@pytest.mark.parametrize(("text", "printed"), STRINGS)
def test_words_are_those_of_the_reference(text, printed):
    assert " ".join(tokenize(text)) == without_punctuation(printed)


def test_tokens_are_those_of_the_reference():
    different = {text for text, printed in STRINGS if " ".join(raw_tokens(text)) != printed}
    assert different == DIFFERENT_BEFORE_PUNCTUATION_IS_DROPPED


def test_the_reference_still_says_so(tmp_path):
    spec = find_spec("pycocoevalcap")
    if shutil.which("java") is None or spec is None:
        pytest.skip("needs Java and the package pycocoevalcap")
    jar = Path(next(iter(spec.submodule_search_locations))) / "tokenizer" / "stanford-corenlp-3.4.1.jar"
    file = tmp_path / "strings.txt"
    file.write_text("".join(f"{text}\n{text}\n" for text, _ in STRINGS) + "end\n", encoding="utf-8")
    command = ["java", "-cp", str(jar), "-Dfile.encoding=UTF-8", "edu.stanford.nlp.process.PTBTokenizer"]
    command += ["-preserveLines", "-lowerCase", str(file)]
    printed = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8").split("\n")
    assert printed[: 2 * len(STRINGS) : 2] == [expected for _, expected in STRINGS]
