"""Files of captions with their tuples."""

from __future__ import annotations

import pytest

from caplens.errors import InputError
from caplens.scenegraph.packs.reading import read_parses


def test_lines_become_captions_and_the_first_counts(tmp_path):
    path = tmp_path / "parses.jsonl"
    first = '{"text":"a tall man","tuples":[["man"],["man","tall"]],"sents":[]}'
    path.write_text(first + '\n\n{"text":"a tall man","tuples":[]}\n')
    assert read_parses(path) == {("a", "tall", "man"): (("man",), ("man", "tall"))}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "Line 1 of .* is not a caption with its tuples"),
        ('{"text":"a"}', "Line 1 .*tuples"),
        ('{"text":"a","tuples":[["a","b","c","d"]]}', "a tuple of 4 words"),
        ('{"text":"a","tuples":[[]]}', "a tuple of 0 words"),
        ('{"text":"a","tuples":[["a",""]]}', "one to three"),
        (" \n", "There are no captions|empty"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, line, message):
    path = tmp_path / "parses.jsonl"
    path.write_text(line)
    with pytest.raises(InputError, match=message):
        read_parses(path)
