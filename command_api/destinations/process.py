"""Process manager `destinations:deliver`: prepares deliveries, and sends them to platforms with credentials.

timeout -> conversion as it is now, what the platform knows, click of the ad -> content is stored
-> call of the platform -> `RecordDelivery`, which sets the next attempt

A kill between the call and its record sends the stored content once more; platforms know it by its dedupe id
(`event_id`, order id, or click and time) and count it once. A conversion that changes meanwhile gets another delivery,
which waits for the outcome of the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from time import monotonic
from typing import Final
from uuid import UUID

import structlog
from prometheus_client import Counter

from command_api.conversions import model as conversions
from command_api.conversions.attribution.click_reader import UNAVAILABLE
from command_api.conversions.model import Conversion
from command_api.destinations import model, store
from command_api.destinations.clicks import AdClicks
from command_api.destinations.commands import DeliveryResult, RecordDelivery
from command_api.destinations.decision import DeliveryStep, Skipped, SkipReason, click_problem, next_step
from command_api.destinations.platforms.ad_api import (
    AdApi,
    ConversionAccepted,
    Outcome,
    OutgoingConversion,
    SendFailed,
    SendingLimited,
    SendingRefused,
)
from command_api.destinations.platforms.apis import AD_APIS
from command_api.destinations.platforms.client import AdClient
from command_api.destinations.reasons import reason_text
from command_api.destinations.store import PROCESS, StoredDelivery
from command_api.kernel.container import Container
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.websites import model as websites
from infra.domain.ad_platforms.files import needs_click_id
from infra.domain.ad_platforms.rules import PLATFORMS, click_id_of
from infra.kernel.security.encryption import DecryptionError
from schemas.http.destinations import DeliveryKind

MAX_DELAY: Final = timedelta(days=3)
"""A timeout beyond it was set by a wrong clock."""
BATCH_SIZE: Final = 50
AFTER_ANOTHER: Final = timedelta(minutes=1)
UNREADABLE: Final = "The stored credentials cannot be opened. Enter them again."

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_DELIVERIES: Final = Counter("destination_deliveries_total", "Deliveries by outcome", ["platform", "outcome"])

Result = DeliveryResult | datetime
"""What came of a delivery, or when it is due again."""


def destination_deliveries(container: Container, clicks: AdClicks, client: AdClient) -> ProcessManager:
    """The deliveries of all destinations."""

    def plan(timeouts: Sequence[Timeout], now: datetime) -> Issue:
        found = store.unfinished(container, [timeout.id for timeout in timeouts])
        hashes = {each.id: each.credentials_hash for each in found}
        results = dict(_prepare_all(container, clicks, found, now))
        prepared = store.unfinished(container, [each.id for each in found if each.id not in results])
        results |= _send_all(container, client, prepared, now)
        for each in found:
            result = results.get(each.id)
            if isinstance(result, DeliveryResult):
                _DELIVERIES.labels(each.platform, result.outcome).inc()

        def issue(timeout: Timeout) -> RecordDelivery | datetime | None:
            result = results.get(timeout.id)
            if isinstance(result, DeliveryResult):
                return RecordDelivery(timeout.id, result, hashes[timeout.id])
            return result

        return issue

    return ProcessManager(PROCESS, plan, BATCH_SIZE, unavailable=UNAVAILABLE, ids=_UNFINISHED, max_delay=MAX_DELAY)


def _prepare_all(
    container: Container, clicks: AdClicks, deliveries: Sequence[StoredDelivery], now: datetime
) -> Iterator[tuple[UUID, Result]]:
    """Prepares what is new. Yields the results of what is not to be sent now."""
    for delivery in deliveries:
        if delivery.step is not None:
            continue
        if store.is_sending_another(container, delivery):
            yield delivery.id, now + AFTER_ANOTHER
            continue
        store.begin(container, delivery)
        result = _prepare(container, clicks, delivery, now)
        if result is not None:
            yield delivery.id, result


def _prepare(container: Container, clicks: AdClicks, delivery: StoredDelivery, now: datetime) -> DeliveryResult | None:
    """Decides what is sent, and stores it. Returns a result if nothing is, or if it is in a file."""
    held = container.load(delivery.destination_id, model.evolve)
    conversion = container.load(delivery.conversion_id, conversions.evolve)
    website = container.load(delivery.website_id, websites.evolve)
    if held is None or conversion is None or website is None:
        return DeliveryResult(now, "known")
    last_sent, rules = store.last_sent(container, delivery), held.rules
    click = clicks.of_conversion(conversion, rules) if last_sent is None else None
    step = next_step(rules, held.mapping, conversion, last_sent, click, now)
    if step is None:
        return DeliveryResult(now, "known")
    if isinstance(step, Skipped):
        is_off = step.reason is SkipReason.NO_CLICK_ID and not website.keep_ad_click_ids
        return _skipped(delivery, SkipReason.NOT_KEPT if is_off else step.reason, now)
    store.prepare(container, delivery, step, _page_of(conversion, website.domain), now)
    return None if delivery.credentials_sealed is not None else DeliveryResult(now, "in_file")


def _send_all(
    container: Container, client: AdClient, deliveries: Sequence[StoredDelivery], now: datetime
) -> Mapping[UUID, Result]:
    results: dict[UUID, Result] = {}
    groups: dict[tuple[UUID, bool], list[StoredDelivery]] = {}
    for delivery in deliveries:
        if delivery.is_refused or delivery.step is None:
            continue  # new credentials make it due
        if delivery.paused_until is not None and delivery.paused_until > now:
            results[delivery.id] = delivery.paused_until
        elif delivery.credentials_sealed is None:
            results[delivery.id] = DeliveryResult(now, "in_file")
        elif (problem := _problem(delivery, delivery.step, now)) is not None:
            results[delivery.id] = _skipped(delivery, problem, now)
        else:
            is_correction = delivery.step.kind is not DeliveryKind.CONVERSION
            groups.setdefault((delivery.destination_id, is_correction), []).append(delivery)
    for group in groups.values():
        results |= _send(container, client, AD_APIS[group[0].platform], group, now)
    return results


def _send(
    container: Container, client: AdClient, api: AdApi, group: Sequence[StoredDelivery], now: datetime
) -> Mapping[UUID, Result]:
    """Sends deliveries of one destination, some in a call."""
    results: dict[UUID, Result] = {}
    try:
        credentials = store.open_credentials(container.settings, group[0])
    except DecryptionError:
        return {each.id: DeliveryResult(now, "refused", answer=UNREADABLE) for each in group}
    for batch in _parts(group, api.max_batch):
        begun = monotonic()
        try:
            outgoing = [_outgoing(each, each.step) for each in batch if each.step is not None]
            outcomes = api.send(client.calls_of(api.platform), credentials, outgoing)
        except SendFailed as error:
            log.warning("destination_call_failed", platform=api.platform, error=str(error))
            ended = now + timedelta(seconds=monotonic() - begun)
            if isinstance(error, SendingLimited):
                store.pause(container, group[0].destination_id, ended + error.wait)
            return results | {each.id: _failure(error, ended) for each in group if each.id not in results}
        ended = now + timedelta(seconds=monotonic() - begun)
        results |= {each.id: _attempt(each, one, ended) for each, one in zip(batch, outcomes, strict=True)}
    return results


def _failure(error: SendFailed, now: datetime) -> DeliveryResult:
    is_refused = isinstance(error, SendingRefused)
    return DeliveryResult(now, "refused" if is_refused else "retry", error.status, str(error), wait=error.wait)


def _attempt(delivery: StoredDelivery, outcome: Outcome, now: datetime) -> DeliveryResult:
    if isinstance(outcome, ConversionAccepted):
        return DeliveryResult(now, "sent", 200, outcome.answer)
    answer = _without_ids(delivery, outcome.answer)
    if outcome.wait is None:
        return DeliveryResult(now, "failed", 200, answer)
    return DeliveryResult(now, "retry", 200, answer, wait=outcome.wait)


def _without_ids(delivery: StoredDelivery, answer: str) -> str:
    """The answer as it may be stored: a platform can repeat the click id."""
    click = delivery.step.click if delivery.step is not None else None
    for value in (click.ids or {}).values() if click is not None else ():
        answer = answer.replace(value, "[click id]")
    return answer


def _outgoing(delivery: StoredDelivery, step: DeliveryStep) -> OutgoingConversion:
    click = step.click
    found = click_id_of(PLATFORMS[delivery.platform], click.ids) if click is not None and click.ids else None
    return OutgoingConversion(
        delivery.id,
        delivery.conversion_id,
        step.kind,
        step.event_name,
        step.occurred_at,
        delivery.prepared_at or step.occurred_at,
        step.value,
        click.clicked_at if click is not None else None,
        found,
        delivery.page_url,
    )


def _problem(delivery: StoredDelivery, step: DeliveryStep, now: datetime) -> SkipReason | None:
    """Why what was prepared cannot be sent any more."""
    rules, is_correction = PLATFORMS[delivery.platform], step.kind is not DeliveryKind.CONVERSION
    if rules.max_event_age is not None and now - step.occurred_at > rules.max_event_age:
        return SkipReason.TOO_OLD
    if not needs_click_id(delivery.platform, is_correction=is_correction):
        return None
    problem = click_problem(rules, step.click, now)
    return SkipReason.ERASED if problem is SkipReason.NO_CLICK_ID else problem


def _skipped(delivery: StoredDelivery, reason: SkipReason, now: datetime) -> DeliveryResult:
    text = reason_text(reason, PLATFORMS[delivery.platform])
    return DeliveryResult(now, "skipped", answer=text, reason=reason)


def _page_of(conversion: Conversion, domain: str) -> str:
    """The page that the click stood on, without its query."""
    visit = conversion.facts.attribution.visit if conversion.facts.attribution is not None else None
    host, path = (visit.hostname, visit.path) if visit is not None else ("", "")
    return f"https://{host or domain}{path or '/'}"


def _parts(group: Sequence[StoredDelivery], size: int) -> Iterator[Sequence[StoredDelivery]]:
    return (group[start : start + size] for start in range(0, len(group), size))


_UNFINISHED: Final = (
    "SELECT d.id FROM destinations.delivery AS d JOIN destinations.destination AS t"
    " ON t.destination_id = d.destination_id WHERE d.state IN ('new', 'ready') AND NOT t.is_refused"
)
