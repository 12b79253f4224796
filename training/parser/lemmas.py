"""Lemmas by word and tag: rules over endings and a table of exceptions, both learnt from the silver parses.

    python training/parser/lemmas.py --output lemmas.json    # learn, measure on the development captions, write

The reference's lemma is a function of the word and the kind of its tag (plural noun, verb, anything else): of the pairs
in the silver parses three have two lemmas or more (brackets taken for verbs, and one ``plates`` taken for a name). The
most frequent lemma counts. So a word that was seen has a known lemma, and only unseen words rest on the rules. A
rule says what to cut from the end and what to add; the longest ending that has a rule decides. A word that its rules
get wrong goes into the table.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import msgspec
from runs import CACHE, SILVER, say
from silver import Parses, load_parses
from split import split

from caplens.scenegraph.parser.lemmas import Edit, Lemmatiser, endings, kind_of

SUPPORT = 2
"""Words that must share an ending before it may become a rule."""


def edit_between(word: str, lemma: str) -> Edit:
    """Say how the lemma comes from the word."""
    shared = 0
    while shared < min(len(word), len(lemma)) and word[shared] == lemma[shared]:
        shared += 1
    return len(word) - shared, lemma[shared:]


def learn(entries: Counter[tuple[str, str, str]]) -> Lemmatiser:
    """Learn from how often each (word, tag, lemma) occurs."""
    lemmas: dict[str, dict[str, str]] = defaultdict(dict)
    for (word, tag, lemma), _ in reversed(entries.most_common()):
        lemmas[kind_of(tag)][word] = lemma
    rules: dict[str, dict[str, Edit]] = {}
    exceptions: dict[str, dict[str, str]] = {}
    for kind, known in lemmas.items():
        if all(word == lemma for word, lemma in known.items()):
            continue
        # Closed classes (pronouns, determiners) have no endings worth a rule: their table says it all.
        rules[kind] = _rules(known) if kind in {"plural", "verb"} else {}
        learnt = Lemmatiser(rules, {})
        exceptions[kind] = {word: lemma for word, lemma in known.items() if learnt.by_rule(word, kind) != lemma}
    return Lemmatiser(rules, exceptions)


def _rules(known: dict[str, str]) -> dict[str, Edit]:
    votes: dict[str, Counter[Edit]] = defaultdict(Counter)
    for word, lemma in known.items():
        edit = edit_between(word, lemma)
        for ending in endings(word):
            votes[ending][edit] += 1
    rules: dict[str, Edit] = {}
    for ending in sorted(votes, key=len):
        edit, _ = votes[ending].most_common(1)[0]
        if sum(votes[ending].values()) < SUPPORT or edit[0] > len(ending.lstrip("^")):
            continue
        # The next shorter ending that has a rule decides already, unless this one knows better.
        shorter = next((rules[ending[cut:]] for cut in range(1, len(ending) + 1) if ending[cut:] in rules), None)
        if edit != shorter:
            rules[ending] = edit
    return rules


def entries_of(parses: Parses) -> Counter[tuple[str, str, str]]:
    """Count the (word, tag, lemma) of all tokens."""
    counts = Counter(zip(parses.form.tolist(), parses.tag.tolist(), parses.lemma.tolist(), strict=True))
    return Counter({(parses.forms[f], parses.tags[t], parses.lemmas[m]): count for (f, t, m), count in counts.items()})


def main() -> None:
    """Learn, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="file for rules and exceptions")
    parser.add_argument("--silver", type=Path, default=SILVER, help="directory of the silver parses")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the arrays of the silver parses are kept")
    arguments = parser.parse_args()
    parts = split(load_parses(sorted(arguments.silver.glob("part-*.jsonl.gz")), arguments.cache))
    known = entries_of(parts.training)
    lemmatiser = learn(known)
    test = entries_of(parts.development)
    wrong = {entry: count for entry, count in test.items() if lemmatiser(entry[0], entry[1]) != entry[2]}
    unseen = [entry for entry in test if entry not in known]
    say(f"development tokens right: {1 - sum(wrong.values()) / sum(test.values()):.4%}")
    say(f"unseen word and tag: {len(unseen)}, wrong {sum(entry in wrong for entry in unseen)}; all wrong: {wrong}")
    # A sterner test of the rules: every tenth word of the whole vocabulary is hidden from them.
    words = sorted({word for word, _, _ in known})
    hidden = set(words[::10])
    partial = learn(Counter({entry: count for entry, count in known.items() if entry[0] not in hidden}))
    tested = [entry for entry in known if entry[0] in hidden and kind_of(entry[1]) in {"plural", "verb"}]
    right = sum(partial(word, tag) == lemma for word, tag, lemma in tested)
    say(f"verbs and plurals never seen: {right} of {len(tested)} right")
    if arguments.output:
        arguments.output.write_bytes(
            msgspec.json.encode({"rules": lemmatiser.rules, "exceptions": lemmatiser.exceptions})
        )
        say(f"{arguments.output}: {arguments.output.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
