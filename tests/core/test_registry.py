"""Metrics by name: caplens' own, registered ones, those of installed packages, and code that a string names."""

from __future__ import annotations

import pickle
import sys
import types
from dataclasses import dataclass

import numpy as np
import pytest
from tests.plugins import offer
from tests.toys import Characters, Toy

import caplens
from caplens.core import registry
from caplens.core.describing import describe_metrics
from caplens.core.options import any_text, declared_options
from caplens.core.registry import metric_class, names, plugged_names, register_metric
from caplens.core.selection import select
from caplens.errors import UsageError

GROUP = "caplens.metrics"


@dataclass(frozen=True)
class Capitals(caplens.Metric):
    """Capital letters, as a user's first metric might count them: nothing but what a metric must have."""

    name = "capitals"
    each: float = caplens.option(1.0, "points for each")

    @property
    def keys(self):
        return ("Capitals",)

    def statistics(self, prepared, state, inputs=()):
        counts = [self.each * sum(map(str.isupper, caption)) for caption in prepared.candidates.captions]
        return caplens.Statistics(("capitals",), np.array(counts)[:, np.newaxis])

    def aggregate(self, sums, rows):
        return sums / np.asarray(rows)[..., np.newaxis]


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture
def users_module(monkeypatch):
    """A module that a user might have."""
    module = types.ModuleType("users_metrics")
    module.Capitals, module.number = Capitals, 5
    monkeypatch.setitem(sys.modules, "users_metrics", module)


def capitals(request, **more):
    return caplens.score(["A Dog", "a Cat"], [["a dog"], ["a cat"]], request, **more)["Capitals"].score


class TestOwn:
    def test_every_module_is_where_its_name_says(self):
        for name in names():
            assert metric_class(name).__module__.startswith("caplens.metrics.")

    def test_a_name_that_is_none(self):
        with pytest.raises(UsageError, match="There is no metric 'blue'; did you mean 'bleu'"):
            metric_class("blue")


class TestRegistered:
    def test_works_like_any_other(self):
        assert register_metric(Capitals) is Capitals
        assert capitals("capitals") == 1.5
        assert capitals("rouge, Capitals(each=2)") == 3
        assert plugged_names() == ("capitals",)
        result = caplens.score(["A Dog"], [["a dog"]], "capitals")
        assert result["Capitals"].signature.startswith("capitals(each=1)|rows:1|")
        assert caplens.metric(result["Capitals"].signature) == Capitals()

    def test_can_be_combined(self):
        register_metric(Capitals)
        assert caplens.score(["A Dog"], [["a dog"]], "sum(capitals, rouge)")[
            "Sum_Capitals_ROUGE_L"
        ].score == pytest.approx(3)

    def test_is_listed_and_suggested(self):
        register_metric(Capitals)
        assert ("capitals", "Capitals", "", "", "no extra data") in describe_metrics()
        with pytest.raises(UsageError, match="did you mean 'capitals'"):
            metric_class("capital")

    def test_is_not_among_all(self):
        register_metric(Capitals)
        assert "capitals" not in registry.GROUPS["all"]
        assert "capitals" not in names()

    def test_can_be_replaced(self):
        @dataclass(frozen=True)
        class Others(Capitals):
            pass

        register_metric(Capitals)
        register_metric(Others)
        assert metric_class("capitals") is Others

    @pytest.mark.parametrize("name", ["bleu", "rouge_l", "coco", "all", "Capitals", "my metric", "a:b", "", "9"])
    def test_some_names_cannot_be_given(self, name):
        with pytest.raises(UsageError, match="A metric cannot be named"):
            register_metric(type("Named", (Capitals,), {"name": name}))

    def test_some_things_are_no_metrics(self):
        class NoDataclass(Capitals):
            more: int = caplens.option(1, "an option that would be none")

        @dataclass(frozen=True, kw_only=True)
        class Demanding(Capitals):
            path: str

        for kind, words in (
            (Capitals(), "must be a class derived from caplens.Metric"),
            (dict, "must be a class derived from caplens.Metric"),
            (caplens.Metric, "lacks aggregate, keys, statistics"),
            (Toy, "lacks keys, statistics"),
            (NoDataclass, r"decorate it with @dataclass\(frozen=True\)"),
            (Demanding, r"has options without defaults \(path\)"),
        ):
            with pytest.raises(UsageError, match=words):
                register_metric(kind)

    def test_has_an_explanation(self):
        register_metric(Capitals)
        explanation = caplens.explain("A Dog", ["a dog", "dogs"], "capitals")
        assert (explanation.candidate, explanation.references) == ("A Dog", ("a dog", "dogs"))
        assert explanation.scores == {"Capitals": 2.0}
        assert explanation.sections[0].rows == (("capitals", 2.0),)
        assert "statistic" in str(explanation)

    def test_an_unregistered_object_says_where_its_class_is(self):
        signature = caplens.score(["a"], [["a"]], Characters(times=2))["Characters"].signature
        assert signature.startswith("tests.toys:Characters(times=2)|")
        assert caplens.metric(signature, allow_code=True) == Characters(times=2)
        with pytest.raises(UsageError, match=r"'tests\.toys:Characters' would run code"):
            caplens.metric(signature)


class TestInstalled:
    def test_works_by_name(self, monkeypatch, tmp_path, users_module):
        offer(tmp_path, monkeypatch, GROUP, "capitals", "users_metrics:Capitals")
        assert capitals("capitals") == 1.5
        assert "capitals" in plugged_names()
        assert any(row[0] == "capitals" for row in describe_metrics())

    def test_cannot_take_the_place_of_our_own(self, monkeypatch, tmp_path, users_module):
        offer(tmp_path, monkeypatch, GROUP, "bleu", "users_metrics:Capitals")
        assert metric_class("bleu").name == "bleu"
        assert "bleu" not in plugged_names()

    def test_a_broken_one_is_named_and_spoils_nothing_else(self, monkeypatch, tmp_path):
        offer(tmp_path, monkeypatch, GROUP, "broken", "no_such_module:Metric")
        with pytest.raises(UsageError, match="'broken' of the package made-up-broken cannot be loaded"):
            caplens.metric("broken")
        assert any(row[0] == "broken" and row[-1].startswith("MISSING") for row in describe_metrics())
        assert caplens.metric("rouge").name == "rouge"

    def test_what_is_no_metric_is_refused(self, monkeypatch, tmp_path, users_module):
        offer(tmp_path, monkeypatch, GROUP, "number", "users_metrics:number")
        with pytest.raises(UsageError, match="The metric 'number' must be a class derived"):
            caplens.metric("number")


REFUSED = "would run code from a module: use allow_code=True"


class TestCode:
    def test_is_loaded_where_it_is_allowed(self, users_module):
        assert capitals("users_metrics:Capitals(each=2)", allow_code=True) == 3
        assert caplens.metric("users_metrics:Capitals", allow_code=True) == Capitals()
        assert plugged_names() == ()  # nothing is remembered: the next call has to allow it again
        with pytest.raises(UsageError, match=REFUSED):
            capitals("users_metrics:Capitals")

    @pytest.mark.parametrize(
        "request_text", ["os:abort", "os:abort(n=1)", "rouge, os:abort", "mean(rouge, os:abort)", "os:abort|rows:5"]
    )
    def test_is_refused_otherwise(self, request_text):
        """Were it called, this process would end."""
        candidates, references = ["a"], [["a"]]
        for call in (
            lambda: caplens.metric(request_text),
            lambda: select(request_text),
            lambda: select([request_text], tokenizer="ptb"),
            lambda: caplens.score(candidates, references, request_text),
            lambda: caplens.compare({"a": candidates, "b": candidates}, references, request_text),
            lambda: caplens.explain("a", ["a"], request_text),
            lambda: caplens.Evaluator(request_text, references),
        ):
            with pytest.raises(UsageError, match="'os:abort' " + REFUSED + "|One metric was expected"):
                call()

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("os:abort", "must be a class derived from caplens.Metric"),
            ("users_metrics:number", "must be a class derived from caplens.Metric"),
            ("users_metrics:none", "cannot be imported .*users_metrics"),
            ("no_such_module:Metric", "PYTHONPATH"),
        ],
    )
    def test_what_is_no_metric_is_refused(self, users_module, text, words):
        with pytest.raises(UsageError, match=words):
            caplens.metric(text, allow_code=True)

    def test_a_module_with_a_mistake_in_it_is_refused(self, monkeypatch, tmp_path):
        (tmp_path / "mistaken_metrics.py").write_text("1 / 0")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(UsageError, match=r"cannot be imported .*ZeroDivisionError: division by zero"):
            caplens.metric("mistaken_metrics:Metric", allow_code=True)

    def test_a_metric_goes_to_other_processes(self):
        metric = Characters(times=3)
        assert pickle.loads(pickle.dumps(metric)) == metric


HOSTILE = [
    "cider(df=/etc/passwd)",
    "cider(df=../coco-val2014)",
    "spider(df=/dev/zero)",
    "spice(parser=os:abort)",
    "spice(parser=elsewhere)",
    "spice(categories=/etc/passwd)",
    "given(file=/etc/passwd)",
    "composite(weights=/tmp)",
    "composite(weights=weights.safetensors)",
    "critique(weights=/tmp)",
    "critique(features=features.npz)",
    "chair(objects=/etc/passwd)",
    "diversity(training=/etc/passwd)",
    "wmd(vectors=../../secret)",
    "scenesim(vectors=/etc/passwd)",
    "wembsim_e(file=/etc/passwd)",
    "mean(rouge, bleu_4, normalize_on=/etc/passwd)",
    "mean(rouge, cider(df=/etc/passwd), normalize=none)",
    "sum(mean(cider(df=/etc/passwd)), rouge)",
    "os:abort",
    "rouge(tokenizer=/etc/passwd)",
]


@pytest.mark.parametrize("request_", HOSTILE)
def test_a_stranger_names_neither_files_nor_code(request_):
    with pytest.raises(UsageError) as refused:
        select(request_, allow_files=False)
    assert str(refused.value).count("\n") == 0


@pytest.mark.parametrize(
    "request_",
    [
        "cider(df=coco-val2014, label=Mine)",
        "eval_ms",
        "composite(weights=Eval_WCS)",
        "wmd(vectors=raw, tokenizer=none)",
        "mean(rouge, cider(df=coco-val2014), weights=2 1, normalize=none)",
        "mean(rouge, bleu_4, normalize_on=range)",
        "meteor(modules=exact+stem, beam=10)",
        "spice(parser=caplens, known=false)",
        "critique(weights=shipped)",
    ],
)
def test_what_ships_can_be_named_by_anybody(request_):
    assert select(request_, allow_files=False).metrics == select(request_).metrics


def test_every_text_option_says_which_texts_name_no_file():
    """A new option that reads a file is refused unless it says otherwise; this lists those that say so."""
    free = {
        (name, option.name)
        for name in names()
        for option in declared_options(metric_class(name)).values()
        if option.names is any_text
    }
    assert {option for _, option in free} == {"label", "tokenizer", "modules", "weights", "scores", "column", "system"}
    assert {name for name, option in free if option == "weights"} == {"mean", "sum"}
