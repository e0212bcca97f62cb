"""Validates a language model's text against the evidence. Pure.

The model may only rephrase. Its text is dropped for the rule-based text if it adds a number, date, amount, currency,
share, cause, name or direction; or links, addresses or markup. Numbers are compared with their unit: 13 November is not
13 clicks, 30 clicks are not 30%.
"""

from __future__ import annotations

import re
from typing import Final

from command_api.insights.finding import InsightFinding
from command_api.insights.wording import InsightText
from schemas.currencies import MINOR_DIGITS

MAX_TITLE_LENGTH: Final = 90
MAX_CONTENT_LENGTH: Final = 600
MAX_NAME_USES: Final = 4
"""Occurrences of a name in the text of a finding."""

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_LONG_MONTH: Final = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_MONTH: Final = "|".join(month[:3] for month in _MONTHS)
_NUMBER: Final = re.compile(
    rf"(?:\b(?P<month>{_MONTH}) )?(?P<figure>\d{{1,3}}(?:[, \u202f\u00a0']\d{{3}})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?)"
    rf"(?P<unit>[^\W\d]+|[ \u00a0\u202f]?%| (?:{_MONTH}|[A-Z]{{3}})\b)?"
)
_COMMON_PERIOD: Final = re.compile(r"\b(?:last|past|these|those) 7 days\b", re.IGNORECASE)
"""A number that the rule-based text need not have."""
_LINKS: Final = re.compile(r"://|\bwww\b|[<>@`\\{}\[\]|#~]|\w\.[a-z]{2,}|\b(?:javascript|data|mailto):", re.IGNORECASE)
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
    r"|incomes?|profits?|commissions?|sessions?|impressions?|(?:ro)?bots?|sign-?ups?|leads?|subscribers?|purchases?|payouts?)\b",
    re.IGNORECASE,
)
_ASSERTIONS: Final = re.compile(
    r"\b(?:no|none|nothing|nobody|zero|nan|null|never|all|every|entire(?:ly)?|whole|majority|minority|most(?:ly)?|nearly|almost"
    r"|barely|hardly|because|due to|thanks to|caus\w+|owing|results? (?:of|from)|resulted|driven|suggest\w*|probably"
    r"|likely|certain\w*|guarantee\w*|will|expect\w*|forecast\w*|should|must)\b",
    re.IGNORECASE,
)
"""Universal assertions, causes, forecasts and advice: allowed only if the rule-based text has them."""
_OF_TIME: Final = re.compile(
    r"\b(?:today|yesterday|tomorrow|overnight|hours?|months?|years?|quarters?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"|weekends?|{_MONTH})\b",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"(?<=[a-z,;:%\d)] )[A-Z][A-Za-z]+")
"""A word with a capital inside a sentence."""
_INSTRUCTIONS: Final = re.compile(
    r"\b(?:ignore|disregard|password|credit card|api key|system prompt|instructions?|wire|bitcoin|gift cards?"
    r"|call us|phone|whatsapp|telegram|log ?in|sign ?in|verify your|suspended|refund)\b",
    re.IGNORECASE,
)
_SIGNS: Final = "$\u20ac\u00a3\u00a5\u20b9\u20bf"
_TYPOGRAPHY: Final = frozenset("\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2212\u00a0\u202f")
_UNITS: Final = frozenset({"%", *_MONTH.split("|"), *MINOR_DIGITS})
_PLACEHOLDER: Final = re.compile(r"\bS\d+\b")


def validated(model: InsightText, ours: InsightText, finding: InsightFinding) -> InsightText | None:
    """The model's text if it adds nothing to the rule-based text; none otherwise."""
    title, content = " ".join(model.title.split()), " ".join(model.content.split())
    if not title or not content or len(title) > MAX_TITLE_LENGTH or len(content) > MAX_CONTENT_LENGTH:
        return None
    said, reference = f"{title}. {content}", f"{ours.title}. {ours.content}"
    if not is_supported(said, reference):
        return None
    if len(_PLACEHOLDER.findall(said)) > MAX_NAME_USES or not _asserts_nothing_else(said, reference):
        return None
    return InsightText(title, content) if _has_same_direction(said, reference, finding) else None


def is_supported(said: str, known: str) -> bool:
    """Returns whether every number, currency, address, markup, instruction and special character of a text is in
    `known`."""
    if not said.isprintable() or _has_foreign_characters(said, known):
        return False
    said, known = _with_short_months(said), _with_short_months(known)
    if any(found_by(pattern, said) - found_by(pattern, known) for pattern in (_LINKS, _SPELLED, _INSTRUCTIONS)):
        return False
    if not _numbers(_COMMON_PERIOD.sub("", said)) <= _numbers(known):
        return False
    return set(_PLACEHOLDER.findall(said)) <= set(_PLACEHOLDER.findall(known)) and _currencies(said) <= _currencies(
        known
    )


def _with_short_months(text: str) -> str:
    """Abbreviates months, because a month in full and its abbreviation are the same."""
    return _LONG_MONTH.sub(lambda found: found.group(0)[:3], text)


def _has_same_direction(said: str, known: str, finding: InsightFinding) -> bool:
    """Returns whether the direction matches the finding, and "doubled" and "half" match the change."""
    change = finding.figures.get("change", 0.0)
    if _DOUBLE.search(said) and not 0.8 <= change <= 1.3:
        return False
    if _HALF.search(said) and not -0.6 <= change <= -0.4:
        return False
    way = change or (-1 if finding.topic == "silence" else 1)  # more bots, rejections, earnings
    if way > 0 and len(_MINUS.findall(said)) > len(_MINUS.findall(known)):
        return False
    wrong = _DOWN if way > 0 else _UP
    return not found_by(wrong, said) - found_by(wrong, known)


def _asserts_nothing_else(said: str, known: str) -> bool:
    """Returns whether the text counts the same things and adds no names, causes or forecasts."""
    said, known = _with_short_months(said), _with_short_months(known)
    if any(found_by(pattern, said) - found_by(pattern, known) for pattern in (_ASSERTIONS, _OF_TIME)):
        return False
    if {_plain(word) for word in found_by(_METRICS, said)} - {_plain(word) for word in found_by(_METRICS, known)}:
        return False
    if {word.casefold() for word in _NAME.findall(said)} - set(re.findall(r"\w+", known.casefold())):
        return False
    ours = _unit_by_number(known)
    return all(
        thing in ours.get(figure, (thing,)) for figure, things in _unit_by_number(said).items() for thing in things
    )


def _unit_by_number(text: str) -> dict[str, set[str]]:
    """The unit that follows each number."""
    units: dict[str, set[str]] = {}
    for match in _NUMBER.finditer(text):
        thing = _METRICS.match(text, match.end() + 1)
        if thing is not None:
            units.setdefault(_figure(match), set()).add(_plain(thing.group(0).casefold()))
    return units


def _plain(word: str) -> str:
    return word.replace(" ", "").removesuffix("s")


def found_by(pattern: re.Pattern[str], text: str) -> set[str]:
    """Returns the matches of the pattern, in lower case."""
    return {match.group(0).casefold() for match in pattern.finditer(text)}


def _numbers(text: str) -> set[tuple[str, str]]:
    """Returns each number with its unit."""
    return {(_figure(match), _unit(match)) for match in _NUMBER.finditer(_PLACEHOLDER.sub("", text))}


def _unit(found: re.Match[str]) -> str:
    """Returns the unit: %, a month, a currency, or letters attached to the number; empty before any other word."""
    unit = found["unit"] or ""
    plain = unit.strip(" \u00a0\u202f")
    sticks = unit == plain
    return (found["month"] or (plain if sticks or plain in _UNITS else "")).casefold()


def _figure(found: re.Match[str]) -> str:
    return re.sub(r"[^\d.]", "", found["figure"])


def _currencies(text: str) -> set[str]:
    codes = {word for word in re.findall(r"\b[A-Z]{3}\b", text) if word in MINOR_DIGITS}
    return codes | {sign for sign in _SIGNS if sign in text}


def _has_foreign_characters(said: str, known: str) -> bool:
    """Returns whether the text has characters outside ASCII, typography and `known`, which could imitate letters or
    digits."""
    return bool({letter for letter in said if not letter.isascii()} - set(known) - _TYPOGRAPHY)
