"""Pages as text: what they hold, where pictures come from, what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from markupsafe import escape
from tests.command_line import succeed

import caplens
from caplens.errors import InputError, UsageError
from caplens.report import ReportSettings, document_page, explanations_page, report_page
from caplens.report.data import data_of, data_of_document
from caplens.report.explaining import most_interesting
from caplens.report.pictures import pictures_of


def test_a_file_with_captions_gives_the_same_data(comparison):
    found, live = data_of_document(comparison.with_captions().to_dict()), data_of(comparison)
    assert (found.ids, found.captions, found.references) == (live.ids, live.captions, live.references)
    np.testing.assert_array_equal(found.scores, live.scores)
    assert found.summary()["board"] == live.summary()["board"]


def test_a_file_without_captions_is_refused(comparison):
    with pytest.raises(InputError, match="The file has no captions: write it with --with-captions"):
        document_page(comparison.to_dict())
    with pytest.raises(InputError, match="A report needs item scores"):
        document_page({"schema": 2, "study": "x"})


def test_a_server_links_scripts_and_is_asked_for_explanations(comparison):
    page = report_page(comparison, ReportSettings(explain="none"), linked="/static/report/", explain_url="/api/x")
    assert '<script type="module" src="/static/report/main.js">' in page
    assert 'data-explain-url="/api/x"' in page
    assert "caplens-explanations" not in page
    assert "Content-Security-Policy" not in page


def test_warnings_stand_with_the_scores_and_notes_with_the_methods(comparison):
    page = report_page(comparison, ReportSettings(explain="none"))
    scores, methods = page.partition('<section id="methods"')[::2]
    notes = [notice.message for notice in comparison.warnings if notice.level == "note"]
    assert notes
    for note in notes:
        assert escape(note) in methods
        assert escape(note) not in scores.partition("<section")[2]
    odd = caplens.score(["", "a dog"], [["a cat"], ["a dog"]], "rouge")
    assert '<p class="warning"><b>Warning:</b> 1 candidate' in report_page(odd)


def test_the_same_result_is_the_same_page(comparison):
    settings = ReportSettings(explain=5)
    assert report_page(comparison, settings) == report_page(comparison, settings)


def test_scores_that_do_not_exist_have_no_number():
    result = caplens.score(["", "a dog"], [["of"], ["a dog"]], "spice")
    assert data_of(result).items()["scores"][0][0][0] is None
    report_page(result)


def test_interesting_images_come_once_and_in_order():
    scores = np.random.default_rng(0).random((3, 2, 50))
    found = most_interesting(scores, 20).tolist()
    assert found == sorted(set(found))
    assert len(found) == 20
    assert most_interesting(scores, 50).tolist() == list(range(50))
    assert most_interesting(scores, 0).tolist() == []


class TestPictures:
    def test_files_are_found_by_id_and_by_number(self, tmp_path):
        for name in ("7.jpg", "COCO_val2014_000000000042.jpg", "notes.txt"):
            (tmp_path / name).write_bytes(b"")
        found = pictures_of(str(tmp_path), ["7", "42", "9"], tmp_path / "report.html")
        assert found["files"] == ["7.jpg", "COCO_val2014_000000000042.jpg", None]

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ("javascript:alert({id})", "Pictures are at http, https or file addresses, not javascript:"),
            ("nowhere", "takes a folder, or a pattern with {id}"),
        ],
    )
    def test_others_are_refused(self, given, sentence):
        with pytest.raises(UsageError, match=re.escape(sentence)):
            pictures_of(given, ["7"])

    def test_small_ones_are_embedded(self, tmp_path):
        image = pytest.importorskip("PIL.Image")
        image.new("RGB", (800, 600), "red").save(tmp_path / "7.png")
        result = caplens.score({"7": "a dog"}, {"7": ["a dog"]}, "rouge")
        page = report_page(result, ReportSettings(pictures=str(tmp_path), thumbnails=True))
        assert "data:image/jpeg;base64," in page


def test_explanations_are_text(page, tmp_path):
    explained = caplens.explain("<img src=x onerror=alert(1)>", ["a </script> dog"], "bleu")
    (tmp_path / "why.html").write_text(explanations_page([explained]), encoding="utf-8")
    page.goto((tmp_path / "why.html").as_uri())
    page.wait_for_selector("html[data-ready]")
    assert page.query_selector("main img") is None
    assert "a </script> dog" in page.inner_text("main")
    assert page.errors == []


def test_commands_write_pages(tmp_path, example_dir):
    files = [str(example_dir / name) for name in ("human.json", "degraded.json")]
    references = ["-r", str(example_dir / "references.json"), "-m", "rouge"]
    succeed("score", files[0], *references, "-o", str(tmp_path / "score.html"), "--explain", "3")
    succeed("compare", *files, *references, "-o", str(tmp_path / "compare.html"), "--explain", "none")
    succeed("explain", "a dog", "--reference", "a cat", "-m", "rouge", "-o", str(tmp_path / "why.html"))
    for name in ("score", "compare", "why"):
        assert (tmp_path / f"{name}.html").read_text(encoding="utf-8").startswith("<!doctype html>")
