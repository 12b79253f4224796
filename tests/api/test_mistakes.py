"""The ten typical mistakes, each with its message."""

from __future__ import annotations

import types

import numpy as np
import pytest
from tests.command_line import refuse, write_rows

import caplens

CANDIDATES = ["a dog", "two cats"]
REFERENCES = [["a dog runs", "a dog"], ["two cats", "cats"]]
SWAPPED = (
    "Candidates and references seem to be swapped: the candidates have several captions per id, the references one "
    "each. The candidates come first: "
)


def tensor():
    return type("Tensor", (), {"__module__": "torch"})()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((REFERENCES, CANDIDATES), f"{SWAPPED}score(candidates, references)."),
        (
            (CANDIDATES, CANDIDATES),
            "References must be a list of captions for each candidate, but one of them is a single string ('a dog'): "
            'wrap it in a list, ["..."].',
        ),
        (("a dog", REFERENCES), "The candidates are a single string: write a list, ['a dog'], even for one caption."),
        (
            (CANDIDATES, REFERENCES[:1]),
            "Found 2 candidates but 1 reference set: to match by position, the numbers must be equal.",
        ),
        (
            (["a dog", None], REFERENCES),
            "1 candidate is not text (id 1): a caption must be a string.",
        ),
        (
            (np.array([CANDIDATES]), REFERENCES),
            "The candidates are an array of 2 dimensions: pass one caption per row.",
        ),
        (
            (tensor(), REFERENCES),
            "The candidates are a torch Tensor, but captions are text: decode the token ids first, for example with "
            "tokenizer.batch_decode(ids, skip_special_tokens=True).",
        ),
        (((text for text in CANDIDATES[:1]), REFERENCES), "Found 1 candidate but 2 reference sets: to match by"),
        (
            ({"COCO_val2014_000000000007.jpg": "a dog"}, {7: ["a dog"]}),
            "No candidate has references: their ids never match (file names against numbers). The candidates have ids "
            "such as 'COCO_val2014_000000000007.jpg', the references such as '7'; use the same ids for both.",
        ),
        ((CANDIDATES, REFERENCES, "cidre"), "There is no metric 'cidre'; did you mean 'cider'?"),
        ((CANDIDATES, REFERENCES, "cider(sgima=6)"), "cider has no option 'sgima'"),
        (
            ([{1: "a dog"}, {2: "two cats"}], REFERENCES),
            "The candidates are a list of mappings whose keys are not names (1): write one mapping from id to caption",
        ),
        (({*CANDIDATES}, REFERENCES), "The candidates are a set, which has no order: pass a list, or a mapping"),
        ((5, REFERENCES), "The candidates must be a list, a mapping from id to caption, a NumPy array, a pandas or"),
    ],
    ids=[
        *("swapped", "strings for lists", "a string", "lengths", "None", "arrays", "tensors", "generators", "ids"),
        *("unknown metric", "unknown option", "a list of mappings", "sets", "a number"),
    ],
)
def test_in_python(arguments, message):
    with pytest.raises(caplens.CaplensError) as refused:
        caplens.score(*arguments)
    assert str(refused.value).startswith(message)
    assert "--" not in str(refused.value)


def test_an_option_that_score_does_not_have():
    with pytest.raises(TypeError, match="tokeniser"):
        caplens.score(CANDIDATES, REFERENCES, tokeniser="ptb")


def test_the_name_of_a_file(tmp_path):
    path = tmp_path / "captions.json"
    path.write_text("[]")
    for given in (path, str(path)):
        with pytest.raises(caplens.InputError, match=r"read it with caplens\.load_references\("):
            caplens.score(CANDIDATES, given)


def test_prepared_references_know_strangers_too():
    with pytest.raises(caplens.InputError, match=r"their ids never match \(names against numbers\)"):
        caplens.Evaluator("rouge", {7: ["a dog"]}).score({"seven": "a dog"})


class TestOnTheCommandLine:
    @pytest.fixture
    def files(self, tmp_path):
        candidates = [{"image_id": 7, "caption": "a dog"}, {"image_id": 9, "caption": "two cats"}]
        references = [
            {"image_id": 7 + 2 * place, "caption": text} for place, two in enumerate(REFERENCES) for text in two
        ]
        named = [{"image_id": "seven.jpg", "caption": "a dog"}]
        return types.SimpleNamespace(
            candidates=write_rows(tmp_path / "candidates.jsonl", candidates),
            references=write_rows(tmp_path / "references.jsonl", references),
            named=write_rows(tmp_path / "named.jsonl", named),
        )

    def test_swapped(self, files):
        said = refuse("score", files.references, "-r", files.candidates, "-m", "rouge")
        assert said == f"{SWAPPED}caplens score CANDIDATES -r REFERENCES."

    def test_ids_that_never_match(self, files):
        said = refuse("score", files.named, "-r", files.references, "-m", "rouge")
        assert said.startswith("No candidate has references: their ids never match (file names against numbers).")
