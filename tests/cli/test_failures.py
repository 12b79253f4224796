"""When things go wrong: exit codes, one sentence, nothing half done."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from tests.command_line import CAPLENS, refuse, run, write_rows


@pytest.fixture
def rows(tmp_path):
    return write_rows(tmp_path / "rows.jsonl", [{"id": 1, "candidate": "a dog", "references": ["a dog runs"]}])


@pytest.fixture(scope="module")
def much():
    """Many rows, as JSON lines."""
    generator = random.Random(6)
    words = ["".join(generator.choices("abcdefghij", k=6)) for _ in range(3000)]

    def captions(count):
        return [" ".join(generator.choices(words, k=10)) for _ in range(count)]

    rows = [{"id": number, "candidate": captions(1)[0], "references": captions(3)} for number in range(60_000)]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


class TestBadInput:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "is empty: there is nothing to read."),
            (b"[]", "contains no references; specify a reference file (-r REFERENCES)."),
            (b'[{"id": 1}]', "has no column of captions that can be recognised"),
            (b'[{"id": 1, "cand', "is not valid JSON"),
            (b'{"id": 1, "candidate": null, "references": ["a"]}', "1 candidate is not text (id 1)"),
            (b'{"id": 1, "candidate": "a", "references": [5]}', "1 reference is not text (id 1)"),
            (b'{"id": 1.5, "candidate": "a", "references": ["a"]}', "An id must be text or a whole number, not 1.5"),
            (b'{"id": [1], "candidate": "a", "references": ["a"]}', "An id must be text or a whole number, not [1]"),
            (b'{"id": 1, "candidate": "a", "references": ["a"]}\n' * 2, "The candidates in bad repeat 1 id (1)"),
            (b'{"id": 1, "candidate": "a", "references": []}', "1 of 1 candidates in bad has no references (1)"),
            (b'{"1": "a dog"}', "contains no references; specify a reference file (-r REFERENCES)."),
            (b"\x1f\x8b\x08\x00broken", "is a damaged or incomplete gzip file"),
            (b"\x89PNG\r\n\x1a\n\x00\x00", "is binary data"),
            (b'{"id": 1, "candidate": "caf\xe9", "references": ["a"]}', "UTF-8"),
            (b'{"a": {"b": [1, 2]}}', "JSON with an unsupported structure"),
        ],
    )
    def test_one_sentence_and_exit_code_2(self, tmp_path, content, words):
        (tmp_path / "bad").write_bytes(content)
        assert words in refuse("score", "bad", "-m", "bleu", folder=tmp_path)

    def test_references_with_odd_ids(self, tmp_path):
        (tmp_path / "c.json").write_text('{"1": "a"}')
        (tmp_path / "r.json").write_text('[{"image_id": [1], "caption": "a"}]')
        assert "not [1] (list)" in refuse("score", "c.json", "-r", "r.json", folder=tmp_path)

    def test_lines_beside_ids(self, tmp_path):
        (tmp_path / "c.txt").write_text("a dog\na cat\n")
        (tmp_path / "r.json").write_text(json.dumps({"391895": ["a dog"], "1": ["a cat"]}))
        assert refuse("score", "c.txt", "-r", "r.json", folder=tmp_path) == (
            "The candidates in c.txt are given by position but the references in r.json by id: use the same for both; "
            "if c.txt is a table, name its column of ids (--columns id=NAME)."
        )

    @pytest.mark.parametrize("header", ["id,text", "ID,Caption", "image_id;sentence", "image\tcomment"])
    def test_a_table_with_other_columns_is_no_prose(self, tmp_path, header):
        delimiter = next(sign for sign in ",;\t" if sign in header)
        (tmp_path / "c.csv").write_text(f"{header}\n1{delimiter}a dog\n2{delimiter}a cat\n")
        said = refuse("score", "c.csv", "-m", "bleu", folder=tmp_path)
        assert "has no column of captions that can be recognised" in said
        assert f"found {header.replace(delimiter, ', ')}; specify them, for example --columns" in said

    @pytest.mark.parametrize("path", ["nowhere.json", ".", "nowhere/"])
    def test_files_that_are_not_there(self, path, tmp_path):
        assert refuse("score", path, folder=tmp_path).startswith((f"There is no file {path}", f"{path} is a folder"))

    def test_seen_from_outside(self, tmp_path):
        (tmp_path / "c.json").write_text('{"1": "a", "2": "b"}')
        (tmp_path / "r.json").write_text('{"1": ["a"]}')
        done = run("score", "c.json", "-r", "r.json", folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode() == (
            "caplens: 1 of 2 candidates in c.json has no references in r.json (2): "
            "use --missing skip to skip them or --missing zero to score them 0.\n"
        )


class TestBadUsage:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["scor"], "No such command 'scor'"),
            (["score"], "Specify a candidate file"),
            (["scroe"], "No such command 'scroe'; did you mean 'score'? Try: caplens --help"),
            (
                ["score", "x", "--metric", "bleu"],
                "No such option '--metric'; did you mean '--metrics'? Try: caplens score --help",
            ),
            (["score", "x", "--refernces", "y"], "No such option '--refernces'; did you mean '--references'?"),
            (["score", "x", "--zzzzzz"], "No such option '--zzzzzz'. Try: caplens score --help"),
            (["score", "x", "-m"], "-m"),
            (["score", "x", "-m", "blue"], "There is no metric 'blue'; did you mean 'bleu'?"),
            (["score", "x", "-m", "bleu cider"], "separate names with commas"),
            (
                ["score", "x", "-m", "spice(categories=none.json)"],
                "The word lists none.json cannot be read: No such file",
            ),
            (["score", "x", "-m", "spice(parser=stanford)"], "There is no parser 'stanford'"),
            (["score", "x", "-m", "meteor(stages=4)"], "meteor has no option 'stages'"),
            (["score", "x", "-m", ""], "a metric's name was expected"),
            (["score", "x", "--tokenizer", "spacy"], "'spacy' is not one of"),
            (["score", "x", "--missing", "drop"], "'drop' is not one of"),
            (["score", "x", "--jobs", "0"], "--jobs"),
            (["score", "x", "--jobs", "many"], "--jobs"),
            (["score", "x", "--seed", "-3"], "--seed"),
            (["score", "{rows}", "--seed", str(1 << 70)], "`seed` must be at least 0 and less than 2**63"),
            (["score", "x", "--columns", "id"], "--columns takes pairs such as id=image,candidate=text, not 'id'."),
            (["score", "x", "--columns", "name=x"], "There is no column role 'name': choose from id, candidate,"),
            (["score", "x", "--input-format", "xml"], "There is no input format 'xml': choose from"),
            (["df", "biuld"], "No such command 'biuld'"),
            (["df", "build", "x"], "either -o OUT or --name NAME"),
        ],
    )
    def test_one_sentence_and_exit_code_2(self, rows, arguments, words):
        assert words in refuse(*(part.format(rows=rows) for part in arguments))

    def test_the_help_of_the_command_is_named(self):
        assert refuse("df", "build").endswith("Try: caplens df build --help")
        assert refuse("score", "--nope").endswith("Try: caplens score --help")


class TestOutput:
    @pytest.mark.parametrize(
        ("more", "sentence"),
        [
            (["--explain", "few"], "--explain takes a number of images, all or none, not 'few'."),
            (["--thumbnails"], "Thumbnails require pictures: specify their folder."),
            (["--pictures", "x", "-o", "page.json"], None),
        ],
    )
    def test_what_a_report_cannot_include_is_refused_before_any_work(self, more, sentence, tmp_path):
        message = refuse("score", "nowhere.json", "-o", "page.html", *more, folder=tmp_path)
        assert sentence is None or message.startswith(sentence)

    @pytest.mark.parametrize("out", ["nowhere/out.json", "rows.jsonl/out.json"])
    def test_a_folder_that_is_not_there_is_refused_before_any_work(self, rows, tmp_path, out):
        assert "cannot be written: there is no folder" in refuse("score", "missing.json", "-o", out, folder=tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]

    def test_a_failing_run_leaves_an_earlier_output_alone(self, rows, tmp_path):
        out = tmp_path / "out.json"
        out.write_text("earlier")
        refuse("score", "missing.json", "-o", out)
        assert out.read_text() == "earlier"

    @pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes there")
    def test_a_write_that_fails_midway_leaves_nothing(self, tmp_path):
        """A limit on the size of files stands for a full disk."""
        rows = write_rows(
            tmp_path / "rows.jsonl",
            [{"id": number, "candidate": "a dog", "references": ["a dog runs"]} for number in range(2000)],
        )
        (tmp_path / "out.json").write_text("earlier")
        limited = f"ulimit -f 8; exec '{CAPLENS}' score rows.jsonl -m bleu -o out.json -q"
        done = subprocess.run(["/bin/sh", "-c", limited], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, "caplens: out.json cannot be written: File too large.\n")
        assert rows.exists()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "rows.jsonl"]
        assert (tmp_path / "out.json").read_text() == "earlier"

    @pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
    @pytest.mark.parametrize("command", [["metrics"], ["--help"], ["doctor"], ["score", "{rows}", "-q"], ["df"]])
    def test_a_reader_that_leaves_early_is_no_error(self, rows, command):
        arguments = [part.format(rows=rows) for part in command]
        process = subprocess.Popen([CAPLENS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 0

    @pytest.mark.skipif(sys.platform == "win32", reason="no head there")
    def test_head(self):
        done = subprocess.run(
            f"'{CAPLENS}' metrics | head -n 2", shell=True, capture_output=True, text=True, check=True
        )
        assert "name" in done.stdout
        assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for children there")
class TestInterrupted:
    def interrupt(self, folder, content, finish, wait):
        """Feed stdin, then press Ctrl-C; writing returns when the command has read all but the last few KB."""
        (folder / "out.json").write_text("earlier")
        process = subprocess.Popen(
            [CAPLENS, "score", "-", "-m", "bleu, rouge, cider", "-o", "out.json"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        process.stdin.write(content)
        process.stdin.flush()
        if finish:
            process.stdin.close()
        time.sleep(wait)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(timeout=60)
        finally:
            process.kill()
            output, errors = process.stdout.read(), process.stderr.read()
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()
        return code, output, errors

    @pytest.mark.parametrize(
        ("finish", "wait"),
        [(False, 0.5), (True, 0), (True, 0.2), (True, 0.5)],
        ids=["reading", "parsing", "early", "later"],
    )
    def test_ctrl_c_ends_with_130_and_leaves_nothing(self, tmp_path, much, finish, wait):
        code, output, errors = self.interrupt(tmp_path, much, finish, wait)
        assert (code, output) == (130, b"")
        assert b"Traceback" not in errors
        assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
        assert (tmp_path / "out.json").read_text() == "earlier"


def test_a_bug_ends_with_1_and_a_traceback(rows):
    """What is not the user's mistake must not be dressed as one."""
    code = "import caplens.core.evaluator as e; e.run = None; from caplens.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "score", str(rows)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "TypeError: 'NoneType' object is not callable" in done.stderr


def test_nothing_is_read_from_the_terminal(rows):
    assert run("score", rows, "-m", "rouge", stdin=b"").returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_poor_locale_costs_no_result(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [CAPLENS, "explain", "一个 男人", "--reference", "一个 女人", "-m", "rouge", "--tokenizer", "char"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"[\u4e00] [\u4e2a] \u7537 [\u4eba]" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_shown_on_a_terminal_only(rows, quiet):
    screen, terminal = os.openpty()
    command = [CAPLENS, "score", str(rows), "-m", "cider", *(["--quiet"] if quiet else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, stdin=subprocess.DEVNULL, check=True)
    os.close(terminal)
    os.set_blocking(screen, False)
    try:
        shown = os.read(screen, 1 << 16)
    except OSError:  # nothing was written
        shown = b""
    os.close(screen)
    assert (b"words" in shown) is not quiet
    assert b"\x1b" not in done.stdout
