"""``--language``: what it picks, what it says, and which metrics are English."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.command_line import succeed
from tests.conftest import SHARED, needs_meteor

import caplens
from caplens.core.languages import tokenizer_for
from caplens.core.selection import select

ENGLISH = [
    "spice",
    "wmd",
    "wembsim",
    "scenesim",
    "critique",
    "eval_ms",
    "spider",
    "chair",
    "fluency",
    "mean(wmd, cider)",
]


@needs_meteor
@pytest.mark.parametrize(
    ("language", "tokenizer", "meteor"),
    [
        ("de", "intl", ("de", "none")),
        ("cs", "intl", ("cz", "none")),
        ("vi", "intl", ("other", "intl")),
        ("zh", "zh", ("other", "zh")),
        ("ZH", "zh", ("other", "zh")),
        ("en", "ptb", ("en", "ptb")),
        ("lo", "char", ("other", "char")),
    ],
)
def test_it_picks_tokenizer_and_meteor(language, tokenizer, meteor):
    selection = select("rouge, meteor", language=language, tokenizer="ptb")
    rouge, found = selection.metrics
    assert rouge.tokenizer == tokenizer
    assert (found.language, found.tokenizer) == meteor
    note = selection.left_out[0]
    assert note.level == "note"
    assert f"tokenizer={tokenizer} for " in str(note)
    assert "rouge" in str(note)
    assert f"language={meteor[0]}, tokenizer={meteor[1]} for meteor" in str(note)


def test_what_is_given_stays():
    (rouge,) = select("rouge", language="zh", tokenizer="zh-char").metrics
    assert rouge.tokenizer == "zh-char"
    (rouge,) = select("rouge(tokenizer=char)", language="zh").metrics
    assert rouge.tokenizer == "char"


@pytest.mark.parametrize("metric", ENGLISH)
def test_english_metrics_say_so(metric):
    with pytest.raises(caplens.UsageError, match=r"is for English captions only: it"):
        select(metric, language="zh")
    select(metric, language="en")


@needs_meteor
def test_groups_leave_them_out():
    selection = select("coco", language="de")
    assert [metric.name for metric in selection.metrics] == ["bleu", "meteor", "rouge", "cider"]
    assert [notice.level for notice in selection.left_out] == ["note", "note"]


def test_an_unknown_language():
    with pytest.raises(caplens.UsageError, match="The language 'klingon' is not supported"):
        tokenizer_for("klingon")


@needs_meteor
def test_one_command(tmp_path):
    path = SHARED / "languages" / "captions" / "zh.json.gz"
    if not path.exists():
        pytest.skip("the captions are not here (they lie in ../shared/data, beside the repository)")
    rows = json.loads(gzip.decompress(path.read_bytes()))["images"][:50]
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    printed = succeed("score", file, "--language", "zh")
    assert "tokenizer=zh" in printed
    assert "segmenter:rjieba-" in printed


@pytest.mark.parametrize("metric", ["spice", "wmd", "scenesim", "critique", "fluency"])
def test_a_tokenizer_of_another_language_is_enough_to_be_told(metric):
    (notice,) = (found for found in select(metric, tokenizer="zh-char").left_out if found.code == "only-english")
    assert notice.message.startswith(f"{metric} is for English captions only: ")
    assert not select(metric).left_out
    assert not select("bleu, rouge, cider", tokenizer="zh-char").left_out
