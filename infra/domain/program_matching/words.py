"""Texts as words and their stems. Pure; English, and light on purpose: what is compared was stemmed the same way."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

MAX_WORDS: Final = 2_000
"""The maximum number of words of a text; the rest of it is ignored."""

_TOKEN: Final = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:'[a-z]+)?|[.,;:!?()\n]")
_PLAIN: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_SHORT: Final = re.compile(r"[^aeiou][aeiou][^aeiouwxy]")
_DOUBLED: Final = frozenset("bdgmnprt")
_TOGETHER: Final = (("e-mail", "email"), ("e-commerce", "ecommerce"), ("make-up", "makeup"), ("wi-fi", "wifi"))
_FOR: Final = frozenset(("for", "für", "para", "pour"))
"""The words before the name of an audience, which ends at the next punctuation mark: in English, German, Spanish,
French."""
_OTHER_WORDS: Final = frozenset((files("infra.domain.program_matching") / "other_words.txt").read_text("utf-8").split())
"""They say something else than the word that they seem to be a form of."""
_STOP: Final = frozenset((files("infra.domain.program_matching") / "stop_words.txt").read_text("utf-8").split())
"""Words that do not identify a subject; most ideas are a site with reviews and guides."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text. `written`: in lower case; `plain`: without accents, too; `is_audience`: it follows a `for`."""

    written: str
    plain: str
    stem: str
    is_audience: bool = False


def words(text: str) -> list[Word]:
    """A text's words in order, without stop words, at most `MAX_WORDS`."""
    text = unicodedata.normalize("NFKC", text.replace("’", "'")).casefold()
    for apart, together in _TOGETHER:
        text = text.replace(apart, together)
    result: list[Word] = []
    count, is_audience = 0, False
    for written in _TOKEN.findall(text):
        plain = _without_accents(written)
        if not _PLAIN.fullmatch(plain):
            is_audience = is_audience and written[0].isalnum()
            continue
        count += 1
        if count > MAX_WORDS:
            break
        is_audience = is_audience or written in _FOR
        if plain.partition("'")[0] not in _STOP and written not in _FOR and len(plain) > 1:
            result.append(Word(written, plain, stem(plain), is_audience))
    return result


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words in order, without stop words: `"Hiking boots!"` -> `("hike", "boot")`."""
    return tuple(word.stem for word in words(text))


def stem(word: str) -> str:
    """A light stem: removes possessives, plurals, -ing, -ed and the last e or y of a long word; words of three letters
    are unchanged."""
    word = word.partition("'")[0]
    if len(word) <= 3 or not word.isalpha():
        return word
    word = _singular(word)
    if word in _OTHER_WORDS:
        return word
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = _uninflected(word[: -len(ending)])
            break
    if len(word) > 4 and word[-1] in "ey":
        word = word[:-1]
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _uninflected(word: str) -> str:
    """Returns the stem of a word without -ing or -ed: runn -> run, bak -> bake."""
    if word[-1] == word[-2] and word[-1] in _DOUBLED:
        return word[:-1]
    return word + "e" if _SHORT.fullmatch(word) else word


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))
