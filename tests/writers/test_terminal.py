"""What people type is shown as they typed it."""

from __future__ import annotations

import caplens


def test_square_brackets_are_no_markup():
    result = caplens.score(["a dog"] * 2, [["a dog"]] * 2, 'rouge(label="[/x]")')
    assert "[/x]" in str(result)
    comparison = caplens.compare({"up[rl]": ["a dog"] * 2, "[/b]": ["a cat"] * 2}, [["a dog"]] * 2, "rouge")
    assert "up[rl] - [/b]" in str(comparison)
    explanation = caplens.explain("[/a] [dog] runs", ["[/a] [dog] cat"], "bleu", tokenizer="none")
    assert "[/a] [dog]" in str(explanation)
