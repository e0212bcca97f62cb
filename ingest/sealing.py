"""Encodes what goes into the log, with personal texts sealed by an erasable key (`infra.kernel.log.sealed_texts`).

The key is read with the directory (`ingest.directory.refresh`) and stays in memory, so no event waits for Postgres. An
ingest that has never reached Postgres has none: it writes the texts in clear rather than lose them.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Final

import msgspec

from infra.domain.visitor_data.sealing import leaf_of_event, leaf_of_refusal, leaf_of_report
from infra.kernel.log.sealed_texts import sealed_value
from infra.kernel.security.text_keys import TextKey
from ingest.rows import encode_row
from schemas import topics
from schemas.tracking import (
    NO_ID,
    SEALED_OF_EVENTS,
    SEALED_OF_REFUSALS,
    SEALED_OF_REPORTS,
    ConversionReported,
    Refusal,
    TrackedEvent,
)

_texts_of: Final = attrgetter(*SEALED_OF_EVENTS)
_encode: Final = msgspec.json.Encoder().encode
_NEW_FIELDS: Final = {"txid_scope": "", "other_id": NO_ID, "unread": {}, "exact": {}}


@dataclass(slots=True)
class TextSealing:
    """Owned by the event loop. `key`: the one that seals; none is known yet."""

    key: TextKey | None = None

    def replace(self, key: TextKey | None) -> None:
        """Takes the key that seals from now on."""
        if key is not None:
            self.key = key

    def event(self, row: TrackedEvent, website: bytes) -> bytes:
        """The value of a record of topic `clicks`. `website`: the id's bytes."""
        values = _texts_of(row)
        if self.key is None or not any(values):
            return encode_row(row)
        leaf = leaf_of_event(website, row.visitor, row.session, row.click_id, row.event_id)
        texts = {name: value for name, value in zip(SEALED_OF_EVENTS, values, strict=True) if value}
        if row.origin == "redirect" and texts.pop("props", "") and not texts:
            return encode_row(row)  # the route that the link's rules chose stays in any case
        for name in texts:
            setattr(row, name, "")
        value = encode_row(row)
        for name, text in texts.items():
            setattr(row, name, text)
        return sealed_value(value, _encode(texts), self.key, leaf, topics.CLICKS.name, row.event_id.encode())

    def report(self, reported: ConversionReported, record_key: bytes) -> bytes:
        """The value of a record of topic `conversions`: what is new in a report only where it says something, so that a
        version of before reads it."""
        nothing = {name for name, default in _NEW_FIELDS.items() if getattr(reported, name) == default}
        texts = {name for name in SEALED_OF_REPORTS if getattr(reported, name)}
        if self.key is None or not texts:
            return reported.model_dump_json(exclude=nothing).encode()
        value = reported.model_dump_json(exclude=nothing | texts).encode()
        sealed = reported.model_dump_json(include=texts).encode()
        leaf = leaf_of_report(reported.report_id)
        return sealed_value(value, sealed, self.key, leaf, topics.CONVERSIONS.name, record_key)

    def refusal(self, refusal: Refusal, record_key: bytes) -> bytes:
        """The value of a record of topic `rejected`; an empty request is left out, so that a version of before reads
        the others."""
        nothing = set() if refusal.request else {"request"}
        texts = {name for name in SEALED_OF_REFUSALS if getattr(refusal, name)}
        if self.key is None or not texts:
            return refusal.model_dump_json(exclude=nothing).encode()
        value = refusal.model_dump_json(exclude=nothing | texts).encode()
        sealed = refusal.model_dump_json(include=texts).encode()
        return sealed_value(value, sealed, self.key, leaf_of_refusal(refusal.id), topics.REJECTED.name, record_key)
