"""Encodes what goes into the log, with personal texts sealed by an erasable key (`infra.kernel.log.sealed_texts`).

The key is read with the directory (`ingest.directory.refresh`) and stays in memory, so no event waits for Postgres. An
ingest that has never reached Postgres has none: it writes the texts in clear rather than lose them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from infra.domain.visitor_data.sealing import leaf_of_event, leaf_of_refusal, leaf_of_report
from infra.kernel.log.sealed_texts import bound_to, joined, sealed_value, with_sealed
from infra.kernel.security.text_keys import MAX_LEAVES, TextKey, sealed_by
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
_BOUND: Final = bound_to(topics.CLICKS.name, b"")
_NEW_FIELDS: Final = {"txid_scope": "", "other_id": NO_ID, "unread": {}, "exact": {}}


@dataclass(slots=True)
class TextSealing:
    """Owned by the event loop. `key`: the one that seals; none is known yet."""

    key: TextKey | None = None
    _ciphers: dict[tuple[bytes, int], tuple[bytes, AESGCM]] = field(default_factory=dict)

    def replace(self, key: TextKey | None) -> None:
        """Takes the key that seals from now on."""
        if key is not None:
            self.key = key
            self._ciphers.clear()

    def event(self, row: TrackedEvent, website: bytes) -> bytes:
        """The value of a record of topic `clicks`. `website`: the id's bytes."""
        key = self.key
        if key is None:
            return encode_row(row)
        values = _texts_of(row)
        if not any(values):
            return encode_row(row)
        present = [name for name, value in zip(SEALED_OF_EVENTS, values, strict=True) if value]
        if row.origin == "redirect" and row.props:  # the route that the link's rules chose stays in any case
            present.remove("props")
            if not present:
                return encode_row(row)
        texts = {name: getattr(row, name) for name in present}
        for name in present:
            setattr(row, name, "")
        value = encode_row(row)
        for name in present:
            setattr(row, name, texts[name])
        sealed = _encode(texts)
        found = self._sealed(key, row, website, sealed, row.event_id.encode())
        return joined(value, sealed) if found is None else with_sealed(value, found)

    def _sealed(self, key: TextKey, row: TrackedEvent, website: bytes, texts: bytes, record_key: bytes) -> bytes | None:
        """The texts, sealed; none: the key is a copy of before an erasure. A visitor's cipher is remembered."""
        whose = (website, row.visitor)
        known = self._ciphers.get(whose) if row.visitor else None
        if known is None:
            leaf = leaf_of_event(website, row.visitor, row.session, row.click_id, row.event_id)
            cipher = key.cipher(leaf)
            if cipher is None:
                return None
            known = leaf, cipher
            if row.visitor:
                if len(self._ciphers) >= MAX_LEAVES:
                    self._ciphers.clear()
                self._ciphers[whose] = known
        return sealed_by(known[1], key.number, known[0], texts, _BOUND + record_key)

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
