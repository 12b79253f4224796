"""The metric grammar: requests, their text, and the metrics they become."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import needs_meteor

import caplens
from caplens.core.grammar import Request, parse
from caplens.core.registry import GROUPS, metric_class, names
from caplens.core.selection import select
from caplens.text.meteor import resources

CANDIDATES = ["a man rides a horse", "two dogs", "a cat on a mat"]
REFERENCES = [["a man on a horse", "a person rides"], ["two dogs run"], ["a cat", "the cat sits", "a mat"]]


class TestParsing:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("bleu", [Request("bleu")]),
            ("BLEU, Rouge", [Request("bleu"), Request("rouge")]),
            (" bleu ,\n rouge ", [Request("bleu"), Request("rouge")]),
            ("bleu()", [Request("bleu")]),
            ("cider(n=2)", [Request("cider", (("n", "2"),))]),
            ("cider( N = 2 , df = a b.parquet )", [Request("cider", (("n", "2"), ("df", "a b.parquet")))]),
            ("cider(df=/My Data/C.parquet)", [Request("cider", (("df", "/My Data/C.parquet"),))]),
            ("cider(df='a, (b)=|c')", [Request("cider", (("df", "a, (b)=|c"),))]),
            ('cider(df="it\'s")', [Request("cider", (("df", "it's"),))]),
            (r'cider(df="a\"b\\c")', [Request("cider", (("df", r"a\"b\c".replace("\\", "", 1)),))]),
            ('cider(df="")', [Request("cider", (("df", ""),))]),
            ("mean(wmd, spice)", [Request("mean", (), (Request("wmd"), Request("spice")))]),
            (
                "mean(cider(n=2), mean(a, b), weight=1)",
                [
                    Request(
                        "mean",
                        (("weight", "1"),),
                        (Request("cider", (("n", "2"),)), Request("mean", (), (Request("a"), Request("b")))),
                    )
                ],
            ),
            ("bleu(n=4)|rows:5|a:b:c", [Request("bleu", (("n", "4"),), (), (("rows", "5"), ("a", "b:c")))]),
            ('bleu|df:"a, b"', [Request("bleu", (), (), (("df", "a, b"),))]),
        ],
    )
    def test_requests(self, text, expected):
        assert parse(text) == expected

    def test_a_module_and_a_class_keep_their_case(self):
        text = "my_Package.metrics:Overlap(N=2)"
        assert parse(text) == [Request("my_Package.metrics:Overlap", (("n", "2"),))]
        assert str(parse(text)[0]) == "my_Package.metrics:Overlap(n=2)"

    @pytest.mark.parametrize("text", ["mean(" * 1000, "mean(" * 1000 + "bleu" + ")" * 1000, "bleu, mean(a, " * 50_000])
    def test_brackets_may_not_be_a_thousand_deep(self, text):
        with pytest.raises(caplens.UsageError, match="its brackets are nested more than 32 deep") as refused:
            parse(text)
        assert len(str(refused.value)) < 1000

    def test_brackets_may_be_as_deep_as_anybody_needs(self):
        text = "mean(" * 31 + "bleu" + ")" * 31
        assert str(parse(text)[0]) == text

    def test_long_requests_take_no_time(self):
        assert len(parse(", ".join(["bleu(n=2)"] * 50_000))) == 50_000

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "a metric's name was expected"),
            ("bleu,", "a metric's name was expected"),
            ("bleu,,rouge", "a metric's name was expected, not ','"),
            ("bleu rouge", "'bleu rouge' is not a single name; separate names with commas"),
            ("4", "a metric's name was expected, not '4'"),
            ("'bleu'", "a metric's name was expected, not 'bleu'"),
            ("bleu(n=4", "a closing bracket is missing"),
            ("bleu(n=4))", "unexpected ')'"),
            ("bleu=4", "unexpected '='"),
            ("bleu(n=4) rouge", "unexpected 'rouge'"),
            ("bleu(n=)", "the option 'n' has no value"),
            ("bleu(n=4, N=3)", "the option 'n' is given twice"),
            ("cider(df='x)", 'a quote opens at "\'x)" and is not closed'),
            ("bleu|rows", "a bar must be followed by a fact such as rows:5000, not 'rows'"),
        ],
    )
    def test_what_cannot_be_understood_is_said_in_one_sentence(self, text, why):
        with pytest.raises(caplens.UsageError) as refused:
            parse(text)
        assert str(refused.value) == (
            f"The metric request {text!r} cannot be parsed: {why}. "
            'Write names with options, such as "bleu, cider(sigma=6)".'
        )


names_in_grammar = st.text("abyz09_-", max_size=5).map("x{}".format)
values = st.text(st.characters(codec="utf-8"), max_size=12)
pairs = st.lists(st.tuples(names_in_grammar, values), max_size=3, unique_by=lambda pair: pair[0]).map(tuple)
requests = st.recursive(
    st.builds(Request, names_in_grammar, pairs),
    lambda inner: st.builds(Request, names_in_grammar, pairs, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)


class TestRoundTrip:
    @settings(max_examples=150, deadline=None)
    @given(requests, pairs)
    def test_text_and_request(self, request_, facts):
        request = Request(request_.name, request_.options, request_.inputs, facts)
        assert parse(str(request)) == [request]

    @settings(max_examples=50, deadline=None)
    @given(st.lists(requests, min_size=1, max_size=4))
    def test_lists_of_requests(self, several):
        assert parse(", ".join(map(str, several))) == several


labels = st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(
    lambda text: text.strip() and text.lower() != "id"
)
tokenizers = st.sampled_from(["ptb", "none", "intl", "char"])
orders = st.integers(1, 6)
positive = st.floats(1e-3, 1e3)
fractions = st.floats(0, 1)
vectors = st.sampled_from(["captions", "raw"])
COMPOSITES = ("Eval_MS", "Eval_CS", "Eval_MCS", "Eval_WCS", "Eval_MWS", "Eval_MWCS")
configured = st.one_of(
    st.builds(
        metric_class("bleu"), n=orders, length=st.sampled_from(["closest", "coco"]), tokenizer=tokenizers, label=labels
    ),
    st.builds(
        metric_class("bleu_smoothed"),
        n=orders,
        length=st.sampled_from(["closest", "coco"]),
        tokenizer=tokenizers,
        label=labels,
    ),
    st.builds(
        metric_class("meteor"),
        alpha=fractions,
        beta=positive,
        stem=fractions,
        modules=st.sampled_from(["exact", "exact+stem", "synonym+paraphrase"]),
        normalize=st.booleans(),
        beam=orders,
        tokenizer=tokenizers,
        label=labels,
    ),
    st.builds(metric_class("rouge"), beta=positive, tokenizer=tokenizers, label=labels),
    st.builds(
        metric_class("cider"),
        n=orders,
        sigma=positive,
        variant=st.sampled_from(["d", "plain"]),
        df_documents=st.sampled_from(["rows", "images"]),
        tokenizer=tokenizers,
        label=labels,
    ),
    st.builds(
        metric_class("spice"),
        synonyms=st.booleans(),
        repeat=st.sampled_from(["any", "once"]),
        tokenizer=tokenizers,
        label=labels,
    ),
    st.builds(
        metric_class("spider"), df_documents=st.sampled_from(["rows", "images"]), tokenizer=tokenizers, label=labels
    ),
    st.builds(
        metric_class("wmd"),
        vectors=vectors,
        remove_stop_words=st.booleans(),
        combine=st.sampled_from(["best", "mean"]),
        normalize=st.booleans(),
        tokenizer=tokenizers,
        label=labels,
    ),
    *(
        st.builds(
            metric_class(name),
            vectors=vectors,
            remove_stop_words=st.booleans(),
            combine=st.sampled_from(["mean", "max", "min"]),
            tokenizer=tokenizers,
            label=labels,
        )
        for name in ("wembsim", "scenesim", "embedding_average", "vector_extrema", "greedy_matching")
    ),
    *(
        st.builds(
            metric_class(name),
            metrics=st.permutations([metric_class("rouge")(), metric_class("wmd")()]).map(tuple),
            weights=st.none() | st.just((0.1, 2.0)),
            normalize=st.sampled_from(["minmax", "z", "none"]),
            label=labels,
        )
        for name in ("mean", "sum")
    ),
    *(
        st.builds(
            metric_class(name),
            metrics=st.just((metric_class("rouge")(), metric_class("wmd")())),
            normalize=st.sampled_from(["minmax", "none"]),
            normalize_on=st.just("range"),
            label=labels,
        )
        for name in ("mean", "sum")
    ),
    st.builds(metric_class("composite"), weights=st.sampled_from(COMPOSITES), label=labels),
    st.builds(
        metric_class("critique"), references=st.sampled_from(["mean", "first"]), tokenizer=tokenizers, label=labels
    ),
    st.builds(metric_class("diversity"), tokenizer=tokenizers, label=labels),
    st.builds(metric_class("chair"), references=st.sampled_from(["ignore", "add"]), tokenizer=tokenizers, label=labels),
    st.builds(metric_class("fluency"), tokenizer=tokenizers, label=labels),
    st.builds(
        metric_class("lens"),
        variant=st.sampled_from(["supervised", "unsupervised"]),
        tokenizer=tokenizers,
        label=labels,
    ),
)
# These need what is not there everywhere: a sentence encoder, a file of ELMo vectors, of weights or of scores.
CONTEXTUAL = {"wembsim_c", "wembsim_e", "composite", "given"}


class TestSignatures:
    @settings(max_examples=100, deadline=None)
    @given(configured)
    def test_the_metric_of_a_signature_is_the_metric_that_wrote_it(self, metric):
        result = caplens.score(CANDIDATES, REFERENCES, metric)
        for score in result.values():
            assert caplens.metric(score.signature) == metric
            again = caplens.score(CANDIDATES, REFERENCES, score.signature)
            assert again[score.name].signature == score.signature
            np.testing.assert_equal(again[score.name].score, score.score)  # NaN where there is none

    def test_the_random_metrics_above_are_all_there_are(self):
        assert set(names()) - CONTEXTUAL == {
            "bleu", "bleu_smoothed", "meteor", "rouge", "cider", "spice", "spider", "wmd", "wembsim", "scenesim",
            "embedding_average", "vector_extrema", "greedy_matching", "critique", "chair", "diversity", "fluency",
            "mean", "sum", "lens", "lens_s",
            *map(str.lower, COMPOSITES),
        }  # fmt: skip

    @pytest.mark.parametrize("name", [name for name in names() if name not in CONTEXTUAL])
    def test_it_says_version_rows_and_references(self, name):
        score = next(iter(caplens.score(CANDIDATES, REFERENCES, name).values()))
        (request,) = parse(score.signature)
        facts = dict(request.facts)
        assert facts["caplens"] == caplens.__version__
        assert (facts["rows"], facts["references"]) == ("3", "1-3")
        # The weights of a composite decide on the tokenizer: it is a fact of theirs, not an option.
        assert all("tokenizer" in {**dict(each.options), **facts} for each in request.inputs or [request])

    def test_cider_says_its_documents(self):
        def df(references):
            facts = dict(parse(caplens.score(CANDIDATES, references, "cider")["CIDEr"].signature)[0].facts)
            return facts["documents"], facts["df"]

        documents, fingerprint = df(REFERENCES)
        assert documents == "3"
        assert re.fullmatch("[0-9a-f]{12}", fingerprint)
        assert df([list(reversed(references)) for references in REFERENCES]) == (documents, fingerprint)
        assert df([*REFERENCES[:2], ["a cat", "the cat sits", "the mat"]])[1] != fingerprint

    def test_an_odd_label_and_an_odd_path_survive(self, tmp_path):
        path = tmp_path / "it's a (df), of |mine|=.parquet"
        from caplens.api.frequencies import build_frequencies

        build_frequencies(REFERENCES, path)
        metric = metric_class("cider")(df=str(path), label='my "own", (CIDEr)')
        signature = caplens.score(CANDIDATES, REFERENCES, metric)['my "own", (CIDEr)'].signature
        assert caplens.metric(signature) == metric


class TestRegistry:
    @pytest.mark.parametrize("text", ["cider", "CIDER", "CIDEr", "cider-d", "CIDErD"])
    def test_names_ignore_case_and_have_aliases(self, text):
        assert caplens.metric(text) == metric_class("cider")()

    @pytest.mark.parametrize("text", ["rouge", "ROUGE_L", "rougel", "Rouge-L"])
    def test_aliases_of_rouge(self, text):
        assert caplens.metric(text) == metric_class("rouge")()

    @pytest.mark.parametrize("text", ["BLEU(N=2, LENGTH=COCO, Tokenizer=NONE)", "bleu(n=2,length=coco,tokenizer=none)"])
    def test_options_and_their_choices_ignore_case(self, text):
        assert caplens.metric(text) == metric_class("bleu")(n=2, length="coco", tokenizer="none")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("blue", "There is no metric 'blue'; did you mean 'bleu'?"),
            ("cidre", "There is no metric 'cidre'; did you mean 'cider'?"),
            (
                "xyz",
                f"There is no metric 'xyz'; choose from {', '.join([*names(), *GROUPS])}.",
            ),
            ("spice(repeat=twice)", "spice(repeat=...) must be one of any, once, not 'twice'."),
            ("spice(synonyms=no)", "spice(synonyms=...) must be true or false, not 'no'."),
            ("spider(cider)", "spider does not combine other metrics; write options as key=value."),
            ("bleu(m=4)", "bleu has no option 'm'; it has label, n, length, tokenizer, report."),
            ("bleu(n=four)", "bleu(n=...) must be a whole number from 1 to 9, not 'four'."),
            ("bleu(n=0)", "bleu(n=...) must be a whole number from 1 to 9, not '0'."),
            ("bleu(n=2.5)", "bleu(n=...) must be a whole number from 1 to 9, not '2.5'."),
            ("rouge(beta=nan)", "rouge(beta=...) must be a number from 1e-06 to 1e+06, not 'nan'."),
            ("rouge(beta=inf)", "rouge(beta=...) must be a number from 1e-06 to 1e+06, not 'inf'."),
            ("cider(sigma=-1)", "cider(sigma=...) must be a number from 1e-06 to 1e+06, not '-1'."),
            ("bleu(length=shortest)", "bleu(length=...) must be one of closest, coco, not 'shortest'."),
            (
                "bleu(tokenizer=spacy)",
                "There is no tokenizer 'spacy'; choose one of ptb, none, intl, char, zh-char, zh, ja, ko, th.",
            ),
            ("bleu(rouge)", "bleu does not combine other metrics; write options as key=value."),
            ("coco(n=4)", "'coco' is a group and takes no options; pass them to its metrics."),
            ("bleu(label=id)", "'id' cannot be the label of a result: choose another name."),
            ("bleu(label='')", "'' cannot be the label of a result: choose another name."),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, text, message):
        with pytest.raises(caplens.UsageError) as refused:
            select(text)
        assert str(refused.value) == message

    def test_one_metric_is_no_group_and_no_list(self):
        with pytest.raises(caplens.UsageError, match="'coco' is a group of metrics, not one: choose from bleu,"):
            caplens.metric("coco")
        with pytest.raises(caplens.UsageError, match="One metric was expected, not 2: 'bleu, rouge'"):
            caplens.metric("bleu, rouge")

    @pytest.mark.parametrize(
        ("wanted", "message"), [([], "No metric"), ("", "name was expected"), ([5], "by its name, not")]
    )
    def test_nothing_and_nonsense_are_refused(self, wanted, message):
        with pytest.raises(caplens.UsageError, match=message):
            select(wanted)

    @needs_meteor
    def test_the_default_is_the_group_coco_and_lens(self):
        selection = select()
        assert [metric.name for metric in selection.metrics] == ["bleu", "meteor", "rouge", "cider", "spice", "lens"]
        assert selection.left_out == ()
        assert select("COCO").metrics == selection.metrics[:-1]

    @needs_meteor
    def test_the_default_leaves_out_what_is_english_in_another_language(self):
        selection = select(language="de")
        assert [metric.name for metric in selection.metrics] == ["bleu", "meteor", "rouge", "cider"]
        assert [str(notice) for notice in selection.left_out[1:]] == [
            "spice is omitted from 'coco': spice is for English captions only: its parser and its synsets are English.",
            "lens is omitted from 'coco, lens': lens is for English captions only: its encoder was trained on English "
            "captions.",
        ]
        with pytest.raises(caplens.UsageError, match="lens is for English captions only"):
            select("lens", language="de")

    def test_a_metric_without_its_data_is_left_out_or_refused(self, monkeypatch):
        monkeypatch.setattr(resources, "PACKAGE", "a-package-that-nobody-has")
        install = 'its data files are not installed: pip install "caplens[meteor]"'
        assert str(select().left_out[0]) == f"meteor is omitted from 'coco': {install}"
        with pytest.raises(caplens.MissingDataError) as refused:
            select("meteor")
        assert str(refused.value) == f"meteor cannot run here: {install}"

    @needs_meteor
    def test_all_are_all(self):
        selection = select("all")
        found = [metric.request().name for metric in selection.metrics]
        assert [name for name in names() if name not in CONTEXTUAL] == [
            name for name in found if name not in CONTEXTUAL
        ]
        assert [name for name in names() if name != "given"] == list(GROUPS["all"])
        left_out = [str(notice) for notice in selection.left_out]
        assert any("wembsim_e is omitted from 'all': it needs the file" in said for said in left_out)
        assert any("composite is omitted from 'all': it needs weights" in said for said in left_out)

    def test_the_same_metric_twice_is_run_once(self):
        assert len(select("bleu, BLEU(), bleu(n=4), coco").metrics) == len(select("coco").metrics)

    @pytest.mark.parametrize(
        "text",
        ["cider, cider(n=2)", "bleu(n=2), bleu", "rouge(label=CIDER), cider", "spice, rouge(label=spice_Precision)"],
    )
    def test_keys_that_clash_need_a_label(self, text):
        with pytest.raises(caplens.UsageError, match=r"would both be called .*: give one a label, such as \w+\(label="):
            select(text)

    def test_labels_name_results(self):
        result = caplens.score(CANDIDATES, REFERENCES, "cider, cider(n=2, label=Short), bleu(n=2, label=B)")
        assert list(result) == ["CIDEr", "Short", "B_1", "B_2"]
        assert result["short"].score != result["cider"].score

    def test_the_tokenizer_of_a_call_yields_to_that_of_a_metric(self):
        chosen = select("bleu, rouge(tokenizer=char)", tokenizer="none").metrics
        assert [metric.tokenizer for metric in chosen] == ["none", "char"]

    def test_metrics_and_texts_can_be_mixed(self):
        assert [metric.name for metric in select([caplens.metric("rouge"), "bleu, cider"]).metrics] == [
            "rouge",
            "bleu",
            "cider",
        ]

    @pytest.mark.parametrize("wanted", [3, [3], ["rouge", None], b"rouge", 1.5])
    def test_what_is_no_request_is_refused(self, wanted):
        with pytest.raises(caplens.UsageError, match="Request a metric by its name, not by "):
            select(wanted)
        with pytest.raises(caplens.UsageError, match="Request a metric by its name, not by "):
            caplens.metric(wanted)
