"""Tokenizers by name: caplens' own, registered ones, and those of installed packages."""

from __future__ import annotations

import sys
import types

import pytest
from tests.plugins import offer

import caplens
from caplens.text import tokenizers
from caplens.text.tokenizers import NAMES, get_tokenizer, register_tokenizer


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch):
    monkeypatch.setattr(tokenizers, "_registered", {})


def by_hyphens(text):
    return text.lower().split("-")


def test_a_registered_one_is_used_by_metrics():
    register_tokenizer("hyphens", by_hyphens)
    assert get_tokenizer("hyphens").tokenize("Black-and-white photo") == ["black", "and", "white", "photo"]
    for result in (
        caplens.score(["a-dog"], [["A dog"]], "bleu(n=1)", tokenizer="hyphens"),
        caplens.score(["a-dog"], [["A dog"]], "bleu(n=1, tokenizer=Hyphens)"),
    ):
        assert result["Bleu_1"].score == pytest.approx(1)
        assert "tokenizer=hyphens" in result["Bleu_1"].signature


def test_a_registered_one_can_be_replaced():
    register_tokenizer("mine", by_hyphens)
    register_tokenizer("mine", lambda text: [text, text])
    assert get_tokenizer("mine").tokenize("a-b") == ["a-b", "a-b"]


def test_an_installed_package_offers_one(monkeypatch, tmp_path):
    module = types.ModuleType("users_tokenizers")
    module.by_hyphens, module.number = by_hyphens, 5
    monkeypatch.setitem(sys.modules, "users_tokenizers", module)
    offer(tmp_path, monkeypatch, "caplens.tokenizers", "hyphens", "users_tokenizers:by_hyphens")
    offer(tmp_path, monkeypatch, "caplens.tokenizers", "number", "users_tokenizers:number")
    assert get_tokenizer("hyphens").tokenize("a-b") == ["a", "b"]
    with pytest.raises(caplens.UsageError, match="The tokenizer 'number' must be a function"):
        get_tokenizer("number")
    with pytest.raises(caplens.UsageError, match=r"choose one of ptb, none, intl, char, .*hyphens"):
        get_tokenizer("hyphen")


@pytest.mark.parametrize("name", [*NAMES, "Mine", "", "a b", "a:b", None, 5])
def test_some_names_cannot_be_given(name):
    with pytest.raises(caplens.UsageError, match="A tokenizer cannot be named"):
        register_tokenizer(name, by_hyphens)


@pytest.mark.parametrize("answer", [[1], [""], ["a", None]])
def test_what_are_no_words_is_refused(answer):
    register_tokenizer("mine", lambda text: answer)
    with pytest.raises(caplens.InputError, match="The tokenizer 'mine' must return a list of words, but for 'dog'"):
        caplens.score(["dog"], [["dog"]], "rouge(tokenizer=mine)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("एक आदमी घोड़े पर है।", ["एक", "आदमी", "घोड़े", "पर", "है"]),
        ("Cafe\u0301 au lait", ["café", "au", "lait"]),
        ("Café au lait", ["café", "au", "lait"]),
        ("ชายขี่ม้า", ["ชายขี่ม้า"]),
        ("می\u200cخواهم\u200c.", ["می\u200cخواهم"]),
        ("❤️ l’été, n'est-ce pas? _x", ["l’été", "n'est-ce", "pas", "_x"]),
        ("A dog's-eye view!", ["a", "dog's-eye", "view"]),
        ("", []),
    ],
)
def test_intl_keeps_marks_with_their_letters(text, words):
    assert get_tokenizer("intl").tokenize(text) == words
