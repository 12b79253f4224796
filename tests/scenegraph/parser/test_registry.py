"""Parsers by name: caplens' own, registered ones, imported ones, and a spaCy pipeline."""

from __future__ import annotations

import pickle
import sys
import threading
import types

import pytest
from tests.conftest import ROOT
from tests.plugins import offer

import caplens
from caplens.errors import MissingDataError
from caplens.metrics.spice.metric import Spice
from caplens.scenegraph.parser import caption_parser as student
from caplens.scenegraph.parser import registry as parsers
from caplens.scenegraph.parser.registry import get_parser, register_parser


class OneWord:
    signature = "one-word"

    def parse(self, captions):
        return [(caplens.Sentence((words[-1],), ("NN",), (words[-1],), (0,), ("root",)),) for words in captions]


@pytest.fixture
def module(monkeypatch):
    """A module that a user might have."""
    module = types.ModuleType("users_parsers")
    module.parser, module.OneWord, module.number = OneWord(), OneWord, 5
    module.numbered = OneWord()
    module.numbered.signature = 7
    monkeypatch.setitem(sys.modules, "users_parsers", module)
    monkeypatch.setattr(parsers, "_registered", {})
    return module


def test_our_own_is_the_default():
    assert get_parser("caplens") is student.load()


def test_a_registered_parser_is_found_and_can_be_replaced(module):
    register_parser("mine", module.parser)
    assert get_parser("mine").parse([["a", "dog"]])[0][0].words == ("dog",)
    assert get_parser("mine").signature == "one-word"
    other = OneWord()
    other.signature = "another"
    register_parser("mine", other)
    assert get_parser("mine").signature == "another"


def test_module_and_attribute(module):
    request = "spice(parser=users_parsers:parser)"
    result = caplens.score(["a dog"], [["the dog"]], request, allow_code=True)
    assert get_parser("users_parsers:parser").parse([["dog"]])[0][0].words == ("dog",)
    assert result["SPICE"].score == 1
    assert "parser=users_parsers:parser" in result["SPICE"].signature
    assert "|parser:one-word|" in result["SPICE"].signature
    again = caplens.metric(result["SPICE"].signature, allow_code=True)
    assert again.parser == "users_parsers:parser"
    assert caplens.score(["a dog"], [["the dog"]], again)["SPICE"].score == 1


@pytest.mark.parametrize(
    "request_text", ["spice(parser=os:abort)", "spider(parser=os:abort)", "mean(spice(parser=os:abort), rouge)"]
)
def test_code_is_not_loaded_unless_allowed(module, request_text):
    """Were it loaded, this process would end."""
    with pytest.raises(caplens.UsageError, match="The parser 'os:abort' would run code from a module"):
        caplens.metric(request_text)
    with pytest.raises(caplens.UsageError, match="The parser 'os:abort' would run code from a module"):
        caplens.score(["a"], [["a"]], request_text)


def test_what_was_loaded_once_is_refused_where_it_is_not_allowed(module):
    caplens.metric("spice(parser=users_parsers:parser)", allow_code=True)
    with pytest.raises(caplens.UsageError, match="would run code"):
        caplens.metric("spice(parser=users_parsers:parser)")


def test_a_metric_from_a_pickle_loads_nothing(module):
    metric = pickle.loads(pickle.dumps(Spice(parser="users_parsers:parser")))
    with pytest.raises(caplens.UsageError, match="was not loaded in this process"):
        caplens.score(["a"], [["a"]], metric)
    assert parsers._registered == {}


def test_an_installed_package_offers_parsers(module, monkeypatch, tmp_path):
    offer(tmp_path, monkeypatch, "caplens.parsers", "short", "users_parsers:parser")
    result = caplens.score(["a dog"], [["the dog"]], "spice(parser=short)")
    assert result["SPICE"].score == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "stanford",
            "There is no parser 'stanford'; use 'caplens', register_parser('stanford', ...) or, with allow_code=True,",
        ),
        ("caplnes", "There is no parser 'caplnes'; did you mean 'caplens'?"),
        ("users_parsers:none", "The parser 'users_parsers:none' cannot be imported (AttributeError: module"),
        ("no_such_module:parser", "PYTHONPATH"),
        (":parser", "The parser ':parser' cannot be imported"),
        (".users_parsers:parser", "The parser '.users_parsers:parser' cannot be imported"),
        ("users_parsers:OneWord", "The parser 'users_parsers:OneWord' is a class: pass an instance of it."),
        ("users_parsers:number", "The parser 'users_parsers:number' has no method parse(captions)."),
        (
            "users_parsers:numbered",
            "The parser 'users_parsers:numbered' has the signature 7, which must be a string.",
        ),
    ],
)
def test_a_wrong_name_is_refused_in_one_sentence(module, name, words):
    with pytest.raises(caplens.UsageError) as refused:
        caplens.score(["a"], [["a"]], f"spice(parser={name})", allow_code=True)
    assert words in str(refused.value)


def test_a_module_with_a_mistake_in_it_is_refused(module, monkeypatch, tmp_path):
    (tmp_path / "mistaken_parsers.py").write_text("parser = (")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(caplens.UsageError, match=r"The parser 'mistaken_parsers:parser' cannot be imported \("):
        caplens.metric("spice(parser=mistaken_parsers:parser)", allow_code=True)


@pytest.mark.parametrize("name", ["caplens", "a:b", "", " ", None])
def test_some_names_cannot_be_given(name):
    with pytest.raises(caplens.UsageError, match="A parser cannot be named"):
        register_parser(name, OneWord())


@pytest.mark.parametrize("parser", [None, OneWord, 5])
def test_some_things_are_no_parsers(parser):
    with pytest.raises(caplens.UsageError, match=r"The parser .* (is a class|has no method)"):
        register_parser("mine", parser)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "The parser 'mine' must return a list of parses, but it returned None."),
        ([], "The parser 'mine' returned 0 parses of 1 captions."),
        (["dog"], "must return a tuple of caplens.Sentence for each caption, but for 'a dog' it returned 'dog'."),
        ([("dog",)], "must return a tuple of caplens.Sentence"),
    ],
)
def test_wrong_answers_are_refused(module, monkeypatch, answer, words):
    monkeypatch.setattr(OneWord, "parse", lambda self, captions: answer)
    register_parser("mine", OneWord())
    with pytest.raises(caplens.InputError) as refused:
        caplens.score(["a dog"], [["a dog"]], "spice(parser=mine)")
    assert words in str(refused.value)


def test_a_plugged_in_parser_is_called_by_one_thread_at_a_time(module):
    class Careful(OneWord):
        def __init__(self):
            self.inside = threading.Lock()

        def parse(self, captions):
            assert self.inside.acquire(blocking=False)
            try:
                yield from super().parse(captions)
            finally:
                self.inside.release()

    register_parser("careful", Careful())
    captions = [f"dog {number}" for number in range(5000)]
    result = caplens.score(captions, [[caption] for caption in captions], "spice(parser=careful)", jobs=4)
    assert result["SPICE"].score == 1


def test_a_damaged_model_says_how_to_mend_it(monkeypatch, tmp_path):
    monkeypatch.setattr(student, "MODEL", tmp_path / "captions.safetensors")
    student.load.cache_clear()
    try:
        with pytest.raises(MissingDataError, match=r"its parser is damaged .*: pip install --force-reinstall caplens"):
            get_parser("caplens")
        with pytest.raises(MissingDataError, match="spice cannot run here: its parser is damaged"):
            caplens.score(["a"], [["a"]], "spice")
        left_out = caplens.score(["a"], [["a"]], "coco").warnings
        assert any(str(notice).startswith("spice is omitted from 'coco': its parser is damaged") for notice in left_out)
    finally:
        monkeypatch.undo()
        student.load.cache_clear()


def adapter():
    """The lines that the documentation shows."""
    text = parsers.__doc__
    lines = text[text.index("    from caplens import Sentence") : text.index('    register_parser("spacy"')]
    return "\n".join(line[4:] for line in lines.splitlines())


def test_a_spacy_pipeline_plugs_in():
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed (it is no dependency: pip install spacy)")
    # A pipeline by hand instead of a trained one, which would have to be downloaded.
    tree = {
        "two": ("CD", "two", 1, "nummod"), "dogs": ("NNS", "dog", 1, "nsubj"), "chase": ("VBP", "chase", 0, "ROOT"),
        "cats": ("NNS", "cat", -1, "dobj"),
    }  # fmt: skip

    @spacy.Language.component("by_hand")
    def by_hand(document):
        for word in document:
            tag, lemma, step, label = tree[word.text]
            word.tag_, word.lemma_, word.head, word.dep_ = tag, lemma, document[word.i + step], label
        return document

    pipeline = spacy.blank("en")
    pipeline.add_pipe("by_hand")
    names = {}
    exec(adapter(), names)
    register_parser("spacy", names["SpacyParser"](pipeline))
    result = caplens.score(["two dogs chase cats"], [["dogs chase cats", "two dogs chase cats"]], "spice(parser=spacy)")
    assert result["SPICE"].score == 1
    assert result["SPICE_Relation"].score == 1
    assert "|parser:my pipeline 1.0|" in result["SPICE"].signature


def test_the_adapter_of_the_documentation_is_python():
    compile(adapter(), "adapter", "exec")
    assert "class SpacyParser" in adapter()
    assert (ROOT / "src/caplens/scenegraph/parser/registry.py").read_text().count("class SpacyParser") == 1
