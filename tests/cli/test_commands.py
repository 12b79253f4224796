"""The commands as a user runs them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.command_line import refuse, run, succeed, write_rows

import caplens
from caplens.api.checkup import PACKAGES

ROWS = [
    {"id": 1, "candidate": "a man rides a horse", "references": ["a man on a horse", "a person rides"]},
    {"id": 2, "candidate": "two dogs", "references": ["two dogs run"]},
    {"id": 3, "candidate": "a cat on a mat", "references": ["a cat", "the cat sits"]},
]


@pytest.fixture
def rows(tmp_path):
    return write_rows(tmp_path / "rows.jsonl", ROWS)


@pytest.fixture
def human(example_dir):
    return [example_dir / "human.json", "-r", example_dir / "references.json"]


@pytest.fixture
def two(example_dir):
    return [example_dir / "human.json", example_dir / "degraded.json", "-r", example_dir / "references.json"]


def scores_in(text):
    """The scores in a printed table, by key."""
    lines = [line.split() for line in text.splitlines()]
    found = [line[:2] for line in lines if len(line) == 5 and line[3] == ".."]
    return {key: None if score == "-" else float(score) for key, score in found}


class TestScore:
    def test_it_prints_a_table_and_signatures(self, human, example_dir):
        expected = caplens.score(caplens.load_corpus(human[0], human[2]), metrics="bleu, rouge, cider")
        done = run("score", *human, "-m", "bleu,rouge,cider")
        assert done.stderr == b""
        text = done.stdout.decode()
        assert scores_in(text) == {key: round(score.score, 4) for key, score in expected.items()}
        signatures = [line for line in text.splitlines() if "|" in line]
        assert signatures == list(dict.fromkeys(score.signature for score in expected.values()))

    def test_quiet_prints_only_results(self, rows):
        loud, quiet = run("score", rows), run("score", rows, "--quiet")
        assert b"warning: CIDEr's document frequencies come from only 3 rows" in loud.stderr
        assert quiet.stderr == b""
        assert scores_in(quiet.stdout.decode()) == scores_in(loud.stdout.decode())
        assert b"caplens:" in loud.stdout
        assert b"caplens:" not in quiet.stdout

    def test_oddities_are_warned_about_on_stderr(self, tmp_path):
        odd = [dict(ROWS[0], candidate="a\u2028man"), dict(ROWS[1], candidate=" ")]
        done = run("score", write_rows(tmp_path / "odd.jsonl", odd), "-m", "rouge")
        assert done.returncode == 0
        assert done.stderr.decode().splitlines() == [
            "warning: 1 candidate without any text (2)",
            "warning: 1 candidate with unusual line separators (CR, VT, FF, U+0085, U+2028, U+2029), "
            "treated as white space (1)",
        ]

    def test_stdin_gzip_and_plain_are_the_same(self, rows, tmp_path):
        packed = tmp_path / "rows.gz"
        packed.write_bytes(gzip.compress(rows.read_bytes()))
        plain = succeed("score", rows, "-m", "bleu, rouge, cider, spice, wmd")
        assert succeed("score", packed, "-m", "bleu, rouge, cider, spice, wmd") == plain
        assert succeed("score", "-", "-m", "bleu, rouge, cider, spice, wmd", stdin=rows.read_bytes()) == plain
        assert succeed("score", "-", "-m", "bleu, rouge, cider, spice, wmd", stdin=packed.read_bytes()) == plain

    def test_candidates_and_references_in_two_files(self, tmp_path, rows):
        (tmp_path / "c.json").write_text(json.dumps({row["id"]: row["candidate"] for row in ROWS}))
        (tmp_path / "r.json").write_text(json.dumps({row["id"]: row["references"] for row in ROWS}))
        apart = succeed("score", tmp_path / "c.json", "-r", tmp_path / "r.json", "-m", "bleu, rouge, cider, spice, wmd")
        assert apart == succeed("score", rows, "-m", "bleu, rouge, cider, spice, wmd")

    def test_plain_text_with_several_files_of_references(self, tmp_path):
        for name, lines in {"c": "a dog\na cat\n", "r0": "a dog\nthe cat\n", "r1": "one dog\na cat\n"}.items():
            (tmp_path / f"{name}.txt").write_text(lines)
        text = succeed("score", "c.txt", "-r", "r0.txt", "-r", "r1.txt", "-m", "rouge", folder=tmp_path)
        assert scores_in(text) == {"ROUGE_L": 1}

    @pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "parquet"])
    def test_output_files(self, rows, tmp_path, suffix):
        out = tmp_path / f"out.{suffix}"
        out.write_text("from an earlier run, longer than what comes now" * 1000)
        succeed("score", rows, "-m", "rouge", "-o", out)
        expected = caplens.score(caplens.load_corpus(rows), metrics="rouge")["ROUGE_L"].item_scores.tolist()
        if suffix == "json":
            found = [item["scores"] for item in json.loads(out.read_text())["items"]]
        elif suffix == "jsonl":
            found = [json.loads(line) for line in out.read_text().splitlines()]
        elif suffix == "csv":
            found = list(csv.DictReader(io.StringIO(out.read_text())))
        else:
            found = pq.read_table(out).to_pylist()
        assert [float(row["ROUGE_L"]) for row in found] == expected
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([out.name, rows.name])

    @pytest.mark.parametrize("tokenizer", ["ptb", "none", "intl", "char", "PTB"])
    def test_tokenizers(self, rows, tokenizer):
        text = succeed("score", rows, "-m", "rouge", "--tokenizer", tokenizer)
        assert f"tokenizer={tokenizer.lower()}" in text

    @pytest.mark.parametrize(("mode", "score"), [("skip", 1), ("zero", 0.5)])
    def test_missing(self, tmp_path, mode, score):
        missing = write_rows(
            tmp_path / "m.jsonl",
            [{"id": 1, "candidate": "a", "references": ["a"]}, {"id": 2, "candidate": "b", "references": []}],
        )
        done = run("score", missing, "-m", "rouge", "--missing", mode)
        assert scores_in(done.stdout.decode()) == {"ROUGE_L": score}
        assert b"1 of 2 candidates in " in done.stderr
        assert "use --missing skip to skip them or --missing zero to score them 0." in refuse("score", missing)

    def test_columns(self, tmp_path):
        (tmp_path / "t.csv").write_text('image,hyp,gold\n7,a dog,a dog\n8,a cat,"a cat, sitting"\n')
        names = "id=image,candidate=hyp,references=gold"
        out = tmp_path / "o.jsonl"
        succeed("score", tmp_path / "t.csv", "--columns", names, "-m", "rouge", "-o", out)
        assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["7", "8"]
        assert "has no column 'nope'" in refuse("score", tmp_path / "t.csv", "--columns", "candidate=nope")

    def test_split_of_a_karpathy_file(self, tmp_path):
        images = [
            {"cocoid": 1, "split": "test", "sentences": [{"raw": "a dog"}]},
            {"cocoid": 2, "split": "train", "sentences": [{"raw": "a cat"}]},
        ]
        (tmp_path / "k.json").write_text(json.dumps({"images": images, "dataset": "coco"}))
        (tmp_path / "c.json").write_text(json.dumps([{"image_id": 1, "caption": "a dog"}]))
        command = ["score", tmp_path / "c.json", "-r", tmp_path / "k.json", "-m", "rouge"]
        assert b"1 reference set without a candidate" in run(*command).stderr
        assert run(*command, "--split", "test").stderr == b""
        assert "2 candidates" not in refuse(*command, "--split", "train")

    def test_parquet_and_input_format(self, tmp_path, rows):
        pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "t.parquet")
        assert scores_in(succeed("score", tmp_path / "t.parquet")) == scores_in(succeed("score", rows))
        lines = succeed("score", rows, "-r", rows, "--input-format", "text", "-m", "rouge")
        assert scores_in(lines) == {"ROUGE_L": 1}

    def test_the_seed_decides_the_intervals(self, human, tmp_path):
        outputs = [succeed("score", *human, "-m", "cider", "--seed", seed) for seed in (1, 1, 2)]
        assert outputs[0] == outputs[1] != outputs[2]
        assert scores_in(outputs[0]) == scores_in(outputs[2])

    def test_jobs_do_not_change_a_number(self, human, tmp_path):
        for jobs in (1, 2):
            succeed(
                "score", *human, "-m", "coco, spider, wmd, wembsim", "--jobs", jobs, "-o", tmp_path / f"{jobs}.json"
            )
        assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()

    def test_a_much_larger_file_works(self, tmp_path, example_dir):
        """Fifty times the example: with images as documents every number stays; the threads get several blocks."""
        corpus = caplens.load_corpus(example_dir / "human.json", example_dir / "references.json")
        rows = [
            {
                "id": f"{copy}-{corpus.ids[row]}",
                "candidate": corpus.candidates[row],
                "references": corpus.references.texts(row),
            }
            for copy in range(50)
            for row in range(250)
        ]
        path = write_rows(tmp_path / "many.jsonl", rows)
        metrics = "bleu, rouge, cider(df_documents=images)"
        many = succeed("score", path, "-m", metrics, "-o", tmp_path / "many.parquet")
        small = (example_dir / "human.json", "-r", example_dir / "references.json")
        once = scores_in(succeed("score", *small, "-m", "bleu, rouge, cider"))
        assert scores_in(many) == once
        assert pq.read_metadata(tmp_path / "many.parquet").num_rows == 12_500

    def test_one_order_of_bleu_alone(self, rows):
        everything = scores_in(succeed("score", rows, "-m", "bleu"))
        assert scores_in(succeed("score", rows, "-m", "bleu_4")) == {"Bleu_4": everything["Bleu_4"]}
        assert scores_in(succeed("score", rows, "-m", "BLEU2")) == {"Bleu_2": everything["Bleu_2"]}

    def test_several_files_are_for_compare(self, rows):
        message = refuse("score", rows, "b.json")
        assert f"run caplens compare {rows} b.json -r REFERENCES" in message


class TestCompare:
    def test_it_prints_scores_tests_and_the_floor(self, two):
        text = succeed("compare", *two, "-m", "bleu(n=1), cider")
        assert "human minus degraded" in text
        assert "1,000 resamples each (smallest p 0.001)" in text

    def test_output_and_baseline(self, two, tmp_path):
        succeed("compare", *two, f"third={two[0]}", "-m", "cider", "--baseline", "degraded", "-o", tmp_path / "o.json")
        data = json.loads((tmp_path / "o.json").read_text())
        assert list(data["systems"]) == ["human", "degraded", "third"]
        assert [(test["first"], test["second"]) for test in data["tests"]] == [
            ("human", "degraded"),
            ("third", "degraded"),
        ]

    def test_several_runs_of_a_system(self, two, tmp_path):
        output = tmp_path / "o.json"
        text = succeed("compare", f"ours={two[0]},{two[1]}", f"theirs={two[1]}", *two[2:], "-m", "rouge", "-o", output)
        assert "±" in text
        assert "p runs" in text
        data = json.loads(output.read_text())
        assert [entry["file"] for entry in data["inputs"]["candidates"].values()] == [*map(str, (*two[:2], two[1]))]
        assert list(data["inputs"]["candidates"]) == ["ours/1", "ours/2", "theirs"]
        entry = data["systems"]["ours"]["metrics"]["ROUGE_L"]
        assert entry["score"] == pytest.approx(sum(entry["runs"]) / 2)
        assert len(entry["runs"]) == 2

    def test_the_baseline_may_be_named_by_its_file(self, two):
        assert succeed("compare", *two, "-m", "rouge", "--baseline", two[1]) == succeed(
            "compare", *two, "-m", "rouge", "--baseline", "degraded"
        )

    def test_the_seed_decides(self, two, tmp_path):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            succeed("compare", *two, "-m", "rouge", "--seed", seed, "-o", tmp_path / f"{name}.json", "-q")
        first, second, third = ((tmp_path / f"{name}.json").read_bytes() for name in "abc")
        assert first == second != third

    def test_warnings_of_the_items_left_out(self, two, tmp_path):
        part = json.loads(two[1].read_text())[:100]
        (tmp_path / "part.json").write_text(json.dumps(part))
        done = run("compare", two[0], tmp_path / "part.json", *two[2:], "-m", "rouge")
        assert b"warning: 150 of 250 items of human are excluded because another system lacks them" in done.stderr
        assert b"100 common items" in done.stdout

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["{0}", "-r", "{r}"], "A comparison needs at least two systems."),
            (["{0}", "{1}"], "A comparison needs references: -r REFERENCES."),
            (["{0}", "{0}", "-r", "{r}"], "Two systems have the name 'human': write NAME=FILE to rename one."),
            (
                ["{0}", "{1}", "-r", "{r}", "--baseline", "x"],
                "The baseline 'x' is not one of the systems: human, degraded.",
            ),
            (["{0}", "nowhere.json", "-r", "{r}"], "There is no file nowhere.json: check the path."),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, two, arguments, sentence):
        files = {"r": two[3]}
        assert refuse("compare", *(part.format(*two[:2], **files) for part in arguments)) == sentence


class TestTables:
    def test_a_leaderboard_for_a_paper(self, two, tmp_path):
        command = ["compare", *two, "-m", "bleu, cider", "--style", "coco", "--no-intervals", "-q"]
        text = succeed(*command, "--format", "markdown", "-o", tmp_path / "paper.md", "-o", tmp_path / "paper.tex")
        expected = caplens.compare(
            {name: caplens.load_candidates(path) for name, path in zip(("human", "degraded"), two, strict=False)},
            caplens.load_references(two[3]),
            "bleu, cider",
        )
        scores = {name: [expected[name][key].score * 100 for key in ("Bleu_4", "CIDEr")] for name in expected.systems}
        assert text.splitlines() == [
            "| system | B@4 | C |",
            "| --- | ---: | ---: |",
            f"| human | **{scores['human'][0]:.1f}** | **{scores['human'][1]:.1f}** |",
            f"| degraded | {scores['degraded'][0]:.1f} | {scores['degraded'][1]:.1f} |",
        ]
        assert (tmp_path / "paper.md").read_text() == text
        assert r"\toprule" in (tmp_path / "paper.tex").read_text()

    def test_the_same_for_one_system(self, rows):
        table = list(csv.DictReader(io.StringIO(succeed("score", rows, "-m", "rouge", "--format", "csv", "-q"))))
        (row,) = table
        assert list(row) == ["system", "ROUGE_L", "ROUGE_L_low", "ROUGE_L_high"]
        assert row["system"] == "rows"

    def test_the_width_of_a_pipe(self, two, monkeypatch):
        monkeypatch.setenv("COLUMNS", "60")
        narrow = succeed("compare", *two, "-m", "rouge, cider")
        assert max(map(len, narrow.splitlines())) <= 60
        monkeypatch.setenv("COLUMNS", "many")
        assert max(map(len, succeed("compare", *two, "-m", "rouge, cider").splitlines())) > 80


class TestExplain:
    def test_a_caption(self):
        text = succeed("explain", "a man rides", "--reference", "a man", "--reference", "he rides", "-m", "rouge, bleu")
        assert "rouge(beta=1.2, tokenizer=ptb)" in text
        assert "[a] [man] rides" in text
        assert "Bleu_4" in text

    def test_a_row_of_a_file(self, human, tmp_path):
        out = tmp_path / "why.json"
        corpus = caplens.load_corpus(human[0], human[2])
        text = succeed("explain", *human, "--id", corpus.ids[7], "-m", "cider", "-o", out)
        (data,) = json.loads(out.read_text())["explanations"]
        expected = caplens.score(corpus, metrics="cider")["CIDEr"].item_scores[7]
        assert data["scores"]["CIDEr"] == pytest.approx(expected)
        assert f"{expected:.4f}" in text
        assert data["candidate"] == corpus.candidates[7]

    def test_a_row_that_carries_its_references(self, rows):
        assert "two dogs run" in succeed("explain", rows, "--id", "2", "-m", "rouge")

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["a dog"], 'Specify what to compare with: --reference "TEXT"'),
            (["a dog", "--reference", "a", "--id", "1"], "Use either --reference TEXT or FILE -r REFERENCES --id ID"),
            (["a dog", "--reference", "a", "-o", "x.csv"], "'x.csv' cannot be written: its name must end in .json or"),
            (["{rows}", "--id", "9"], "There is no row with the id '9'; there are 1, 2, 3."),
            (["nowhere.jsonl", "--id", "9"], "There is no file nowhere.jsonl"),
        ],
    )
    def test_mistakes_are_said_in_one_sentence(self, rows, arguments, words):
        assert words in refuse("explain", *(part.format(rows=rows) for part in arguments))


class TestDf:
    def test_one_image_scores_as_in_the_whole_corpus(self, human, tmp_path):
        text = succeed("df", "build", human[2], "-o", tmp_path / "df.parquet")
        assert text == f"{tmp_path / 'df.parquet'}: 2,402 n-grams of 250 documents\n"
        corpus = caplens.load_corpus(human[0], human[2])
        whole = caplens.score(corpus, metrics="cider")["CIDEr"].item_scores
        one = tmp_path / "one.json"
        one.write_text(json.dumps({corpus.ids[5]: corpus.candidates[5]}))
        out = tmp_path / "o.json"
        succeed("score", one, "-r", human[2], "-m", "cider(df=df.parquet)", "-o", out, folder=tmp_path)
        (item,) = json.loads(out.read_text())["items"]
        assert item["scores"]["CIDEr"] == pytest.approx(whole[5], abs=1e-12)

    def test_another_tokenizer_is_refused(self, human, tmp_path):
        succeed("df", "build", human[2], "-o", tmp_path / "df.parquet", "--tokenizer", "intl", "-q")
        message = refuse("score", *human, "-m", "cider(df=df.parquet)", folder=tmp_path)
        assert "df.parquet were counted with tokenizer=intl (not stemmed), but this CIDEr uses tokenizer=ptb" in message
        assert succeed("score", *human, "-m", "cider(df=df.parquet)", "--tokenizer", "intl", folder=tmp_path)

    def test_stems_for_the_plain_variant(self, human, tmp_path):
        assert succeed("df", "build", human[2], "-o", tmp_path / "df.parquet", "--stem", "-q") == ""
        text = succeed("score", *human, "-m", "cider(df=df.parquet, variant=plain)", folder=tmp_path)
        assert scores_in(text) == scores_in(succeed("score", *human, "-m", "cider(variant=plain)"))

    def test_the_name_is_checked_before_any_work(self):
        assert refuse("df", "build", "nowhere.json", "-o", "df.csv").startswith("'df.csv' cannot be written")


class TestInformation:
    def test_metrics(self, monkeypatch):
        monkeypatch.setenv("COLUMNS", "120")
        text = succeed("metrics")
        for name in ("bleu", "bleu_smoothed", "rouge", "cider", "Vedantam et al. 2015"):
            assert name in text

    def test_doctor_knows_every_extra(self):
        text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
        extras = tomllib.loads(text)["project"]["optional-dependencies"]
        known = {package.lower() for package, *_ in PACKAGES}
        for extra in set(extras) - {"all", "dev", "docs", "release"}:  # all but one for developers
            named = {re.split(r"[<>=~ \[]", package)[0].lower() for package in extras[extra]}
            assert named - {"caplens"} <= known, extra

    def test_vectors_can_be_removed(self, tmp_path, monkeypatch):
        monkeypatch.setenv("CAPLENS_VECTORS", str(tmp_path / "vectors"))
        (tmp_path / "v.txt").write_text("dog 1 2\ncat 2 1\n")
        succeed("vectors", "import", tmp_path / "v.txt", "--name", "mine")
        assert "mine" in succeed("vectors", "list")
        assert succeed("vectors", "remove", "mine").startswith("removed ")
        assert refuse("vectors", "remove", "mine") == "There is no imported table 'mine'; imported: none."
        assert "ships with caplens" in refuse("vectors", "remove", "captions")

    def test_options_of_a_metric(self):
        text = succeed("metrics", "CIDEr")
        for option in ("label", "n", "sigma", "variant", "df", "df_documents", "tokenizer"):
            assert any(line.split()[:1] == [option] for line in text.splitlines()), option

    def test_an_unknown_metric(self):
        assert refuse("metrics", "cidre") == "There is no metric 'cidre'; did you mean 'cider'?"

    def test_doctor(self):
        text = succeed("doctor")
        assert ["caplens", "ok", caplens.__version__] in [line.split() for line in text.splitlines()]
        assert "MISSING" not in text

    def test_version(self):
        assert succeed("--version") == f"caplens {caplens.__version__}\n"

    @pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
    def test_help_lists_the_commands(self, arguments):
        text = succeed(*arguments)
        for command in ("score", "compare", "explain", "metrics", "doctor", "df"):
            assert f"\n  {command} " in text

    @pytest.mark.parametrize("command", ["score", "compare", "explain", "metrics", "doctor", "df", "df build"])
    def test_every_command_has_help(self, command):
        assert f"Usage: caplens {command}" in succeed(*command.split(), "--help")


class TestOutputs:
    def test_metrics_accumulate(self, rows):
        together = succeed("score", rows, "-m", "rouge, bleu(n=1)", "-m", "cider")
        assert list(scores_in(together)) == ["ROUGE_L", "Bleu_1", "CIDEr"]
        assert together == succeed("score", rows, "-m", "rouge", "-m", "bleu(n=1), cider")

    @pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
    def test_files_accumulate_and_stdout_gets_what_a_file_would(self, rows, tmp_path, form):
        command = ["score", rows, "-m", "rouge"]
        shown = succeed(
            *command, "-o", tmp_path / "a.json", "-o", "-", "-o", tmp_path / "b.json.gz", "--output-format", form
        )
        assert gzip.decompress((tmp_path / "b.json.gz").read_bytes()) == (tmp_path / "a.json").read_bytes()
        succeed(*command, "-o", tmp_path / f"c.{form}")
        assert shown == (tmp_path / f"c.{form}").read_text().rstrip("\n") + "\n"

    def test_stdout_of_the_other_commands(self, two, rows):
        data = json.loads(succeed("compare", *two, "-m", "rouge", "-o", "-"))
        assert (data["schema"], list(data["items"][0]["scores"])) == (2, ["human", "degraded"])
        data = json.loads(succeed("explain", rows, "--id", "2", "-m", "rouge", "-m", "bleu", "-o", "-"))
        assert [one["metric"].partition("(")[0] for one in data["explanations"]] == ["rouge", "bleu"]

    def test_mistakes(self, rows):
        assert "-o - can be given only once" in refuse("score", rows, "-o", "-", "-o", "-")
        assert "The result cannot be written as csv" in refuse(
            "explain", rows, "--id", "2", "-o", "-", "--output-format", "csv"
        )
