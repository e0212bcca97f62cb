"""Detects the encoding of a text file from a bounded sample, and decodes it piece by piece.

`content` -> this -> `text_source`, `json_source`. A byte that the encoding does not have becomes `UNDECODED`: the line
with it is rejected, not the file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import Final

from charset_normalizer import from_bytes

from infra.domain.report_files.content import BoundedFile
from infra.domain.report_files.layouts import UnreadableReport

SAMPLE: Final = 1 << 17
MAX_SCANNED: Final = 1 << 26
"""Bytes that are searched for one beyond ASCII."""
UNDECODED: Final = "\udcff"
"""Stands for bytes that the encoding does not have; no encoding yields it."""
_MAX_WRONG: Final = 0.1
"""A share of sequences that may be no UTF-8 in a file of UTF-8."""
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_JAPANESE: Final = ("cp932", "euc_jp")
_MIN_KANA: Final = 0.1
_LATIN: Final = ("cp1252", "cp1250")
_GUESSED: Final = (
    "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256",
)  # fmt: skip
"""Of other scripts."""
ENCODINGS: Final = frozenset(
    codecs.lookup(name).name
    for name in (
        *_GUESSED,
        *_LATIN,
        "cp1254",
        "iso8859_2",
        "iso8859_15",
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "ascii",
        "latin-1",
        "mac_roman",
    )
)
"""What a person may choose."""
_CARONS: Final = frozenset("šžŠŽ")
"""Both encodings have these letters; beside `_CARONS_MISREAD`, as cp1252 shows řěůčďň, they are Czech or Slovak."""
_CARONS_MISREAD: Final = frozenset("øìùèïòØÌÙÈÏÒ")
_MONEY: Final = frozenset("€£¥")
_PUNCTUATION: Final = frozenset("§°–—’‘“”„«»…·®©™½¼¾\u00a0\u00ad")
_HIGH_BYTES: Final = re.compile(rb"[\x80-\xff]+")
_MAX_RUN: Final = 3
"""Bytes beyond ASCII that follow each other in Latin scripts, on average."""


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return UNDECODED, error.end


codecs.register_error("althing.undecoded", _mark)


def detect_encoding(content: BoundedFile) -> str:
    """The name of the encoding: from a byte order mark, the pattern of NUL bytes, UTF-8 where it is valid, else a guess
    by what the text then says."""
    sample, is_whole = _sample(content)
    for mark, name in _BOMS:
        if sample.startswith(mark):
            return name
    if wide := _wide(sample):
        return wide
    if sample.isascii():
        return "utf-8"
    valid, wrong = _utf8_sequences(sample, is_whole=is_whole)
    if valid and wrong <= _MAX_WRONG * valid:
        return "utf-8"
    return _guess(sample)


def checked_encoding(name: str) -> str:
    """Raises `UnreadableReport` (unknown_encoding)."""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        known = ""
    if known not in ENCODINGS:
        raise UnreadableReport("unknown_encoding", f'The encoding "{name[:40]}" is not supported.')
    return known


def decoded(chunks: Iterable[bytes], encoding: str) -> Iterator[str]:
    """The text, piece by piece, without a byte order mark."""
    decoder = codecs.getincrementaldecoder(encoding)("althing.undecoded")
    is_start = True
    for chunk in chunks:
        text = decoder.decode(chunk)
        if text:
            yield text.removeprefix("\ufeff") if is_start else text
            is_start = False
    if rest := decoder.decode(b"", final=True):
        yield rest


def _sample(content: BoundedFile) -> tuple[bytes, bool]:
    """The beginning; if that is ASCII, the first part with other bytes. True: the file is not longer."""
    first, scanned = b"", 0
    for chunk in content.chunks():
        scanned += len(chunk)
        if len(first) < SAMPLE:
            first += chunk
        elif not first.isascii() or scanned > MAX_SCANNED:
            return first, False
        elif not chunk.isascii():
            return first[: SAMPLE // 2] + b"\n" + chunk[chunk.find(b"\n") + 1 :], False
    return first, True


def _wide(sample: bytes) -> str:
    """UTF-16 without a byte order mark: every second byte of most text is NUL."""
    even, odd = sample[0:4096:2], sample[1:4096:2]
    if even.count(0) > 0.6 * len(even) and odd.count(0) < 0.1 * len(odd):
        return "utf-16-be"
    if odd.count(0) > 0.6 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    return ""


def _utf8_sequences(sample: bytes, *, is_whole: bool) -> tuple[int, int]:
    """How many sequences beyond ASCII are UTF-8, and how many are not."""
    text = codecs.getincrementaldecoder("utf-8")("althing.undecoded").decode(sample, final=is_whole)
    wrong = text.count(UNDECODED)
    return sum(char > "\x7f" for char in text) - wrong, wrong


def _guess(sample: bytes) -> str:
    """Japanese by its syllables; Latin letters by their neighbours; another script by charset-normalizer."""
    lines = b"\n".join(line for line in sample.splitlines() if not line.isascii())[: 1 << 14]
    japanese = next((name for name in _JAPANESE if _is_japanese(lines, name)), "")
    if japanese:
        return japanese
    latin = _latin(lines)
    if latin:
        return latin
    best = from_bytes(lines, cp_isolation=list(_GUESSED)).best()
    return codecs.lookup(best.encoding).name if best is not None else "cp1252"


def _latin(lines: bytes) -> str:
    """Western or Central European; empty: neither, since letters beyond ASCII follow each other as in other scripts."""
    runs = _HIGH_BYTES.findall(lines)
    western, central = (_decodes(lines, name) for name in _LATIN)
    odd = {name: _oddities(text) for name, text in zip(_LATIN, (western, central), strict=True)}
    if sum(map(len, runs)) > _MAX_RUN * len(runs):
        return ""
    if odd["cp1252"] != odd["cp1250"]:
        return min(odd, key=lambda name: odd[name])
    letters = set(western)
    return "cp1250" if letters & _CARONS and letters & _CARONS_MISREAD else "cp1252"


def _is_japanese(data: bytes, encoding: str) -> bool:
    """Returns whether the data has the syllables of Japanese texts, or signs only that never touch Latin letters."""
    text = _decodes(data, encoding)
    signs = [char for char in text if char > "\x7f"]
    kana = sum("\u3041" <= char <= "\u30ff" for char in signs)
    if UNDECODED in text or kana > _MIN_KANA * len(signs):
        return UNDECODED not in text
    is_glued = any(
        char.isascii() and char.isalpha() and max(before, after) > "\x7f"
        for before, char, after in zip(" " + text, text, text[1:] + " ", strict=False)
    )
    return encoding == "cp932" and not is_glued and all("\u4e00" <= char <= "\u9fff" for char in signs)


def _decodes(data: bytes, encoding: str) -> str:
    return data.decode(encoding, errors="althing.undecoded")


def _oddities(text: str) -> int:
    """The number of characters beyond ASCII that do not fit to their neighbours, and of bytes that are no character."""
    return text.count(UNDECODED) + sum(
        _is_odd(before, char, after)
        for before, char, after in zip(" " + text, text, text[1:] + " ", strict=False)
        if char > "\x7f"
    )


def _is_odd(before: str, char: str, after: str) -> bool:
    if char in _MONEY:
        return after.isalpha()
    if not char.isalpha():
        return char not in _PUNCTUATION and (before.isalpha() or after.isalpha())
    if char in "œŒ":
        return after.isascii() and after.isalpha() and after not in "uiUI"
    return before.isdigit() or after.isdigit() or (char.isupper() and before.islower())
