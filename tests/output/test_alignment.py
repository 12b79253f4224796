"""Drawings of alignments: fixed ones by sight, all others by following their connectors."""

from __future__ import annotations

import io
import random
import re
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from caplens.output.alignment import AlignmentView, draw
from caplens.output.explanation import Alignment, Link


def align(candidate, reference, *links):
    """Make an alignment; a link is (start, length, reference start, reference length, stage)."""
    found, chunk, ends = [], 0, None
    for start, length, reference_start, reference_length, stage in sorted(links):
        chunk += (start, reference_start) != ends
        found.append(Link(start, length, reference_start, reference_length, stage, chunk))
        ends = start + length, reference_start + reference_length
    return Alignment("alignment", tuple(candidate.split()), tuple(reference.split()), tuple(found))


def exact(*places):
    return [(start, 1, reference_start, 1, "exact") for start, reference_start in places]


def drawing(alignment, width=80):
    return "\n".join(row.plain for row in draw(alignment, width))


def picture(text):
    return dedent(text).strip("\n")


class TestBySight:
    def test_chunks_in_order_stand_above_each_other(self):
        alignment = align(
            "two bears captured together in night vision",
            "two bears walking together in the night",
            *exact((0, 0), (1, 1), (3, 3), (4, 4), (5, 6)),
        )
        assert drawing(alignment) == picture("""
            candidate   two bears captured together in     night vision
                        ━━━━┯━━━━          ━━━━━┯━━━━━     ━━┯━━
                            1                   2            3
                        ━━━━┷━━━━          ━━━━━┷━━━━━     ━━┷━━
            reference   two bears walking  together in the night

                        ━━━ exact   1 2 ... chunks
        """)

    def test_chunks_that_change_places_are_connected(self):
        alignment = align(
            "a person in blue falling on hill with near",
            "the person is laying down with a snowboard on there foot",
            *exact((0, 6), (1, 1), (5, 8), (7, 5)),
            (3, 1, 4, 1, "synonym"),
        )
        assert drawing(alignment, 100) == picture("""
            candidate   a   person in        blue  falling on hill with near
                        ┯━  ━━┯━━━           ─syn─         ━┯      ━┯━━
                        1     2                3            4       5
                        │     │                │            └───────│────────────────┐
                        └─────│────────────────│────────────────────│────┐           │
                              2                3                    5    1           4
                            ━━┷━━━           ─syn─                 ━┷━━ ━┷           ┷━
            reference   the person is laying down                  with a  snowboard on there foot

                        ━━━ exact   ─syn─ synonym   1 2 ... chunks
        """)

    def test_a_phrase_may_match_a_longer_one(self):
        alignment = align(
            "beds sit next to each other",
            "beds near each others here",
            *exact((0, 0), (4, 2)),
            (2, 2, 1, 1, "paraphrase"),
            (5, 1, 3, 1, "stem"),
        )
        assert drawing(alignment) == picture("""
            candidate   beds sit next to each other
                        ━┯━━     ──par──·━┯━━·─stem─
                         1                2
                        ━┷━━     ──par──·━┷━━·─stem─
            reference   beds     near    each others here

                        ━━━ exact   ─stem─ stem   ─par─ paraphrase   1 2 ... chunks
        """)

    def test_without_matches_there_are_only_words(self):
        assert drawing(align("a b", "c d e")) == picture("""
            candidate   a b
            reference   c d e

                        nothing matches
        """)

    def test_an_empty_caption_is_named(self):
        assert drawing(align("", "a dog")).splitlines()[:2] == ["candidate   (no words)", "reference   a dog"]
        assert drawing(align("", "")).splitlines()[:2] == ["candidate   (no words)", "reference   (no words)"]

    def test_wide_and_combining_characters_keep_their_columns(self):
        alignment = align("日本 cafe\u0301 🐎 x", "x 日本 cafe\u0301 🐎", *exact((0, 1), (1, 2), (2, 3)))
        assert drawing(alignment) == picture("""
            candidate     日本 cafe\u0301 🐎 x
                          ━━━━━┯━━━━━━
                               1
                          ━━━━━┷━━━━━━
            reference   x 日本 cafe\u0301 🐎

                        ━━━ exact   1 2 ... chunks
        """)

    def test_a_chunk_gives_up_its_place_where_that_saves_a_line(self):
        alignment = align("the holding white wii", "a smiling young boy plays the wii", *exact((0, 5), (3, 6)))
        assert drawing(alignment, 80).startswith("candidate                             the holding white wii\n")
        assert drawing(alignment, 54) == picture("""
            candidate   the holding white             wii
                        ┯━━                           ━┯━
                        1                              2
                        └──────────────────────────┐   │
                                                   1   2
                                                  ━┷━ ━┷━
            reference   a smiling young boy plays the wii

                        ━━━ exact   1 2 ... chunks
        """)


class TestNarrow:
    def test_long_captions_go_on_below_and_numbers_join_what_was_parted(self):
        alignment = align(
            "one two three four five six seven eight nine ten",
            "ten one two three four five seven eight",
            *exact((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (6, 6), (7, 7), (9, 0)),
        )
        assert drawing(alignment, 40) == picture("""
            candidate       one two three four five
                            ━━━━━━━━━━━┯━━━━━━━━━━━
                                       1
                         3             1
                        ━┷━ ━━━━━━━━━━━┷━━━━━━━━━━━
            reference   ten one two three four five

            candidate   six seven eight nine ten
                            ━━━━━┯━━━━━      ━┯━
                                 2            3
                                 2
                            ━━━━━┷━━━━━
            reference       seven eight

                        ━━━ exact   1 2 ... chunks
        """)

    def test_a_word_wider_than_the_view_is_cut(self):
        text = drawing(align("a " + "x" * 200, "x" * 200 + " a", *exact((1, 0))), 60)
        assert f"{'x' * 47}…" in text
        assert max(map(len, text.splitlines())) == 60

    def test_500_words_fit(self):
        chance = random.Random(1)
        places = list(range(500))
        chance.shuffle(places)
        words = " ".join(f"word{place}" for place in places)
        alignment = align(words, words, *exact(*zip(range(500), places, strict=True)))
        for width in (40, 80, 120):
            text = drawing(alignment, width)
            assert max(map(len, text.splitlines())) <= width
            for chunk in (1, 250, alignment.links[-1].chunk):
                assert len(re.findall(rf"(?<!\S){chunk}(?!\S)", text)) >= 2

    def test_a_console_without_box_characters_gets_plain_ones(self):
        file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        console = Console(file=file, width=60)
        console.print(AlignmentView(align("a b c", "c a b", *exact((0, 1), (1, 2), (2, 0)))))
        file.seek(0)
        assert file.read().rstrip("\n") == picture("""
            candidate      a b c
                           =+= =+
                            1   2
                         +--|---+
                         2  1
                        =+ =+=
            reference   c  a b

                        === exact   1 2 ... chunks
        """)


words = st.lists(
    st.sampled_from(["a", "of", "dog", "person", "日本", "🐎", "cafe\u0301", "b\x07ell", "x" * 30]), max_size=12
)
stages = st.sampled_from(["exact", "stem", "synonym", "paraphrase", "unheard of"])


@st.composite
def alignments(draw_from):
    """Captions with links between spans in any order."""
    candidate, reference = draw_from(words), draw_from(words)
    ours, theirs = spans(draw_from, len(candidate)), spans(draw_from, len(reference))
    theirs = draw_from(st.permutations(theirs))
    links = [(*our, *their, draw_from(stages)) for our, their in zip(ours, theirs, strict=False)]
    return align(" ".join(candidate), " ".join(reference), *links)


def spans(draw_from, length):
    found, place = [], 0
    while place < length:
        size = draw_from(st.integers(1, 2))
        if draw_from(st.booleans()) and place + size <= length:
            found.append((place, size))
        place += size
    return found


class TestAnyAlignment:
    @settings(deadline=None)
    @given(alignments(), st.integers(1, 130))
    def test_no_row_is_wider_than_the_view(self, alignment, width):
        assert all(row.cell_len <= width for row in draw(alignment, width))
        console = Console(file=io.StringIO(), width=width)
        console.print(AlignmentView(alignment))
        lines = console.file.getvalue().splitlines()
        assert len(lines) == len(draw(alignment, width))
        assert all(cell_len(line) <= width for line in lines)

    @settings(deadline=None)
    @given(alignments(), st.integers(80, 130))  # nothing is wider than 80 here, so nothing is cut
    def test_every_word_is_there_in_order(self, alignment, width):
        rows = [row.plain for row in draw(alignment, width)]
        for caption, side in (("candidate", alignment.candidate), ("reference", alignment.reference)):
            shown = " ".join(row[12:] for row in rows if row.startswith(caption)).split()
            # Control characters are not shown.
            assert shown == [word.replace("\x07", "") for word in side or ("(no", "words)")]

    @settings(max_examples=200, deadline=None)
    @given(alignments())
    def test_connectors_lead_from_each_number_to_the_same_number(self, alignment):
        rows = [row.plain for row in draw(alignment, 1000)]
        chunks = {link.chunk for link in alignment.links}
        if not chunks:
            return
        numbers = [depth for depth, row in enumerate(rows[:-1]) if re.fullmatch(r"[ \d]+", row)]
        starts, ends = columns(rows[numbers[0]]), columns(rows[numbers[-1]])
        assert set(starts.values()) == set(ends.values()) == chunks
        between = rows[numbers[0] + 1 : numbers[-1]]
        assert {chunk: ends[follow(between, column)] for column, chunk in starts.items()} == {
            chunk: chunk for chunk in chunks
        }


def columns(row):
    return {found.start(): int(found[0]) for found in re.finditer(r"\d", row)}


def follow(rows, column):
    """Go down from a column along connectors; what crosses passes behind."""
    for row in rows:
        cells = row.ljust(1000)
        if cells[column] in "└┘":
            step = 1 if cells[column] == "└" else -1
            column += step
            while cells[column] not in "┐┌":
                assert cells[column] in "─│"
                column += step
            assert cells[column] == ("┐" if step > 0 else "┌")
        else:
            assert cells[column] == "│"
    return column


@pytest.mark.parametrize("stage", ["exact", "stem", "synonym", "paraphrase"])
def test_a_stage_is_shown_by_colour_and_sign(stage):
    rows = draw(align("a dog", "a dogs", (1, 1, 1, 1, stage)), 80)
    styles = {str(span.style) for span in rows[1].spans}
    assert len(styles) == 1
    assert styles == {str(span.style) for span in rows[-1].spans} - {"bold"}
    assert stage in rows[-1].plain
