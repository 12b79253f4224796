"""Scores of changed captions."""

from __future__ import annotations

import pytest

from caplens import study
from caplens.errors import InputError
from caplens.meta.probes.sensitivity import SENTENCES


class TestSensitivity:
    def test_the_sentences_of_the_paper(self):
        result = study("sensitivity", metrics="rouge, cider")
        assert list(result["ROUGE_L"]["scores"]) == list(SENTENCES)
        assert result["ROUGE_L"]["scores"]["original"] == pytest.approx(1)
        assert "one-document" in [notice.code for notice in result.warnings]

    def test_sentences_of_the_users_own(self, tmp_path):
        path = tmp_path / "sentences.csv"
        path.write_text("kind,sentence\noriginal,a dog runs\nmine,a cat runs\n")
        assert set(study("sensitivity", path, metrics="rouge")["ROUGE_L"]["scores"]) == {"original", "mine"}
        path.write_text("kind,sentence\nmine,a cat runs\n")
        with pytest.raises(InputError, match="no sentence of the kind 'original'"):
            study("sensitivity", path, metrics="rouge")
