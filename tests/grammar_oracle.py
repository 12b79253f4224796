"""The grammar of tags, written plainly: every tree of a short caption, and the features of its derivation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

MASK = 2**64 - 1
NONE = 255


def mixed(value):
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & MASK
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def feature(template, one, other, bits):
    inside = (one + template * 0x9E3779B97F4A7C15 & MASK) * 0xBF58476D1CE4E5B9
    return mixed(inside + other & MASK) >> 64 - bits


def packed(*numbers):
    return sum(number << 8 * place for place, number in enumerate(numbers))


@dataclass(frozen=True)
class Phrase:
    """A word with the dependents that it has so far."""

    tag: int
    label: int
    parent: int
    mark: int
    verb: bool
    phase: int = 0
    right: int = NONE
    right_before: int = NONE
    left: int = NONE
    rights: int = 0
    determined: int = 0

    @property
    def use(self):
        return packed(self.tag, self.label, self.parent)


class Derivation:
    """Derives a tree; ``features`` are those of all steps."""

    def __init__(self, words, tags, heads, labels, roles, bits):
        self.words, self.tags, self.heads, self.labels, self.roles = words, tags, heads, labels, roles
        self.bits = bits
        self.features = []
        self.end(self.grow(heads.index(0)))

    def add(self, template, one, other=0):
        self.features.append(feature(template, one, other, self.bits))

    def grow(self, token):
        tag, label, word = self.tags[token], self.labels[token], self.words[token]
        kinds, (_, case, mark, determiner) = self.roles.kinds.tolist(), self.roles.named
        parent = kinds[self.tags[self.heads[token] - 1]] if self.heads[token] else 0
        phrase = Phrase(tag, label, parent, word if self.roles.speaking[tag] else 0, kinds[tag] == 2)
        self.add(1, phrase.use)
        self.add(2, tag, word)
        self.add(3, packed(tag, label), word)
        self.add(4, phrase.use, word)
        for step, dependent in self.order(token):
            part = self.grow(dependent)
            self.join(phrase, part, step)
            self.end(part)
            phrase = replace(phrase, verb=phrase.verb or part.verb)
            if step == 1:
                phrase = replace(phrase, phase=1, right=part.label, right_before=phrase.right)
                phrase = replace(phrase, rights=min(phrase.rights + 1, 3))
                continue
            phrase = replace(phrase, left=part.label, phase=2 if step == 3 else phrase.phase)
            if part.label == determiner:
                phrase = replace(phrase, determined=2)
            elif step == 2:
                phrase = replace(phrase, determined=max(phrase.determined, 1))
            if part.label in (case, mark):
                phrase = replace(phrase, mark=part.mark)
        return phrase

    def order(self, token):
        """Give the dependents in the order of their steps: 2 inner ones on the left, 1 on the right, 3 outer ones."""
        dependents = [place for place, head in enumerate(self.heads) if head == token + 1]
        left = [place for place in reversed(dependents) if place < token]
        inner = 0
        while inner < len(left) and self.is_inner(token, left[inner]):
            inner += 1
        yield from ((2, place) for place in left[:inner])
        yield from ((1, place) for place in dependents if place > token)
        yield from ((3, place) for place in left[inner:])

    def is_inner(self, token, dependent):
        kind = self.roles.inner[self.labels[dependent]]
        return kind == 1 or (kind == 2 and self.roles.kinds[self.tags[token]] != 2)

    def end(self, phrase):
        right, before, left = phrase.right, phrase.right_before, phrase.left
        self.add(5, phrase.use + packed(0, 0, 0, right, phrase.rights))
        self.add(6, phrase.use + packed(0, 0, 0, left, phrase.determined), phrase.mark)
        self.add(7, phrase.use + packed(0, 0, 0, right, before), phrase.mark)
        self.add(8, phrase.use + packed(0, 0, 0, phrase.verb, phrase.rights, phrase.phase))
        self.add(
            9, phrase.use + packed(0, 0, 0, right, before, left, phrase.determined), 2 * phrase.rights + phrase.verb
        )
        self.add(10, phrase.use + packed(0, 0, 0, phrase.phase, left, right), phrase.mark)

    def join(self, base, part, step):
        how = (step << 8 | part.label) << 8
        last, before = (base.right, base.right_before) if step == 1 else (base.left, base.right)
        marks, tags = base.mark << 32 | part.mark, packed(base.tag, part.tag)
        added = (
            (tags, 0),
            (base.use, 0),
            (base.use, part.tag),
            (tags, part.mark),
            (tags, last),
            (base.use + packed(0, 0, 0, last, before), 0),
            (base.use + packed(0, 0, 0, last), part.mark),
            (tags, marks),
            (packed(base.tag, base.label, base.rights, part.rights, part.right), 0),
            (tags + packed(0, 0, part.verb, part.rights, base.verb), 0),
            (base.use + packed(0, 0, 0, last, part.tag), base.mark),
            (base.use + packed(0, 0, 0, base.determined, part.tag, part.determined), 0),
            (base.use + packed(0, 0, 0, part.tag, part.verb, last), part.mark),
            (tags + packed(0, 0, part.right, part.right_before, part.rights), 0),
            (base.use + packed(0, 0, 0, last, before, part.tag, part.verb), 0),
            (base.use + packed(0, 0, 0, last, before, base.rights), part.mark),
            (base.use + packed(0, 0, 0, last, base.verb), marks),
            (base.use + packed(0, 0, 0, part.tag, part.right, part.rights, part.verb, last), 0),
            (tags + packed(0, 0, last, part.right, part.determined, base.determined), part.mark),
        )
        for number, (one, other) in enumerate(added, start=11):
            self.add(how | number, one, other)


def is_tree(heads):
    """Tell whether heads are a projective tree with one root."""
    arcs = [sorted((head, place)) for place, head in enumerate(heads, start=1)]
    if list(heads).count(0) != 1 or any(a < c < b < d for a, b in arcs for c, d in arcs):
        return False
    reached = {0}
    for _ in heads:
        reached |= {place for place, head in enumerate(heads, start=1) if head in reached}
    return len(reached) == len(heads) + 1


def best_tree(words, tag_choices, arc_choices, roles, weights):
    """Return the score and the tags, heads and labels of the best tree.

    Choices are lists a token of (tag, score) and (head, label, score); the root's label goes with the root alone.
    """
    bits = len(weights).bit_length() - 1
    found = []
    for tags, arcs in product(product(*tag_choices), product(*arc_choices)):
        heads, labels = [arc[0] for arc in arcs], [arc[1] for arc in arcs]
        if is_tree(heads):
            named = [tag for tag, _ in tags]
            features = Derivation(words, named, heads, labels, roles, bits).features
            score = sum(each[-1] for each in (*tags, *arcs)) + sum(float(weights[place]) for place in features)
            found.append((score, named, heads, labels))
    return max(found, key=lambda each: each[0]) if found else None
