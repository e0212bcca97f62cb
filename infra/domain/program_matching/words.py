"""Texts as lists of stems. Pure; English, and light on purpose: what is compared was stemmed the same way."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final

MAX_WORDS: Final = 2_000

_WORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_DOUBLED: Final = frozenset("bdgmnprt")
_TOGETHER: Final = (("e-mail", "email"), ("e-commerce", "ecommerce"), ("make-up", "makeup"), ("wi-fi", "wifi"))
_STOP: Final = frozenset((files("infra.domain.program_matching") / "stop_words.txt").read_text("utf-8").split())
"""Words that do not identify a subject; most ideas are a site with reviews and guides."""


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words in order, without stop words: `"Hiking boots!"` -> `("hik", "boot")`."""
    text = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    for apart, together in _TOGETHER:
        text = text.replace(apart, together)
    found = _WORD.findall(text)
    return tuple(stem(word) for word in found[:MAX_WORDS] if word not in _STOP and len(word) > 1)


def stem(word: str) -> str:
    """A light stem: removes possessives, plurals, -ing, -ed and a last e or y; words of three letters are unchanged."""
    word = word.partition("'")[0]
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] in _DOUBLED:
                word = word[:-1]
            break
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1]
    return word


def count_phrase(words: Sequence[str], phrase: Sequence[str]) -> int:
    """How often the stems of a phrase occur in `words` consecutively."""
    length = len(phrase)
    if length == 1:
        return sum(word == phrase[0] for word in words)
    return sum(tuple(words[at : at + length]) == tuple(phrase) for at in range(len(words) - length + 1))
