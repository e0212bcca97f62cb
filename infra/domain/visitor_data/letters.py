"""Open dead letters whose record names a person, by pseudonyms and ids. Their content is deleted when they are retried
or skipped (`infra.kernel.subscriptions.dead_letters`)."""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from infra.domain.visitor_data.person import Person, Stores
from infra.kernel.http.problems import Problem
from schemas.click_id import event_id

MAX_LETTERS: Final = 2_000
"""Open ones of one website that are searched."""

_LETTERS: Final = f"""
WITH letter AS MATERIALIZED (
    SELECT id, topic, first_at, encode(value, 'escape') AS record FROM engine.dead_letter
    WHERE website_id = %(site)s AND state = 'open' ORDER BY first_at DESC, id LIMIT {MAX_LETTERS + 1})
SELECT found.*, counted.searched FROM (SELECT count(*) AS searched FROM letter) AS counted LEFT JOIN (
    SELECT id, topic, first_at, substring(record from '"id": ?"([0-9a-f-]{{36}})"') AS record_id FROM letter
    WHERE EXISTS (
        SELECT FROM regexp_split_to_table(record, '[^0-9A-Za-z-]+') AS said (word) WHERE said.word = ANY(%(words)s))
) AS found ON true ORDER BY found.first_at, found.id"""


@dataclass(frozen=True, slots=True)
class Letter:
    """An open dead letter. `record_id`: the id that a record of topic `rejected` has."""

    id: UUID
    topic: str
    first_at: datetime
    record_id: str | None


def find_letters(stores: Stores, person: Person) -> list[Letter]:
    """The letters that name the person, the oldest first. Raises `Problem` 422 `too_much_data` where the website has
    more letters than one request searches."""
    words = {str(number) for number in person.visitors | person.sessions}
    words |= person.click_ids | person.customers | {str(event_id(text)) for text in person.click_ids}
    bound = {"site": person.website_id, "words": sorted(words | {str(id_) for id_ in person.conversion_ids})}
    rows = stores.postgres(_LETTERS, bound)
    if rows[0]["searched"] > MAX_LETTERS:
        message = f"More than {MAX_LETTERS:,} records of this website could not be processed. Handle them first."
        raise Problem(422, "too_much_data", message)
    found = [row for row in rows if row["id"] is not None]
    return [Letter(row["id"], row["topic"], row["first_at"], row["record_id"]) for row in found]
