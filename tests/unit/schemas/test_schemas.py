"""The vocabulary keeps its promises: every event is documented, sampled, and still readable in every version."""

from __future__ import annotations

from uuid import UUID

import msgspec
import orjson
import pytest

from infra.kernel.config.paths import ROOT
from schemas import docs, envelope, tracking
from schemas.base import ERASED, REGISTRY, UnknownEvent, personal_fields, upcast
from schemas.events.accounts import AccountRegistered
from schemas.events.partners import PartnerRegistered, TermsKind
from schemas.message_ids import Headers
from tests.support.decryption import Opening

PERSONAL_SINCE_THE_SAMPLE = {
    *(("website.connected", "domain"), ("website.updated", "domain"), ("domain.added", "domain")),
    *(("domain.tls_lost", "problem"), ("host.claimed", "host"), ("account.disabled", "reason")),
    *(("listing.rejected", "reason"), ("listing.suspended", "reason")),
}
"""Stored as they are until then: such an event reads as it was written, and may not name its person."""
SAMPLES = ROOT / "schemas" / "samples"
AGGREGATE = UUID("0192f3a0-0000-7000-8000-000000000003")


def domain_samples() -> list[tuple[str, int, bytes]]:
    found = []
    for path in sorted(SAMPLES.glob("*.json")):
        name, _, version = path.stem.rpartition(".v")
        if not name.startswith("tracking."):
            found.append((name, int(version), path.read_bytes()))
    return found


def test_every_event_has_a_golden_sample_for_each_of_its_versions() -> None:
    wanted = {(name, v) for name, event in REGISTRY.items() for v in range(1, event.VERSION + 1)}
    assert {(name, version) for name, version, _ in domain_samples()} == wanted


def test_every_stored_version_still_decodes_through_the_envelope() -> None:
    failed = {}
    for name, version, value in domain_samples():
        try:
            decodes_through_the_envelope(name, version, value)
        except Exception as error:  # noqa: BLE001 - every sample that fails is named
            failed[name, version] = repr(error)
    assert failed == {}


def decodes_through_the_envelope(name: str, version: int, value: bytes) -> None:
    headers = envelope.headers(name, version, position=7, aggregate_id=AGGREGATE, aggregate_version=3)
    found = envelope.decode(value, headers)
    assert type(found.event) is REGISTRY[name]
    assert found.position == 7 == envelope.position_of(headers)
    assert (found.event.originator_id, found.event.originator_version) == (AGGREGATE, 3)
    for field in personal_fields(type(found.event)):
        plain = orjson.loads(value).get(field) if (name, field) in PERSONAL_SINCE_THE_SAMPLE else ERASED
        assert getattr(found.event, field) == plain


def test_whose_key_encrypts_is_always_a_person_named_in_the_event() -> None:
    later = {name for name, _ in PERSONAL_SINCE_THE_SAMPLE}
    for event in REGISTRY.values():
        annotation = event.model_fields[event.SUBJECT].annotation
        assert annotation is UUID or (event.NAME in later and annotation == UUID | None), event.NAME


def test_a_partner_of_version_1_reads_as_version_2_with_terms() -> None:
    state = orjson.loads((SAMPLES / "partner.registered.v1.json").read_bytes())
    assert state["commission"] == "12.5"
    event_class, state = upcast("partner.registered", 1, state)
    event = event_class.model_validate({**state, "originator_id": AGGREGATE, "originator_version": 1})
    assert isinstance(event, PartnerRegistered)
    assert (event.terms.kind, event.terms.rate_bp, event.cookie_days) == (TermsKind.PERCENT, 1250, 30)


def test_personal_values_are_opened_for_their_own_person() -> None:
    value = (SAMPLES / "account.registered.v1.json").read_bytes()
    headers = envelope.headers("account.registered", 1, 1, AGGREGATE, 1)
    asked: list[tuple[UUID, str, str]] = []

    def decrypt(subject_id: UUID, field: str, text: str) -> str:
        asked.append((subject_id, field, text))
        return f"plain {field}"

    event = envelope.decode(value, headers, Opening(decrypt)).event
    assert isinstance(event, AccountRegistered)
    assert (event.email, event.name) == ("plain email", "plain name")
    assert sorted(asked) == [(AGGREGATE, "email", "enc:c2VhbGVk"), (AGGREGATE, "name", "enc:c2VhbGVk")]


@pytest.mark.parametrize(
    ("value", "headers"),
    [
        (b"{}", ()),
        (b"not json", envelope.headers("account.erased", 1, 1, AGGREGATE, 1)),
        (b"{}", envelope.headers("account.erased", 1, 1, AGGREGATE, 1)),
        (b"{}", envelope.headers("no.such_event", 1, 1, AGGREGATE, 1)),
        (b"{}", envelope.headers("account.erased", 9, 1, AGGREGATE, 1)),
        (b'{"timestamp":"2026-01-01T00:00:00Z","more":1}', envelope.headers("account.erased", 1, 1, AGGREGATE, 1)),
    ],
)
def test_what_is_no_event_is_refused_with_one_kind_of_error(value: bytes, headers: Headers) -> None:
    with pytest.raises(envelope.UndecodableEvent):
        envelope.decode(value, headers)


def test_an_unknown_version_is_not_guessed() -> None:
    with pytest.raises(UnknownEvent, match="versions 1 to 2"):
        upcast("partner.registered", 3, {})


@pytest.mark.parametrize("kind", docs.TRACKING, ids=lambda kind: kind.NAME)
def test_tracking_facts_have_samples_that_validate(kind: type[tracking.Refusal]) -> None:
    sample = (SAMPLES / f"{kind.NAME}.v{kind.VERSION}.json").read_bytes()
    assert kind.model_validate_json(sample).model_dump(exclude_defaults=True)


def test_a_tracked_event_has_a_sample_that_validates() -> None:
    kind = tracking.TrackedEvent
    sample = (SAMPLES / f"{kind.NAME}.v{kind.VERSION}.json").read_bytes()
    event = msgspec.json.decode(sample, type=kind)
    assert orjson.loads(msgspec.json.encode(event)) == orjson.loads(sample)
    for name, bad in (("event_id", "1"), ("occurred_at", "now"), ("type", "A"), ("country", "x"), ("visitor", -1)):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({**orjson.loads(sample), name: bad}, kind)


def test_log_times_round_trip() -> None:
    assert tracking.log_time(tracking.from_log_time("2026-05-17 10:05:03.250")) == "2026-05-17 10:05:03.250"
