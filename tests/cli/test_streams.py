"""Terminals that must not be commanded, streams that are closed or full, memory that is not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.command_line import CAPLENS, run, write_rows

# Clears the screen, sets the title, turns the line around, hides what follows, starts a new line.
EVIL = "7\x1b[2J\x1b]0;owned\x07\u202e\u2066\x9b31m\x7f"
FORBIDDEN = ("\x1b", "\x07", "\u202e", "\u2066", "\x9b", "\x7f")


def assert_harmless(*texts):
    for text in texts:
        decoded = text.decode()
        assert not [character for character in FORBIDDEN if character in decoded]


@pytest.fixture
def rows(tmp_path):
    return write_rows(tmp_path / "rows.jsonl", [{"id": 1, "candidate": "a dog", "references": ["a dog runs"]}])


class TestTerminal:
    def test_ids_in_warnings(self, tmp_path):
        done = run("score", write_rows(tmp_path / "r.jsonl", [{"id": EVIL, "candidate": "", "references": ["a"]}]))
        assert done.returncode == 0
        assert rb"(7\x1b[2J\x1b]0;owned\x07\u202e\u2066\x9b31m\x7f)" in done.stderr
        assert_harmless(done.stdout, done.stderr)

    def test_ids_and_file_names_in_errors(self, tmp_path):
        done = run(
            "score", write_rows(tmp_path / "r.jsonl", [{"id": f"a\nb{EVIL}", "candidate": "", "references": []}])
        )
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
        named = run("score", f"nowhere{EVIL}.json")
        assert (named.returncode, named.stderr.count(b"\n")) == (2, 1)
        unknown = run("score", "x", f"--{EVIL}")
        assert (unknown.returncode, unknown.stderr.count(b"\n")) == (2, 1)
        assert_harmless(done.stderr, named.stderr, unknown.stderr)

    def test_columns(self, tmp_path):
        (tmp_path / "t.csv").write_text(f"id,{EVIL}\n1,a\n")
        done = run("score", tmp_path / "t.csv", "--columns", "candidate=nope")
        assert done.returncode == 2
        assert_harmless(done.stderr)

    def test_labels_signatures_and_names_of_systems(self, rows, tmp_path):
        done = run("score", rows, "-m", f'rouge(label="{EVIL}")')
        assert done.returncode == 0
        two = run("compare", f"{EVIL}={rows}", f"b\nc={rows}", "-r", rows, "-m", "rouge")
        assert two.returncode == 0, two.stderr
        assert rb"b\nc" in two.stdout
        assert_harmless(done.stdout, done.stderr, two.stdout, two.stderr)

    def test_codes_of_emoji_stay_as_they_are(self, rows):
        done = run("score", rows, "-m", 'rouge(label=":dog:")')
        assert done.stdout.decode().count(":dog:") == 2  # in the table and in the signature

    def test_tuples_of_scene_graphs(self, tmp_path):
        """Their words are cleaned as captions are, and written as escapes in JSON, which come back when it is read."""
        graph = [["man"], ["man", f"\\u001b[2J{EVIL}"]]
        path = write_rows(tmp_path / "r.jsonl", [{"id": 1, "candidate": "a man", "references": [graph]}])
        done = run("explain", path, "--id", "1", "-m", "spice")
        assert done.returncode == 0, done.stderr
        assert_harmless(done.stdout, done.stderr)

    def test_captions(self):
        done = run("explain", f"a dog {EVIL}", "--reference", f"a {EVIL}", "-m", "rouge, bleu", "--tokenizer", "none")
        assert done.returncode == 0, done.stderr
        assert_harmless(done.stdout, done.stderr)

    def test_messages_about_files(self, rows, tmp_path):
        out = "d\x1b[2Jf.parquet"
        done = run("df", "build", rows, "-o", out, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / out).exists()  # the name itself is the user's business
        assert_harmless(done.stdout)


def shell(command, **more):
    return subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False, **more)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full there")  # noqa: PTH110
class TestFullAndClosed:
    @pytest.mark.parametrize("command", ["score {rows} -m rouge -q", "metrics", "--help", "--version", "df"])
    @pytest.mark.parametrize("target", ["> /dev/full", ">&-"])
    def test_stdout_that_takes_nothing_is_one_sentence(self, rows, command, target):
        done = shell(f"'{CAPLENS}' {command.format(rows=rows)} {target}")
        assert done.returncode == 2
        reason = b"No space left on device" if "full" in target else b"Bad file descriptor"
        assert done.stderr == b"caplens: The result cannot be printed: " + reason + b".\n"

    def test_the_file_is_written_all_the_same(self, rows, tmp_path):
        done = shell(f"'{CAPLENS}' score rows.jsonl -m rouge -o out.json >&-", cwd=tmp_path)
        assert done.returncode == 2
        assert json.loads((tmp_path / "out.json").read_text())["items"][0]["id"] == "1"

    @pytest.mark.parametrize("target", ["2> /dev/full", "2>&-"])
    def test_a_warning_that_nobody_can_hear_costs_no_result(self, rows, tmp_path, target):
        done = shell(f"'{CAPLENS}' score rows.jsonl -m cider -o out.json {target}", cwd=tmp_path)
        assert done.returncode == 0
        assert b"CIDEr" in done.stdout
        assert json.loads((tmp_path / "out.json").read_text())["warnings"]
        refused = shell(f"'{CAPLENS}' score nowhere.json {target}", cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, b"")

    def test_all_three_closed(self, rows, tmp_path):
        """Else the output file would get the number of a standard stream, and what is printed would go into it."""
        done = shell(f"'{CAPLENS}' score rows.jsonl -m cider -o out.json <&- >&- 2>&-", cwd=tmp_path)
        assert done.returncode == 2
        assert json.loads((tmp_path / "out.json").read_text())["metrics"]["CIDEr"]


def test_memory_that_is_not_there_is_one_sentence(rows):
    code = (
        "import caplens.api.scoring as s\n"
        "def score(*arguments, **options): raise MemoryError\n"
        "s.score = score\n"
        "from caplens.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "score", str(rows)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("caplens: There is not enough memory")
    assert done.stderr.count("\n") == 1


class TestLeaving:
    """The process ends without taking itself apart, but does what it was told to do at the end."""

    @staticmethod
    def leave(before):
        code = f"import atexit, sys, threading, time\n{before}\nfrom caplens.cli import main; main()"
        return subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False)

    def test_what_is_registered_is_done(self):
        done = self.leave("atexit.register(lambda: print('tidy'))")
        assert done.returncode == 0
        assert done.stdout.splitlines()[-1] == "tidy"

    def test_threads_are_waited_for(self):
        done = self.leave("threading.Thread(target=lambda: (time.sleep(2), print('late'))).start()")
        assert done.returncode == 0
        assert "late" in done.stdout.splitlines()

    def test_the_code_is_kept(self):
        done = subprocess.run([sys.executable, "-m", "caplens", "nonsense"], capture_output=True, check=False)
        assert done.returncode == 2
