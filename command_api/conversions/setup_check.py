"""Sends a test conversion through every step of a sale: link, click, postback, attribution. Nothing of it counts.

The click is a real one, by a user agent that ingest marks as a bot: every number leaves it out. The postback is a dry
run, which ingest checks and does not record. The attribution is the one that decides sales; its result is not stored.
A step that fails ends the walk and says what to do.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final
from urllib.parse import unquote
from uuid import uuid4

import httpx

from command_api.conversions import decisions
from command_api.conversions.attribution.click_reader import UNAVAILABLE, Clicks
from command_api.conversions.attribution.decision import Case, basis_of
from command_api.conversions.attribution.facts import Facts
from command_api.conversions.attribution.gathering import Gathering
from command_api.conversions.attribution.search import search
from command_api.conversions.schemas import StepState, TestConversion, TestStep
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.links.model import LinkAggregate
from command_api.partners.model import Partner
from command_api.websites import postback_tokens
from command_api.websites.model import Website
from infra.domain.report_merging import ReportedTraces
from infra.kernel.security.encryption import derived_key
from schemas.base import Money
from schemas.click_id import event_id
from schemas.click_id import read as read_click_id
from schemas.currencies import amount_text, digits
from schemas.events.conversions import ConversionFacts
from schemas.networks import DEFAULT, NETWORKS, Reports

STEPS: Final = ("redirect", "click", "postback", "attribution")
USER_AGENT: Final = "AlthingTestConversion/1.0 (bot)"
TIMEOUT_S: Final = 5.0
CLICK_WAIT_S: Final = 10.0
POLL_S: Final = 0.25
SALE: Final = 100
"""Major units of the website's currency."""
_COOKIE: Final = re.compile(r"aff_click_id=([0-9A-Za-z]+)")


class StepFailed(Exception):
    """A step of the walk failed: what happened, and what to do."""

    def __init__(self, text: str, fix: str) -> None:
        super().__init__(text)
        self.text, self.fix = text, fix


@dataclass(frozen=True, slots=True)
class Walk:
    """The link that is tested, and what the steps need."""

    container: Container
    clicks: Clicks
    website: Website
    partner: Partner
    link: LinkAggregate

    def run(self) -> TestConversion:
        """Takes the steps in their order until one fails."""
        done: list[TestStep] = []
        with closing(_client()) as http:
            steps = self._steps(http)
            try:
                for name, text in zip(STEPS, steps, strict=True):
                    done.append(TestStep(name=name, state=StepState.DONE, text=text, fix=""))
            except StepFailed as failed:
                failure = {"text": failed.text, "fix": failed.fix}
                done.append(TestStep(name=STEPS[len(done)], state=StepState.FAILED, **failure))
        rest = [TestStep(name=name, state=StepState.SKIPPED, text="", fix="") for name in STEPS[len(done) :]]
        return TestConversion(passed=not rest and done[-1].state is StepState.DONE, steps=[*done, *rest])

    def _steps(self, http: httpx.Client) -> Iterator[str]:
        click_id = self._follow(http)
        yield f"The link passes the click ID {click_id}."
        self._wait_for_click(click_id)
        yield "The click was recorded and marked as a bot, so it is not counted."
        yield self._report(http, click_id)
        yield self._attribute(click_id)

    def _follow(self, http: httpx.Client) -> str:
        answer = _get(http, f"{self._base}/go/{self.link.slug}")
        match = _COOKIE.search(answer.headers.get("set-cookie", ""))
        if answer.status_code != 302 or match is None:
            raise StepFailed(
                f"The link responded with status {answer.status_code}.", "Make sure that the link is active."
            )
        if match[1] not in unquote(answer.headers.get("location", "")):
            fix = f"Add {{click_id}} to the destination, in the parameter that {self.partner.name} sends back."
            raise StepFailed("The link does not pass its click ID to the partner.", fix)
        return match[1]

    def _wait_for_click(self, click_id: str) -> None:
        key = (self.website.id, event_id(click_id), read_click_id(self._click_key, click_id).at.astimezone(UTC).date())
        until = time.monotonic() + CLICK_WAIT_S
        while time.monotonic() < until:
            try:
                if self.clicks.by_event([key]):
                    return
            except UNAVAILABLE as error:
                raise StepFailed("The analytics store is not responding.", "Try again in a minute.") from error
            time.sleep(POLL_S)
        raise StepFailed("The click was not recorded in time.", "New events are delayed. Try again in a minute.")

    def _report(self, http: httpx.Client, click_id: str) -> str:
        """Reports a test sale with the parameter names of the partner's network."""
        network = NETWORKS[self.partner.postback_preset or DEFAULT]
        if network.reports is not Reports.POSTBACK:
            return f"{network.name} sends no postbacks: import its reports instead."
        token = postback_tokens.newest(self.container, self.website.id)
        if token is None:
            raise StepFailed("The website has no postback token.", "Show the postback URL and create a token.")
        values = {
            "click_id": click_id,
            "txid": f"test-{uuid4()}",
            "amount": str(SALE),
            "currency": self.website.currency,
        }
        sent = {name: values[ours] for name in network.postback or NETWORKS[DEFAULT].postback
                if (ours := network.names.get(name, name)) in values}  # fmt: skip
        sent |= {"partner": self.partner.slug, "token": token, "dry_run": "1"}
        answer = _get(http, f"{self._base}/postback", sent)
        if answer.status_code != 200:
            raise StepFailed(f"The postback was rejected: {_message(answer)}", "Copy the postback URL again.")
        return "The network's postback is accepted."

    def _attribute(self, click_id: str) -> str:
        gathering = Gathering(self.container, self.clicks, self._click_key)
        return gathering.decide(Facts(), partial(self._attribution, click_id, datetime.now(UTC)))[0]

    def _attribution(self, click_id: str, now: datetime, known: Facts) -> str:
        traces = ReportedTraces(click_id=click_id, partner_id=self.partner.id)
        attribution = search(known, self.website, [traces], now).attribution
        if attribution is None:
            raise StepFailed(
                "The sale would not be attributed to this click.", "Check the partner's cookie window, then try again."
            )
        sale = Money(amount=SALE * 10 ** digits(self.website.currency), currency=self.website.currency)
        facts = ConversionFacts(
            website_id=self.website.id,
            kind="sale",
            event="sale",
            txid="test",
            amount=sale,
            occurred_at=now,
            attribution=attribution,
        )
        basis = basis_of(facts, None, Case(self.website, known, CommandContext(now)))
        try:
            commission, _ = decisions.commission_for(facts, None, self.website.currency, basis)
        except CommandRejected as rejected:
            raise StepFailed(rejected.message, "Ask an admin to add the exchange rate.") from rejected
        earned = amount_text(commission.amount, commission.currency) if commission else ""
        return f"A sale of {amount_text(sale.amount, sale.currency)} would earn {earned}."

    @property
    def _base(self) -> str:
        return self.container.settings.tracking_base_url

    @property
    def _click_key(self) -> bytes:
        return derived_key(self.container.settings, "click-id")


def _client() -> httpx.Client:
    no_cookies = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
    headers = {"User-Agent": USER_AGENT}
    return httpx.Client(timeout=TIMEOUT_S, trust_env=False, cookies=no_cookies, headers=headers)


def _get(http: httpx.Client, address: str, parameters: dict[str, str] | None = None) -> httpx.Response:
    try:
        return http.get(address, params=parameters)
    except httpx.HTTPError as error:
        fix = "Check that the tracking address of this installation is reachable, then try again."
        raise StepFailed("The tracking address is not responding.", fix) from error


def _message(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError, TypeError):
        return f"status {answer.status_code}"
