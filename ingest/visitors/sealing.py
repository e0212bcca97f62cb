"""Encodes what goes into the log, with personal texts sealed by an erasable key (`infra.kernel.log.sealed_texts`).

The key is read with the directory (`ingest.directory.refresh`) and stays in memory, so no event waits for Postgres. An
ingest that has never reached Postgres has none: it writes the texts in clear rather than lose them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from infra.domain.visitor_data.sealing import leaf_of_event, leaf_of_refusal, sealed_report
from infra.kernel.log.sealed_texts import bound_to, sealed_value, with_sealed
from infra.kernel.security.text_keys import MAX_LEAVES, LeafCipher, TextKey
from ingest.rows import FIRST_SEALED, LAST_CLEAR, encode_row
from schemas import topics
from schemas.tracking import (
    ROUTED,
    SEALED_OF_REFUSALS,
    ConversionReported,
    Refusal,
    TrackedEvent,
)

_encode: Final = msgspec.json.Encoder().encode
_BOUND: Final = bound_to(topics.CLICKS.name, b"")
_BRACE: Final = ord("}")
_LAST_CLEAR: Final = f',"{LAST_CLEAR}":"'.encode()
_TO_TEXTS: Final = len(_LAST_CLEAR) + len('YYYY-MM-DD hh:mm:ss.mmm"')
_FIRST_SEALED: Final = f',"{FIRST_SEALED}":'.encode()


@dataclass(slots=True)
class TextSealing:
    """Owned by the event loop. `key`: the one that seals; none is known yet."""

    key: TextKey | None = None
    _leaves: dict[tuple[bytes, int], LeafCipher] = field(default_factory=dict)

    def replace(self, key: TextKey | None) -> None:
        """Takes the key that seals from now on."""
        if key is not None:
            self.key = key
            self._leaves.clear()

    def event(self, row: TrackedEvent, website: bytes) -> bytes:
        """The value of a record of topic `clicks`. `website`: the id's bytes; `row`: an `EventRow`."""
        value = encode_row(row)
        if self.key is None:
            return value
        end = value.rfind(_LAST_CLEAR) + _TO_TEXTS  # a quote inside a text is escaped: this can only be the member
        if value[end] == _BRACE:
            return value
        if row.origin == ROUTED and row.props:  # the route that the link's rules chose stays in any case
            end += len(_FIRST_SEALED) + len(_encode(row.props))
            if value[end] == _BRACE:
                return value
        leaf = self._leaves.get((website, row.visitor)) or self._leaf(self.key, row, website)
        if leaf is None:
            return value
        texts = b"{" + value[end + 1 :]
        return with_sealed(value[:end], leaf.seal(texts, _BOUND + row.event_id.encode()))

    def _leaf(self, key: TextKey, row: TrackedEvent, website: bytes) -> LeafCipher | None:
        """Seals for the person of this row; none: the key is a copy of before an erasure. A visitor's is remembered."""
        leaf = key.leaf(leaf_of_event(website, row.visitor, row.session, row.click_id, row.event_id))
        if leaf is not None and row.visitor:
            if len(self._leaves) >= MAX_LEAVES:
                self._leaves.clear()
            self._leaves[website, row.visitor] = leaf
        return leaf

    def report(self, reported: ConversionReported, record_key: bytes) -> bytes:
        """Returns the value of a record of topic `conversions`."""
        return sealed_report(reported, record_key, self.key)

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
