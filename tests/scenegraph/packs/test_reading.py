"""Files of captions with their tuples."""

from __future__ import annotations

import json

import pytest

from caplens.errors import InputError
from caplens.scenegraph.packs.reading import odd_tokens, read_parses


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
        ('{"text":"a","tuples":[["a",""]]}', "an empty word"),
        (" \n", "There are no captions|empty"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, line, message):
    path = tmp_path / "parses.jsonl"
    path.write_text(line)
    with pytest.raises(InputError, match=message):
        read_parses(path)


def test_captions_that_no_tokens_equal_are_counted(tmp_path):
    """Captions as people write them, instead of their tokens, make a pack that is never of use."""
    path = tmp_path / "parses.jsonl"
    texts = ["A man.", "a dog's bone", "a dog 's bone", "1 1/2 cups of tea"]
    path.write_text("".join(json.dumps({"text": text, "tuples": [["man"]]}) + "\n" for text in texts))
    (notice,) = odd_tokens(read_parses(path))
    assert (notice.count, notice.level) == (2, "warning")
    assert "'A man.': 'a man'" in str(notice)
    assert odd_tokens([("a", "man")]) == []
