"""Words of languages without spaces, and the figures that others published with them."""

from __future__ import annotations

import gzip
import json
import pickle
import string
import unicodedata

import numpy as np
import pytest
from tests.conftest import SHARED

import caplens
from caplens.api.frequencies import build_frequencies
from caplens.text import segmenters
from caplens.text.segmenters import LONGEST, SEGMENTERS, character_words
from caplens.text.tokenizers import get_tokenizer

SENTENCES = {
    "zh": ("一个女人在网球场上打网球，T恤。", "一个 女人 在 网球场 上 打网球 T恤"),
    "ja": ("部屋の外にテーブルと椅子が設置されています。", "部屋 の 外 に テーブル と 椅子 が 設置 さ れ て い ます"),
    "ko": ("긴 기차가 기차 선로에 있다.", "긴 기차 가 기차 선로 에 있 다"),
    "th": ("สิบคนขี่รถเอทีวี ภาพดำ", "สิบ คน ขี่ รถ เอ ทีวี ภาพ ดำ"),
}


def captions(name: str):
    path = SHARED / "languages" / "captions" / f"{name}.json.gz"
    if not path.exists():
        pytest.skip(f"the captions {path.name} are not here (they lie in ../shared/data, beside the repository)")
    return json.loads(gzip.decompress(path.read_bytes()))


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences(language):
    pytest.importorskip(SEGMENTERS[language].modules[0])
    text, words = SENTENCES[language]
    assert " ".join(get_tokenizer(language).tokenize(text)) == words


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize(
    "text", ["", "   ", "。，", "😀", "a b", "ก" * (2 * LONGEST + 1), "一" * (2 * LONGEST + 1), "\ufeff"]
)
def test_odd_texts(language, text):
    words = get_tokenizer(language).tokenize(text)
    assert all(word.strip() for word in words)
    assert len("".join(words)) == len([letter for letter in text if segmenters.is_word(letter)])


@pytest.mark.parametrize("language", [*SENTENCES, "zh-char"])
def test_metrics_of_words_use_them_and_signatures_say_so(language):
    text = SENTENCES.get(language, SENTENCES["zh"])[0]
    result = caplens.score([text, "x"], [[text], ["y"]], "bleu, rouge, cider", tokenizer=language)
    assert result["ROUGE_L"].item_scores.tolist() == [1, 0]
    for score in result.values():
        assert f"tokenizer={language}" in score.signature
        facts = get_tokenizer(language).facts()
        assert all(f"|{key}:{value}" in score.signature for key, value in facts.items())
        assert caplens.metric(score.signature) == score.run.metric
    assert pickle.loads(pickle.dumps(get_tokenizer(language))) == get_tokenizer(language)


def test_a_missing_extra_is_named_with_the_command(monkeypatch):
    monkeypatch.setattr(segmenters, "_installed", lambda modules: False)
    message = r'The tokenizer \'zh\' needs rjieba: pip install "caplens\[zh\]"'
    with pytest.raises(caplens.MissingDataError, match=message):
        caplens.score(["一"], [["一"]], "rouge", tokenizer="zh")
    with pytest.raises(caplens.MissingDataError, match=message):
        caplens.metric("rouge(tokenizer=zh)")


def test_frequencies_remember_the_dictionary(tmp_path, monkeypatch):
    path = tmp_path / "df.parquet"
    build_frequencies([["一个男人"], ["一个女人"]], path, tokenizer="zh")
    request = f"cider(df={path}, tokenizer=zh)"
    assert caplens.score(["一个男人"], [["一个男人"]], request)["CIDEr"].score > 0
    monkeypatch.setattr(segmenters, "_version", lambda name: "9.9")
    with pytest.raises(caplens.UsageError, match=r"counted with rjieba-.* but tokenizer=zh uses rjieba-9\.9"):
        caplens.score(["一个男人"], [["一个男人"]], request)


@pytest.mark.parametrize(
    ("name", "tokenizer", "published"),
    [
        ("nllb-zh", "zh-char", 0.6524),
        ("nllb-zh", "zh", 0.3837),
        ("nllb-ko", "ko", 0.4823),
        ("nllb-th", "zh-char", 0.6567),
    ],
)
def test_cider_of_multicaptioneval(name, tokenizer, published):
    data = captions(name)
    rows = data["images"]
    score = caplens.score(
        [row["candidate"] for row in rows], [row["references"] for row in rows], "cider", tokenizer=tokenizer
    )["CIDEr"].score
    assert round(score, 4) == published
    assert published in [entry["CIDEr"] for entry in data["published"].values()]


def test_cider_of_multicaptioneval_with_ipadic():
    """A tokenizer that caplens does not offer; it drops punctuation of ASCII only."""
    mecab, ipadic = pytest.importorskip("MeCab"), pytest.importorskip("ipadic")
    tagger = mecab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
    rows = captions("nllb-ja")["images"]

    def cut(text: str) -> str:
        words = tagger.parse(unicodedata.normalize("NFKC", text)).split()
        return " ".join(word for word in words if word not in string.punctuation)

    texts = [cut(row["candidate"]) for row in rows], [[cut(text) for text in row["references"]] for row in rows]
    assert round(caplens.score(*texts, "cider", tokenizer="none")["CIDEr"].score, 4) == 0.4863


def test_character_words():
    assert character_words("ＡＢ，一 。") == ["A", "B", "一"]


@pytest.mark.parametrize("system", ["seqlearn", "coco-cn", "coco-mt", "aic-icc", "flickr8k-cn"])
def test_coco_cn(system):
    """Five systems, seven metrics, three decimals; the authors cut the words and called METEOR for English."""
    data, systems = captions("zh"), captions("zh-systems")["systems"]
    rows = data["images"]
    candidates, published = [row["candidate"] for row in rows], data["published"]
    if system != "seqlearn":
        published = systems[system]["published"]
        by_id = systems[system]["images"]
        candidates = [by_id[str(row["id"])]["candidate"] for row in rows]
    references = [row["references"] for row in rows]
    lexical = caplens.score(candidates, references, "bleu, rouge, cider", tokenizer="ptb")
    found = {key: score.score for key, score in lexical.items()}
    found["METEOR"] = caplens.score(candidates, references, "meteor", tokenizer="none")["METEOR"].score
    assert {key: np.round(found[key], 3) for key in published} == published
