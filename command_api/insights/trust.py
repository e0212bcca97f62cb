"""A model's words are taken only as far as the evidence goes. Pure.

What it may do is say the same more readably. A number, a date, an amount, a currency or a direction that our own words
do not have drops its words, and ours stand; so do links, addresses and markup, which no insight needs.
"""

from __future__ import annotations

import re
from typing import Final

from command_api.insights.finding import Finding
from command_api.insights.words import Words
from schemas.currencies import MINOR_DIGITS

MOST_TITLE: Final = 90
MOST_CONTENT: Final = 600

_NUMBER: Final = re.compile(r"\d(?:[\d,.\u202f\u00a0' ]*\d)?")
_EVERYDAY: Final = re.compile(r"\b(?:last|past|these|those) 7 days\b", re.IGNORECASE)
"""A number that our words need not have."""
_LEADS_AWAY: Final = re.compile(
    r"://|\bwww\b|[<>@`\\{}\[\]|#~]|\w\.[a-z]{2,}|\b(?:javascript|data|mailto):", re.IGNORECASE
)
_SPELLED: Final = re.compile(
    r"\b(?:three|four|five|six|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|dozens?|hundreds?|thousands?|[mb]illions?|tripled?|triples|quadrupled?|\w+fold|percent(?:age)?|per cent)\b",
    re.IGNORECASE,
)
_DOUBLE: Final = re.compile(r"\b(?:doubl(?:e|ed|es|ing)|twice|twofold)\b", re.IGNORECASE)
_HALF: Final = re.compile(r"\b(?:half|halved|halves|halving)\b", re.IGNORECASE)
_UP: Final = re.compile(
    r"\b(?:grow(?:s|n|th|ing)?|grew|increas\w+|ris(?:e|es|en|ing)|rose|surg\w+|soar\w*|jump(?:ed|s)?|climb\w*|up)\b",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"\b(?:f[ae]ll(?:s|en|ing)?|drop(?:s|ped|ping)?|declin\w+|decreas\w+|los[st]\w*|plung\w+|shr[aiu]nk\w*|down)\b",
    re.IGNORECASE,
)
_ORDERS: Final = re.compile(
    r"\b(?:ignore|disregard|password|credit card|api key|system prompt|instructions?|wire|bitcoin|gift cards?"
    r"|call us|phone|whatsapp|telegram|log ?in|sign ?in|verify your|suspended|refund)\b",
    re.IGNORECASE,
)
_SIGNS: Final = "$\u20ac\u00a3\u00a5\u20b9\u20bf"
_TYPOGRAPHY: Final = frozenset("\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2212\u00a0\u202f")
_PLACEHOLDER: Final = re.compile(r"\bS\d+\b")


def trusted(model: Words, ours: Words, finding: Finding) -> Words | None:
    """The model's words if they say nothing but what ours say; none otherwise."""
    title, content = " ".join(model.title.split()), " ".join(model.content.split())
    if not title or not content or len(title) > MOST_TITLE or len(content) > MOST_CONTENT:
        return None
    said, known = f"{title} {content}", f"{ours.title} {ours.content}"
    if not adds_nothing(said, known):
        return None
    return Words(title, content) if _same_way(said, known, finding) else None


def adds_nothing(said: str, known: str) -> bool:
    """Whether a model's text has no figure, currency, address, markup, order or odd letter that `known` has not."""
    if not said.isprintable() or _odd(said, known):
        return False
    if any(_words(pattern, said) - _words(pattern, known) for pattern in (_LEADS_AWAY, _SPELLED, _ORDERS)):
        return False
    if not _numbers(_EVERYDAY.sub("", said)) <= _numbers(known):
        return False
    return set(_PLACEHOLDER.findall(said)) <= set(_PLACEHOLDER.findall(known)) and _currencies(said) <= _currencies(
        known
    )


def _same_way(said: str, known: str, finding: Finding) -> bool:
    """Whether it tells of a rise where there is one, and says "doubled" only where it has."""
    change = finding.figures.get("change", 0.0)
    if _DOUBLE.search(said) and not 0.8 <= change <= 1.3:
        return False
    if _HALF.search(said) and not -0.6 <= change <= -0.4:
        return False
    wrong = _DOWN if change > 0 else _UP if change < 0 else None
    return wrong is None or not _words(wrong, said) - _words(wrong, known)


def _words(pattern: re.Pattern[str], text: str) -> set[str]:
    return {found.group(0).casefold() for found in pattern.finditer(text)}


def _numbers(text: str) -> set[str]:
    return {re.sub(r"[^\d.]", "", found).strip(".") for found in _NUMBER.findall(_PLACEHOLDER.sub("", text))}


def _currencies(text: str) -> set[str]:
    codes = {word for word in re.findall(r"\b[A-Z]{3}\b", text) if word in MINOR_DIGITS}
    return codes | {sign for sign in _SIGNS if sign in text}


def _odd(said: str, known: str) -> bool:
    """Letters of other scripts pass for ours, and digits of theirs for none: only what typographers use is taken."""
    return bool({letter for letter in said if not letter.isascii()} - set(known) - _TYPOGRAPHY)
