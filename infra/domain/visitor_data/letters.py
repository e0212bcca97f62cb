"""Open dead letters whose record names a person, by pseudonyms and ids. Their content is deleted when they are retried
or skipped (`infra.kernel.subscriptions.dead_letters`)."""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from infra.domain.visitor_data.person import Person, Stores
from infra.kernel.http.problems import Problem
from infra.kernel.log import StoredRecord
from infra.kernel.log.sealed_texts import Texts
from schemas.click_id import event_id

MAX_LETTERS: Final = 2_000
"""Open ones of one website that are searched."""

_LETTERS: Final = f"""
WITH letter AS MATERIALIZED (
    SELECT id, topic, first_at, key, value, encode(value, 'escape') AS record FROM engine.dead_letter
    WHERE website_id = %(site)s AND state = 'open' ORDER BY first_at DESC, id LIMIT {MAX_LETTERS + 1})
SELECT found.*, counted.searched FROM (SELECT count(*) AS searched FROM letter) AS counted LEFT JOIN (
    SELECT letter.id, topic, first_at, key, value, is_named,
        substring(record from '"id": ?"([0-9a-f-]{{36}})"') AS record_id
    FROM letter CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT FROM regexp_split_to_table(record, '[^0-9A-Za-z-]+') AS said (word)
            WHERE said.word = ANY(%(words)s)) AS is_named) AS named
    WHERE is_named OR position('"sealed":"' IN record) > 0
) AS found ON true ORDER BY found.first_at, found.id"""
_WORD: Final = re.compile(r"[0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True)
class Letter:
    """An open dead letter. `record_id`: the id that a record of topic `rejected` has."""

    id: UUID
    topic: str
    first_at: datetime
    record_id: str | None


def find_letters(stores: Stores, person: Person, texts: Texts) -> list[Letter]:
    """The letters that name the person, the oldest first; their texts are opened by `texts`. Raises `Problem` 422
    `too_much_data` where the website has more letters than one request searches."""
    words = {str(number) for number in person.visitors | person.sessions}
    words |= person.click_ids | person.customers | {str(event_id(text)) for text in person.click_ids}
    words |= {str(id_) for id_ in person.conversion_ids}
    bound = {"site": person.website_id, "words": sorted(words)}
    rows = stores.postgres(_LETTERS, bound)
    if rows[0]["searched"] > MAX_LETTERS:
        message = f"More than {MAX_LETTERS:,} records of this website could not be processed. Handle them first."
        raise Problem(422, "too_much_data", message)
    candidates = [row for row in rows if row["id"] is not None]
    opened = texts(
        [StoredRecord(row["topic"], 0, 0, 0, bytes(row["key"]), bytes(row["value"]), ()) for row in candidates]
    )
    return [
        Letter(row["id"], row["topic"], row["first_at"], row["record_id"])
        for row, record in zip(candidates, opened, strict=True)
        if row["is_named"] or words.intersection(_WORD.findall(record.value.decode("utf-8", "replace")))
    ]
