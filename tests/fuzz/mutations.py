"""Ways to spoil bytes and to make up text."""

from __future__ import annotations

INTERESTING = [b"\0", b"\xff", b"\x80", b"\xed\xa0\x80", b"{", b"}", b"[", b"]", b'"', b"\\", b"\\ud800", b",", b"\n"]
INTERESTING += [b"\r", b"\t", b"1e999", b"-1", b"NaN", b"null", b"9" * 30, b"\xe2\x80\xae", b"\x1b[31m", b"'", b":"]
PIECES = ["a", "dog", "Dog's", "can't", "U.S.", "...", "-", "--", "#", "&amp;", "<b>", "</p>", "1 1/2", "3,000.50"]
PIECES += [
    "http://x.y/z?q=1",
    "a@b.c",
    ":-)",
    "é",
    "ß",
    "naïve",
    "😀",
    "👩‍👩‍👧",
    "中文",
    "\u202e",
    "\u200b",
    "\xa0",
    "\u2028",
]
PIECES += ["\x00", "\x1b", "\ud800", "$5", "10%", "(", ")", "[", "]", "{", "}", "``", "''", '"', "'s", "n't", "gonna"]
PIECES += ["x" * 70, "ab" * 200, "Mr.", "p.m.", "e.g.", "'60s", "o'clock", "1990s", "+1-800-555-1234", "½", "€", "İ"]


def spoil(source, data, most=6):
    """Change bytes: flip, cut, repeat, insert, overwrite."""
    data = bytearray(data)
    for _ in range(source.randint(1, most)):
        place = source.randint(0, max(len(data) - 1, 0))
        kind = source.randrange(6)
        if kind == 0 and data:
            data[place] ^= 1 << source.randrange(8)
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            end = place + source.randint(1, 30)
            data[place:place] = data[place:end]
        elif kind == 3:
            data[place:place] = source.choice(INTERESTING)
        elif kind == 4:
            del data[place : place + source.randint(1, 8)]
        elif data:
            data[place] = source.randrange(256)
    return bytes(data)


def caption(source, most=12):
    """Make up a caption of pieces that tokenizers stumble over."""
    joined = [
        source.choice(PIECES) + source.choice(["", " ", " ", " ", "\t", ".", ", "])
        for _ in range(source.randint(0, most))
    ]
    text = "".join(joined)
    if source.random() < 0.2:
        text += "".join(
            chr(source.choice([source.randrange(0x20, 0x250), source.randrange(0x110000)])) for _ in range(9)
        )
    return text
