"""Samples of refused requests, and reports that can be replayed, that quote a person's click or order. Ids of visitors
and customers are never in them
(`ingest.rejection_log.without_secrets`)."""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from typing import Any, Final

from infra.domain.visitor_data.person import Person

MAX_SAMPLES: Final = 1_000
GATHERED_FOR_S: Final = 0.5
"""The time for which ingest gathers refused requests before it appends them to topic `rejected`."""
MIN_LENGTH: Final = 4
"""A shorter transaction id is a number like any other in a sample: it would find the samples of others."""

_WORDS: Final = "[^0-9A-Za-z_.~:-]+"
"""The signs between the words of a sample."""

SAMPLES: Final = (
    "SELECT id, at, outcome, code, endpoint, sample, request FROM {refusals}"
    " WHERE website_id = {{site:UUID}} AND (sample <> '' OR request <> '')"
    f" AND (hasAny(splitByRegexp('{_WORDS}', concat(sample, ' ', request)), {{{{words:Array(String)}}}})"
    " OR arrayExists(text -> position(sample, text) > 0 OR position(request, text) > 0, {{texts:Array(String)}}))"
    f" ORDER BY at, id LIMIT {MAX_SAMPLES + 1}"
)


def bound_samples(person: Person) -> dict[str, Any] | None:
    """The values of `SAMPLES`; None where there is nothing to look for. A rare id has other signs: it is looked for as
    a text."""
    sought = {text for text in {*person.click_ids, *person.txids} if len(text) >= MIN_LENGTH}
    if not sought:
        return None
    words = {text for text in sought if all(sign.isascii() and (sign.isalnum() or sign in "_.~:-") for sign in text)}
    return {"site": str(person.website_id), "words": sorted(words), "texts": sorted(sought - words)}
