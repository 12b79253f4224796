"""Character classes, word lists and token patterns behind :mod:`caplens.text.ptb`.

All of it was checked by running the reference tokenizer on strings made for the purpose and looking at what it printed;
its source was not consulted. Where a kind of token depends on what follows, the last group of its pattern is the
token and the rest of the match is context, which counts when the longest match is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

# The tokenizer knows the characters of Unicode 6, so Python's own, newer tables would differ: hexadecimal ranges.
_LETTER_RANGES = """
41-5a 61-7a aa b5 ba c0-d6 d8-f6 f8-2c1 2c6-2d1 2e0-2e4 2ec 2ee 370-374 376-377 37a-37d 386 388-38a 38c 38e-3a1
3a3-3f5 3f7-481 48a-527 531-556 559 561-587 5d0-5ea 5f0-5f2 620-64a 66e-66f 671-6d3 6d5 6e5-6e6 6ee-6ef 6fa-6fc 6ff
710 712-72f 74d-7a5 7b1 7ca-7ea 7f4-7f5 7fa 800-815 81a 824 828 840-858 8a0 8a2-8ac 904-939 93d 950 958-961 971-977
979-97f 985-98c 98f-990 993-9a8 9aa-9b0 9b2 9b6-9b9 9bd 9ce 9dc-9dd 9df-9e1 9f0-9f1 a05-a0a a0f-a10 a13-a28 a2a-a30
a32-a33 a35-a36 a38-a39 a59-a5c a5e a72-a74 a85-a8d a8f-a91 a93-aa8 aaa-ab0 ab2-ab3 ab5-ab9 abd ad0 ae0-ae1 b05-b0c
b0f-b10 b13-b28 b2a-b30 b32-b33 b35-b39 b3d b5c-b5d b5f-b61 b71 b83 b85-b8a b8e-b90 b92-b95 b99-b9a b9c b9e-b9f
ba3-ba4 ba8-baa bae-bb9 bd0 c05-c0c c0e-c10 c12-c28 c2a-c33 c35-c39 c3d c58-c59 c60-c61 c85-c8c c8e-c90 c92-ca8
caa-cb3 cb5-cb9 cbd cde ce0-ce1 cf1-cf2 d05-d0c d0e-d10 d12-d3a d3d d4e d60-d61 d7a-d7f d85-d96 d9a-db1 db3-dbb dbd
dc0-dc6 e01-e30 e32-e33 e40-e46 e81-e82 e84 e87-e88 e8a e8d e94-e97 e99-e9f ea1-ea3 ea5 ea7 eaa-eab ead-eb0 eb2-eb3
ebd ec0-ec4 ec6 edc-edf f00 f40-f47 f49-f6c f88-f8c 1000-102a 103f 1050-1055 105a-105d 1061 1065-1066 106e-1070
1075-1081 108e 10a0-10c5 10c7 10cd 10d0-10fa 10fc-1248 124a-124d 1250-1256 1258 125a-125d 1260-1288 128a-128d
1290-12b0 12b2-12b5 12b8-12be 12c0 12c2-12c5 12c8-12d6 12d8-1310 1312-1315 1318-135a 1380-138f 13a0-13f4 1401-166c
166f-167f 1681-169a 16a0-16ea 1700-170c 170e-1711 1720-1731 1740-1751 1760-176c 176e-1770 1780-17b3 17d7 17dc
1820-1877 1880-18a8 18aa 18b0-18f5 1900-191c 1950-196d 1970-1974 1980-19ab 19c1-19c7 1a00-1a16 1a20-1a54 1aa7
1b05-1b33 1b45-1b4b 1b83-1ba0 1bae-1baf 1bba-1be5 1c00-1c23 1c4d-1c4f 1c5a-1c7d 1ce9-1cec 1cee-1cf1 1cf5-1cf6
1d00-1dbf 1e00-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59 1f5b 1f5d 1f5f-1f7d 1f80-1fb4 1fb6-1fbc 1fbe
1fc2-1fc4 1fc6-1fcc 1fd0-1fd3 1fd6-1fdb 1fe0-1fec 1ff2-1ff4 1ff6-1ffc 2071 207f 2090-209c 2102 2107 210a-2113 2115
2119-211d 2124 2126 2128 212a-212d 212f-2139 213c-213f 2145-2149 214e 2183-2184 2c00-2c2e 2c30-2c5e 2c60-2ce4
2ceb-2cee 2cf2-2cf3 2d00-2d25 2d27 2d2d 2d30-2d67 2d6f 2d80-2d96 2da0-2da6 2da8-2dae 2db0-2db6 2db8-2dbe 2dc0-2dc6
2dc8-2dce 2dd0-2dd6 2dd8-2dde 2e2f 3005-3006 3031-3035 303b-303c 3041-3096 309d-309f 30a1-30fa 30fc-30ff 3105-312d
3131-318e 31a0-31ba 31f0-31ff 3400-4db5 4e00-9fcc a000-a48c a4d0-a4fd a500-a60c a610-a61f a62a-a62b a640-a66e
a67f-a697 a6a0-a6e5 a717-a71f a722-a788 a78b-a78e a790-a793 a7a0-a7aa a7f8-a801 a803-a805 a807-a80a a80c-a822
a840-a873 a882-a8b3 a8f2-a8f7 a8fb a90a-a925 a930-a946 a960-a97c a984-a9b2 a9cf aa00-aa28 aa40-aa42 aa44-aa4b
aa60-aa76 aa7a aa80-aaaf aab1 aab5-aab6 aab9-aabd aac0 aac2 aadb-aadd aae0-aaea aaf2-aaf4 ab01-ab06 ab09-ab0e
ab11-ab16 ab20-ab26 ab28-ab2e abc0-abe2 ac00-d7a3 d7b0-d7c6 d7cb-d7fb f900-fa6d fa70-fad9 fb00-fb06 fb13-fb17 fb1d
fb1f-fb28 fb2a-fb36 fb38-fb3c fb3e fb40-fb41 fb43-fb44 fb46-fbb1 fbd3-fd3d fd50-fd8f fd92-fdc7 fdf0-fdfb fe70-fe74
fe76-fefc ff21-ff3a ff41-ff5a ff66-ffbe ffc2-ffc7 ffca-ffcf ffd2-ffd7 ffda-ffdc
"""
_DIGIT_RANGES = """
30-39 660-669 6f0-6f9 7c0-7c9 966-96f 9e6-9ef a66-a6f ae6-aef b66-b6f be6-bef c66-c6f ce6-cef d66-d6f e50-e59 ed0-ed9
f20-f29 1040-1049 1090-1099 17e0-17e9 1810-1819 1946-194f 19d0-19d9 1a80-1a89 1a90-1a99 1b50-1b59 1bb0-1bb9 1c40-1c49
1c50-1c59 a620-a629 a8d0-a8d9 a900-a909 a9d0-a9d9 aa50-aa59 abf0-abf9 ff10-ff19
"""
_MARK_RANGES = """
2c2-2c5 2d2-2df 2e5-2eb 2ed 2ef-36f 375 378-379 384-385 3f6 483-487 55a-55f 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 615-61a
64b-65e 670 6d6-6e4 6e7-6ed 6fd-6fe 70f 711 730-74c 7a6-7b0 7eb-7f3 900-903 93c 93e-94e 951-955 962-963 981-983 9bc
9be-9c4 9c7-9c8 9cb-9cd 9d7 9e2-9e3 a01-a03 a3c a3e-a4f a81-a83 abc abe-acf b82 bbe-bc2 bc6-bc8 bca-bcd c01-c03
c3e-c56 d3e-d44 d46-d48 e31 e34-e3a e47-e4e eb1 eb4-ebc ec8-ecd
"""

_SYMBOL_RANGES = """
24-26 2c 2f 3a-3b 3d 5c 5e 7c 7e a1 a5-a9 ac ae-b1 b4 b6-b8 bf d7 f7 37e 387 589 5be 5c0 5c3 5c6 5f3-5f4 600-603
606-60c 614 61b 61e-61f 66a 66d 6d4 700-70d 7f6-7f8 964-965 e3f e4f 1fbd 2016-2017 2020-2023 2030-2038 203b 203e-2042
2044 207a-207e 208a-208e 20a4 2100-2101 2103-2106 2108-2109 2114 2116-2118 211e-2123 2125 2127 2129 212e 213a-213b
2140-2144 214a-214d 214f 2155-215e 2190-2bff 3001-3002 3012 30fb ff01-ff0f ff1a-ff20 ff3b-ff40 ff5b-ff65 ffe0-ffe1
ffe5-ffe6
"""


def _char_class(ranges: str) -> str:
    """Turn ``"41-5a aa"`` into the inside of a regular-expression character class."""
    items = (item.partition("-") for item in ranges.split())
    return "".join(f"\\u{first:0>4}-\\u{last or first:0>4}" for first, _, last in items)


def _codes(ranges: str) -> Iterator[range]:
    """Turn ``"41-5a aa"`` into ranges of code points."""
    for item in ranges.split():
        first, _, last = item.partition("-")
        yield range(int(first, 16), int(last or first, 16) + 1)


_ASCII = "A-Za-z"
_LETTER = _char_class(_LETTER_RANGES)
_DIGIT = _char_class(_DIGIT_RANGES)
_MARK = _char_class(_MARK_RANGES) + "\\xad"
# Above U+A7FF only the full-width letters have case, between U+2D2E and U+A63F none; the circled ones (U+24B6 and on)
# are capitals but no letters.
_UPPER = "".join(
    filter(
        str.isupper,
        map(
            chr,
            chain.from_iterable(
                codes
                for codes in (*_codes(_LETTER_RANGES), range(0x24B6, 0x24D0))
                if codes.stop <= 0x2D2E or codes.start >= 0xFF21 or 0xA640 <= codes.start < 0xA800
            ),
        ),
    )
)
_SYMBOL = _char_class(_SYMBOL_RANGES)
SPACE = " \\t\\xa0\\u2000-\\u200a\\u3000"
SPACE_OR_END = SPACE + "\\n"
# An apostrophe, and the wider set (opening quotes, back-quotes) that some words take as well.
_APOSTROPHE = "(?:['\\x92\\u2019]|&apos;)"
_ANY_APOSTROPHE = "(?:['`\\x91\\x92\\u2018\\u2019\\u201b]|&apos;)"
_APOSTROPHE_START = "&'\\x92\\u2019"
_APOSTROPHES = "&'\x92\u2019"
_ANY_APOSTROPHES = _APOSTROPHES + "`\x91\u2018\u201b"
_QUOTE = "`\\x91-\\x94\\xab\\xbb\\u2018-\\u201f\\u2039\\u203a"


def _any_of(words: str) -> str:
    """Make a group that matches one of some words in any case."""
    return f"(?ai:{'|'.join(sorted(words.split(), key=len, reverse=True))})"


def _capitalised(words: str) -> str:
    """Make a group that matches one of some words with a capital first letter and the rest in any case."""
    longest_first = sorted(words.split(), key=len, reverse=True)
    return f"(?:{'|'.join(f'{word[0].upper()}(?ai:{word[1:]})' for word in longest_first)})"


_ACCENTED = "&(?ai:[aeiou](?:acute|grave|uml));"
_PLAIN_WORD = f"(?:[{_LETTER}{_MARK}]|{_ACCENTED})(?:[{_LETTER}{_MARK}{_DIGIT}]++|{_ACCENTED})*"
_WORD = f"{_PLAIN_WORD}(?:[.!?]{_PLAIN_WORD})*"
_PIECE = f"(?:[dDoOlL]{_ANY_APOSTROPHE}[{_LETTER}{_DIGIT}])?[{_LETTER}{_DIGIT}]+"
_COMPOUND = f"{_PIECE}(?:[-_\\u058a\\u2010\\u2011]{_PIECE})*"
_ACRONYM = f"[{_ASCII}](?:\\.[{_ASCII}])+"
_WITH_AMPERSAND = "[A-Z]+(?:(?:&(?ai:amp;)?|\\+)[A-Z]+)+"
_DIGITS = f"[{_DIGIT}]+(?:\\xad[{_DIGIT}]+)*"
_POINT = "[.,:\\u066b\\u066c]"
_CONTRACTION = "(?ai:[sdm]|ll|re|ve)"
_DOTTED_PREFIX = f"[{_ASCII}0-9][{_ASCII}0-9.,\\xad]*"
_DOTTED_COMPOUND = f"{_DOTTED_PREFIX}(?:-(?:{_ACRONYM}\\.|[{_ASCII}0-9\\xad]+))+"
_SLASHED = f"[{_ASCII}0-9]+(?:-[{_ASCII}]+){{0,2}}"

# Abbreviations whose full stop never ends a sentence, whatever follows.
_TITLES = (
    "adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec ens ft gen"
    " gov govs hon insp invt jos lieut lt maj messrs mlle mme mr mrs ms msgr mt natl pfc ph pres prof profs pvt rep"
    " reps rev sen sens sfc sgt spc st ste supt supts treas vs wm"
)
# Abbreviations whose full stop may end the sentence as well, and is then printed twice.
_FINALS = (
    "al ala apr ariz assn aug bancorp bhd bldg blvd bros calif co colo conn corp cos ct dak dec ed\\.d esq est etc"
    " ext feb fla fri ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov oct"
    " okla penn ph\\.d plc rd rt sep sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc wyo"
)
# The same, where the first letter must be a capital.
_CAPITALISED_FINALS = "ark az del ill la mass miss ore pa tex wash"
_ODD_CASE = "mfg mtg ppte pptes ppty pptys pte ptes pty ptys"
_TITLE = f"(?:{_any_of(_TITLES)}|[Mm][ft][Gg])"
_FINAL = f"(?:{_any_of(_FINALS)}|{_capitalised(_CAPITALISED_FINALS)}|[Pp]{{1,2}}[Tt][ey][Ss]?)"
_COMPANY = "(?ai:co|pte|pty)"
_NUMBERED = "art ca fig figs no nos op p pp prop"
# Two words written as one.
DOUBLE_WORDS = frozenset({"cannot", "gonna", "gotta", "wanna", "lemme", "gimme"})
# The words to which a following full stop may belong.
ABBREVIATIONS = frozenset(
    f"{_TITLES} {_FINALS} {_CAPITALISED_FINALS} {_ODD_CASE} {_NUMBERED}".split() + list("abcdefghijklmnopqrstuvwxyz")
)
# The words after which one knows that the full stop of an acronym or an initial ended a sentence.
_STARTER = _capitalised(
    "a about according additionally after an as at but earlier he her here however if in it last many more mr\\."
    " ms\\. now once one other our she since so some such that the their then there these they this we what when"
    " while yet you"
)
_FILE_TYPE = _any_of(
    "bat bmp c cgi class cpp dll doc docx exe gif gz h htm html jar java jpeg jpg mov mp3 pdf php pl png ppt ps py"
    " sql tar txt wav x xml zip"
)

_TAG_NAME = f"[{_ASCII}][{_ASCII}0-9_.:-]*"
_ATTRIBUTE = f"{_TAG_NAME}(?: *= *(?:\"[^\"\\n]*\"|'[^'\\n]*'))?"
_TAG = f"(?:<[!?][{_ASCII}-][^>\\n]*>|</{_TAG_NAME} *>|<{_TAG_NAME}(?: +{_ATTRIBUTE})* *(?:/ *)?>)"
# As context a long tag would be read again and again, so declarations and comments count up to a length only.
_SHORT_TAG = _TAG.replace("[^>\\n]*", "[^>\\n]{0,200}")
_SENTENCE_STARTS = f"[{SPACE}]+(?:{_STARTER}|{_SHORT_TAG})[{SPACE_OR_END}]"

_URL_STOP = ' \\t\\n\\f\\r"<>|()'
_URL_END = f"[^{_URL_STOP}{{}}.!?,-]"
_PATH = f"/[^{_URL_STOP}]+{_URL_END}"
_WWW_LABEL = f"[^{_URL_STOP}{{}}.!?,]+"
_WWW = f"(?ai:www)\\.(?:{_WWW_LABEL}\\.)+"
# No capitals and digits here: they would be in the name of a host, yet the tokenizer does not take them.
_HOST_LABEL = f"[^{_URL_STOP}{{}}.!?`'$,-_]+"
_HOST = f"(?:{_HOST_LABEL}\\.)+"
_MAIL_LABEL = f"[^{_URL_STOP}{{}}\\xa0.]+"
_MAILBOX = f"(?:<|&lt;)?(?:mailto:)?[{_ASCII}0-9][^{_URL_STOP}{{}}\\xa0]*"
_FILE_LABEL = f"(?:[{_LETTER}{_MARK}{_DIGIT}]++|{_ACCENTED})+"

_PHONE = (
    "(?:\\([0-9]{2,3}\\)[ \\xa0]?|\\+{0,2}(?:[0-9]{2,4}[- \\xa0])?[0-9]{2,4}[- \\xa0])[0-9]{3,4}[- \\xa0]?[0-9]{3,5}"
)
_DOTTED_PHONE = "\\+{0,2}(?:[0-9]{2,4}\\.)?[0-9]{2,4}\\.[0-9]{3,4}\\.[0-9]{3,5}"
_DATE = f"[{_DIGIT}]{{1,2}}[-/][{_DIGIT}]{{1,2}}[-/][{_DIGIT}]{{2,4}}"
_1_TO_4 = f"[{_DIGIT}]{{1,4}}"
_FRACTION = f"{_1_TO_4}(?:[- \\xa0]{_1_TO_4})?\\\\?[/\\u2044]{_1_TO_4}"
_FACE = "['<=>^x~-]"
_MOUTH = "[()DPdpO\\\\{@|\\[\\]]"


class Rule(NamedTuple):
    """One kind of token.

    Attributes
    ----------
    starts : str
        The characters it may start with, as the inside of a character class; empty: any.
    pattern : str
        What it looks like.
    style : str
        How it is printed: the name of a style of :mod:`caplens.text.ptb`, or ``=`` and the text itself.
    run : str
        Where the beginning may be long: a pattern for that beginning. A rule that fails at one place of such a run
        fails at every later place of it, and trying again there would take quadratic time.
    needs : str
        Characters of which a text must hold one for the pattern to match at all: most texts have none, and patterns
        that are not needed are not compiled.
    """

    starts: str
    pattern: str
    style: str = "plain"
    run: str = ""
    needs: str = ""


_WORD_START = _LETTER + _MARK + "&"
_PIECE_START = _LETTER + _DIGIT
_SUPERSCRIPT = "\\xb2\\xb3\\xb9\\u2070\\u2074-\\u2079\\u2080-\\u2089"

# In the order in which they win when several match the same number of characters.
RULES = (
    Rule("<", f"({_TAG})", "tag", f"<[!?][{_ASCII}-][^>\\n]*"),
    # The first part of what is split; the second part is found next.
    Rule(_ASCII, "(?ai:(can)not|(gon)na|(got)ta|(wan)na|(lem)me|(gim)me)"),
    Rule("'", "(?ai:('t)(?:is|was))"),
    Rule(_ASCII + "\\xad", f"([{_ASCII}\\xad]*[A-MO-Za-mo-z]\\xad*)[nN]{_ANY_APOSTROPHE}[tT]", needs=_ANY_APOSTROPHES),
    Rule("nN", f"([nN]{_ANY_APOSTROPHE}[tT])", "apostrophe", needs=_ANY_APOSTROPHES),
    Rule(_WORD_START, f"({_WORD}){_APOSTROPHE}{_CONTRACTION}", needs=_APOSTROPHES),
    Rule(_APOSTROPHE_START, f"({_APOSTROPHE}{_CONTRACTION})[^{_ASCII}]", "apostrophe"),
    # Words with an apostrophe inside or at one end.
    Rule(_APOSTROPHE_START, f"({_APOSTROPHE}(?ai:em|till?|cause|n{_APOSTROPHE}?|[2-9]0s))"),
    Rule(_APOSTROPHE_START, f"({_APOSTROPHE}[0-9][0-9])[{SPACE_OR_END}]"),
    Rule(
        _ASCII,
        f"((?ai:o{_ANY_APOSTROPHE}(?:o|clock)|cap{_APOSTROPHE}n|(?:dunkin|ol|somethin){_APOSTROPHE}))",
        needs=_ANY_APOSTROPHES,
    ),
    Rule(_ASCII, "((?ai:c'(?:mon|est)|s'mores|li'l|e'er|nat'l))", needs="'"),
    Rule("yY", f"([yY]{_APOSTROPHE})[{_LETTER}]", needs=_APOSTROPHES),
    Rule("A-Zn", f"([A-HJ-XZn]{_ANY_APOSTROPHE}[{_LETTER}]{{2,}})", needs=_ANY_APOSTROPHES),
    Rule(_LETTER, f"([{_LETTER}]+[aeiouyAEIOUY]{_ANY_APOSTROPHE}[aeiouA-Z][{_LETTER}]*)", needs=_ANY_APOSTROPHES),
    Rule("dDjJlL", f"([dDjJlL]{_APOSTROPHE})", needs=_APOSTROPHES),
    Rule("aApP", "((?ai:anti|pro)-)", needs="-"),
    Rule("<&A-Za-z0-9", f"({_MAILBOX}@(?:{_MAIL_LABEL}\\.)*{_MAIL_LABEL}(?:>|&gt;)?)", "verbatim", _MAILBOX, needs="@"),
    # Full stops that belong to the word before them.
    Rule(
        _PIECE_START + _MARK + "&",
        f"((?:{_WORD}|{_COMPOUND}|{_WITH_AMPERSAND})\\.)[,;:\\u3001]",
        "ampersand",
        needs=".",
    ),
    Rule("A-Za-z0-9", f"({_DOTTED_COMPOUND}\\.)[,;:\\u3001]", run=_DOTTED_PREFIX, needs="."),
    Rule(_WORD_START, f"({_WORD})"),
    Rule(_ASCII, f"({_COMPANY}\\.)[{SPACE}](?ai:ltd|lim)", needs="."),
    Rule(_ASCII, f"({_FINAL}\\.)(?:[^{SPACE_OR_END}][\\s\\S]|[{SPACE}][^{SPACE_OR_END}{_UPPER}])", needs="."),
    Rule(_ASCII, f"({_FINAL})\\.[{SPACE}]+{_SHORT_TAG}", "period_twice", needs="<"),
    Rule(_ASCII, f"({_FINAL})\\.", "period_twice", needs="."),
    Rule(_ASCII, f"({_TITLE}\\.)", needs="."),
    Rule(_ASCII, f"({_any_of(_NUMBERED)}\\.)[{SPACE}]?[{_DIGIT}]", needs="."),
    Rule(_ASCII, f"({_ACRONYM})\\.{_SENTENCE_STARTS}", "period_twice", needs="."),
    Rule(_ASCII, f"({_ACRONYM}\\.)", needs="."),
    Rule(_ASCII, f"([{_ASCII}])\\.{_SENTENCE_STARTS}", needs="."),
    Rule(_ASCII, f"([{_ASCII}]\\.)", needs="."),
    Rule("A-Z", f"({_WITH_AMPERSAND}|[A-Z]+\\$)", "ampersand", needs="&+$"),
    Rule("cCfF", "([cC]\\+\\+|[cCfF]#)", needs="+#"),
    # Numbers.
    Rule(_DIGIT, f"({_FRACTION})", "spaced", needs="/\u2044"),
    Rule("0-9(+", f"({_PHONE}|{_DOTTED_PHONE})", "spaced", needs="(- \xa0."),
    Rule(_DIGIT, f"({_DATE})", needs="-/"),
    # Addresses and file names.
    Rule("hH", f"((?ai:https?://)[^{_URL_STOP}{{}}]+{_URL_END})", "verbatim", needs=":"),
    Rule("wW", f"({_WWW}[{_ASCII}]{{2,4}})", "verbatim", _WWW, needs="."),
    Rule("wW", f"((?ai:www)\\.(?:{_WWW_LABEL}\\.)+?[{_ASCII}]{{2,4}}{_PATH})", "verbatim", _WWW, needs="."),
    Rule("", f"({_HOST}(?ai:com|net|org|edu)(?:{_PATH})?)", "verbatim", f"(?:{_HOST})?{_HOST_LABEL}", needs="."),
    Rule(
        _PIECE_START + _MARK + "&",
        f"({_FILE_LABEL}(?:\\.{_FILE_LABEL})*\\.{_FILE_TYPE})[{SPACE_OR_END}.,!?]",
        "verbatim",
        f"{_FILE_LABEL}(?:\\.{_FILE_LABEL})*",
        needs=".",
    ),
    Rule("@", f"(@[{_ASCII}_][{_ASCII}_0-9]*)"),
    Rule("#", f"(#(?:[{_LETTER}{_MARK}]++|{_ACCENTED})+)", "verbatim"),
    # Compounds.
    Rule("A-Za-z0-9", f"({_DOTTED_COMPOUND})", run=_DOTTED_PREFIX, needs="-"),
    Rule("A-Za-z0-9", f"({_SLASHED}(?:\\\\?/{_SLASHED}){{1,2}})", needs="/"),
    Rule(_PIECE_START, f"({_COMPOUND})"),
    Rule(_DIGIT + "+.,:\\u066b\\u066c\\xad-", f"([-+]?(?:\\xad?{_DIGITS})?(?:{_POINT}{_DIGITS})*(?<=[{_DIGIT}]))"),
    # Entities.
    Rule("&", "(&(?ai:amp);)", "=&"),
    Rule("&", "(&(?ai:lt);)", "=<"),
    Rule("&", "(&(?ai:gt);)", "=>"),
    Rule("&", "(&(?ai:nbsp);)", "="),
    Rule("&", "(&(?ai:mdash|ndash|md);)", "=--"),
    # Quotes.
    Rule('"&', f'("|&quot;)[{_ASCII}0-9$]', "=``"),
    Rule('"&', '("|&quot;)', "=''"),
    Rule("'", f"(')[{_ASCII}][^ \\t\\n\\r\\xa0]", "=`"),
    Rule(_APOSTROPHE_START, f"({_APOSTROPHE}{_CONTRACTION})", "apostrophe"),
    Rule("'", "('')"),
    Rule(_APOSTROPHE_START, f"({_APOSTROPHE})", "apostrophe"),
    Rule(_QUOTE, f"([{_QUOTE}]{{1,2}})", "quotes"),
    # Entities that are kept, among them quotes in another case.
    Rule("&", "(&(?ai:apos|cdq|ht|lr|odq|qc|ql|qr|quot|tl|ur);|&#[0-9]+;)"),
    # Emoticons.
    Rule("<>:;=", f"([<>]?[:;=][-o*']?{_MOUTH})[^A-Za-z0-9]", "brackets"),
    Rule("('<=>^x~-", f"({_FACE}_{_FACE}|\\({_FACE}[._]?{_FACE}\\)|\\(['<=>^x~]-['<=>^x~]\\))", "brackets"),
    # Punctuation and symbols.
    Rule("-", "(-[LlRr][RrCcSs][Bb]-|-{5,}|-)"),
    Rule("\\x96\\x97\\u2013-\\u2015-", "(-{2,4}|[\\x96\\x97\\u2013-\\u2015])", "=--"),
    Rule(".\\u2026", "(\\.{3,5}|\\.(?:[ \\xa0]\\.){2,4}|\\u2026)", "=..."),
    Rule("!?", "([!?]+)"),
    Rule("*\\\\", "(\\*+|(?:\\\\\\*)+)"),
    Rule("_@#", "(_+|@+|#+)"),
    Rule("<>", "(<<?|>>?)"),
    Rule(_SUPERSCRIPT, f"([{_SUPERSCRIPT}]+)"),
    Rule(".+()\\[\\]{}\\x80\\xa2-\\xa4\\xbc-\\xbe\\u20a0\\u20ac\\u2153\\u2154" + _SYMBOL, "([\\s\\S])", "symbol"),
)
