"""Texts as lists of stems. Pure; English, and light on purpose: what is compared was stemmed the same way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

MOST_WORDS: Final = 2_000

_WORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_DOUBLED: Final = frozenset("bdgmnprt")
_TOGETHER: Final = (("e-mail", "email"), ("e-commerce", "ecommerce"), ("make-up", "makeup"), ("wi-fi", "wifi"))
_STOP: Final = frozenset(
    "a about after all also am an and any are as at be because been before being best both but by can could do does"
    " doing down each easy every few for from further get good had has have having he her here him his how i if in into"
    " is it its just let like make makes making many me more most much my new no nor not now of off on once one only or"
    " other our out over own people per run same she should site so some such than that the their them then there these"
    " they this those through to too under until up use used using very was way ways we were what when where which"
    " while who whom why will with work working would you your website websites blog blogs review reviews guide guides"
    " want wants need needs help helps idea ideas start starting".split()
)
"""Words that say nothing about a subject; most of what people write about is a site with reviews and guides."""


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text's words in order, without stop words: `"Hiking boots!"` -> `("hik", "boot")`."""
    text = text.lower().replace("’", "'")
    for apart, together in _TOGETHER:
        text = text.replace(apart, together)
    found = _WORD.findall(text)
    return tuple(stem(word) for word in found[:MOST_WORDS] if word not in _STOP and len(word) > 1)


def stem(word: str) -> str:
    """A light stem: possessives, plurals, -ing, -ed and a last e or y go; words of three letters stay."""
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
    """How often the stems of a phrase stand in `words` one after the other."""
    length = len(phrase)
    if length == 1:
        return sum(word == phrase[0] for word in words)
    return sum(tuple(words[at : at + length]) == tuple(phrase) for at in range(len(words) - length + 1))
