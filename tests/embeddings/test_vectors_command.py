"""``caplens vectors`` as typed."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from caplens.cli.vectors import group as app
from caplens.embeddings import library
from caplens.errors import InputError


def test_import_and_list(tmp_path, monkeypatch):
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "tables"))
    file = tmp_path / "my.vec"
    file.write_text("2 3\ndog 1 2 3\ncat 4 5 6\n")
    run = CliRunner().invoke
    done = run(app, ["import", str(file), "--limit", "1"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("my: 1 words, 3 dimensions (fasttext), in ")
    assert run(app, ["import", str(file), "--quiet", "--name", "other", "--kind", "word2vec", "--half"]).output == ""
    listed = run(app, ["list"]).output
    for word in ("captions", "raw", "my", "other", "word2vec", "fasttext", "56,000", "shipped with caplens"):
        assert word in listed
    assert "import" in run(app, []).output
    file.write_text("2 3\ndog 1 2 3\n")
    refused = run(app, ["import", str(file)])
    assert isinstance(refused.exception, InputError)
    with pytest.raises(InputError, match="has 1 of the 2 words"):
        raise refused.exception
