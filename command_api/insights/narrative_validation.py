"""A model's words are taken only as far as the evidence goes. Pure.

What it may do is say the same more readably. A number, a date, an amount, a currency, a share, a cause, a name or a
direction that our own words do not have drops its words, and ours stand; so do links, addresses and markup, which no
insight needs. A number is known with what it is a number of: 13 November is no 13 clicks, 30 clicks are no 30%.
"""

from __future__ import annotations

import re
from typing import Final

from command_api.insights.finding import Finding
from command_api.insights.words import Words
from schemas.currencies import MINOR_DIGITS

MOST_TITLE: Final = 90
MOST_CONTENT: Final = 600
MOST_NAMED: Final = 4
"""Times that a name may stand in a finding's words."""

_MONTH: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_NUMBER: Final = re.compile(
    rf"(?:\b(?P<month>{_MONTH}) )?(?P<figure>\d{{1,3}}(?:[, \u202f\u00a0']\d{{3}})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?)"
    rf"(?P<unit>[^\W\d]+|[ \u00a0\u202f]?%| (?:{_MONTH}|[A-Z]{{3}})\b)?"
)
_EVERYDAY: Final = re.compile(r"\b(?:last|past|these|those) 7 days\b", re.IGNORECASE)
"""A number that our words need not have."""
_LEADS_AWAY: Final = re.compile(
    r"://|\bwww\b|[<>@`\\{}\[\]|#~]|\w\.[a-z]{2,}|\b(?:javascript|data|mailto):", re.IGNORECASE
)
_SPELLED: Final = re.compile(
    r"\b(?:three|four|five|six|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|dozens?|hundreds?|thousands?|[mb]illions?|lakhs?|crores?|tripl\w+|thrice|quadrupl\w+|\w+fold"
    r"|percent\w*|per cent|pct|(?:a|one|two|by)[ -](?:third|quarter|fifth|tenth)s?|thirds|quarters"
    r"|dollars?|euros?|pounds?|yen|rupees?|cents?)\b",
    re.IGNORECASE,
)
_DOUBLE: Final = re.compile(r"\b(?:doubl(?:e|ed|es|ing)|twice|twofold)\b", re.IGNORECASE)
_HALF: Final = re.compile(r"\b(?:half|halved|halves|halving)\b", re.IGNORECASE)
_UP: Final = re.compile(
    r"\b(?:grow(?:s|n|th|ing)?|grew|increas\w+|ris(?:e|es|en|ing)|rose|surg\w+|soar\w*|jump(?:ed|s)?|climb\w*|up|more"
    r"|high(?:er|est)?|gain\w*|boost\w*|spik\w+|improv\w+|better|best|boom\w*|record|strong\w*)\b",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"\b(?:f[ae]ll(?:s|en|ing)?|drop(?:s|ped|ping)?|declin\w+|decreas\w+|los[st]\w*|plung\w+|shr[aiu]nk\w*|down|fewer|less"
    r"|low(?:er|est)?|wors[et]\w*|slump\w*|dip(?:s|ped)?|sl[io]d\w*|tumbl\w+|weak\w*|crash\w*|collaps\w+|reduc\w+)\b",
    re.IGNORECASE,
)
_MINUS: Final = re.compile(r"(?<![\w.,%])[-\u2212](?=\d)")
_METRICS: Final = re.compile(
    r"\b(?:clicks?|conversions?|page ?views?|revenues?|visit(?:or)?s?|users?|sales?|orders?|customers?|earnings"
    r"|incomes?|profits?|commissions?|sessions?|impressions?|robots?|sign-?ups?|leads?|subscribers?|purchases?|payouts?)\b",
    re.IGNORECASE,
)
_CLAIMS: Final = re.compile(
    r"\b(?:no|none|nothing|nobody|zero|nan|null|never|all|every|entire(?:ly)?|whole|majority|minority|most(?:ly)?|nearly|almost"
    r"|barely|hardly|because|due to|thanks to|caus\w+|owing|results? (?:of|from)|resulted|driven|suggest\w*|probably"
    r"|likely|certain\w*|guarantee\w*|will|expect\w*|forecast\w*|should|must)\b",
    re.IGNORECASE,
)
"""Shares of everything, causes, what is to come and what to do: ours to say, from figures."""
_OF_TIME: Final = re.compile(
    r"\b(?:today|yesterday|tomorrow|overnight|hours?|months?|years?|quarters?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"|weekends?|{_MONTH})\b",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?<=[a-z,;:%\d)] )[A-Z][A-Za-z]+")
"""A word with a capital inside a sentence."""
_ORDERS: Final = re.compile(
    r"\b(?:ignore|disregard|password|credit card|api key|system prompt|instructions?|wire|bitcoin|gift cards?"
    r"|call us|phone|whatsapp|telegram|log ?in|sign ?in|verify your|suspended|refund)\b",
    re.IGNORECASE,
)
_SIGNS: Final = "$\u20ac\u00a3\u00a5\u20b9\u20bf"
_TYPOGRAPHY: Final = frozenset("\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2212\u00a0\u202f")
_UNITS: Final = frozenset({"%", *_MONTH.split("|"), *MINOR_DIGITS})
_PLACEHOLDER: Final = re.compile(r"\bS\d+\b")


def trusted(model: Words, ours: Words, finding: Finding) -> Words | None:
    """The model's words if they say nothing but what ours say; none otherwise."""
    title, content = " ".join(model.title.split()), " ".join(model.content.split())
    if not title or not content or len(title) > MOST_TITLE or len(content) > MOST_CONTENT:
        return None
    said, known = f"{title}. {content}", f"{ours.title}. {ours.content}"
    if not adds_nothing(said, known):
        return None
    if len(_PLACEHOLDER.findall(said)) > MOST_NAMED or not _says_no_other_thing(said, known):
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
    way = change or (-1 if finding.topic == "silence" else 1)  # more robots, rejections, earnings
    if way > 0 and len(_MINUS.findall(said)) > len(_MINUS.findall(known)):
        return False
    wrong = _DOWN if way > 0 else _UP
    return not _words(wrong, said) - _words(wrong, known)


def _says_no_other_thing(said: str, known: str) -> bool:
    """Whether it counts what we counted, and names, blames and promises nobody else."""
    if any(_words(pattern, said) - _words(pattern, known) for pattern in (_CLAIMS, _OF_TIME)):
        return False
    if {_plain(word) for word in _words(_METRICS, said)} - {_plain(word) for word in _words(_METRICS, known)}:
        return False
    if {word.casefold() for word in _NAME.findall(said)} - set(re.findall(r"\w+", known.casefold())):
        return False
    ours = _counted(known)
    return all(thing in ours.get(figure, (thing,)) for figure, things in _counted(said).items() for thing in things)


def _counted(text: str) -> dict[str, set[str]]:
    """What each number that stands before something countable counts."""
    found: dict[str, set[str]] = {}
    for match in _NUMBER.finditer(text):
        thing = _METRICS.match(text, match.end() + 1)
        if thing is not None:
            found.setdefault(_figure(match), set()).add(_plain(thing.group(0).casefold()))
    return found


def _plain(word: str) -> str:
    return word.replace(" ", "").removesuffix("s")


def _words(pattern: re.Pattern[str], text: str) -> set[str]:
    return {found.group(0).casefold() for found in pattern.finditer(text)}


def _numbers(text: str) -> set[tuple[str, str]]:
    """Each number with what it is a number of."""
    return {(_figure(found), _unit(found)) for found in _NUMBER.finditer(_PLACEHOLDER.sub("", text))}


def _unit(found: re.Match[str]) -> str:
    """%, a month, a currency, or whatever letters stick to the number; nothing before any other word."""
    unit = found["unit"] or ""
    plain = unit.strip(" \u00a0\u202f")
    sticks = unit == plain
    return (found["month"] or (plain if sticks or plain in _UNITS else "")).casefold()


def _figure(found: re.Match[str]) -> str:
    return re.sub(r"[^\d.]", "", found["figure"])


def _currencies(text: str) -> set[str]:
    codes = {word for word in re.findall(r"\b[A-Z]{3}\b", text) if word in MINOR_DIGITS}
    return codes | {sign for sign in _SIGNS if sign in text}


def _odd(said: str, known: str) -> bool:
    """Letters of other scripts pass for ours, and digits of theirs for none: only what typographers use is taken."""
    return bool({letter for letter in said if not letter.isascii()} - set(known) - _TYPOGRAPHY)
