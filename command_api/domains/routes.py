"""`/api/platform/custom-domains`: add, remove, look again now."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from threading import BoundedSemaphore
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Request, Response
from psycopg import Cursor
from pydantic import Field

from command_api.accounts.limits import Limit, charge
from command_api.commands import Decided
from command_api.decision import conflict, missing
from command_api.domains import desk, model
from command_api.domains.checking import Record
from command_api.domains.looking import Looking
from command_api.hosts import is_address
from command_api.http import Answer, Body, Id, Nothing, Runs
from command_api.marketplace import proofs
from command_api.websites import model as websites
from infra.problems import Problem
from infra.settings import Settings
from infra.threads import only_waiting
from schemas.custom_domains import record_name
from schemas.identity import domain_id, host_id

router = APIRouter(prefix="/api/platform/custom-domains", tags=["domains"])
SEEN_BY: Final = ("custom_domains",)
"""The edge reads these: what is answered works there."""

NEW_DOMAINS: Final = Limit("new-domains", timedelta(minutes=1), 60)
LOOKS: Final = Limit("domain-looks", timedelta(seconds=10), 12)
_AT_ONCE: Final = BoundedSemaphore(4)
"""Looks that people wait for: each holds a thread for seconds."""


class AddDomain(Body):
    domain: Annotated[str, Field(max_length=300)]
    website_id: Annotated[UUID, Field(strict=False)]


class CustomDomain(Answer):
    """A custom domain. The token is public: it belongs into a TXT record at `verificationName`."""

    id: UUID
    domain: str
    website_id: UUID
    is_verified: bool
    ssl_enabled: bool
    verification_token: str
    verification_name: str
    state: str = Field(description="pending, verified, lost or expired")
    added_at: datetime
    verified_at: datetime | None
    last_checked_at: datetime | None
    expires_at: datetime | None = Field(description="Until when the record is looked for; null once verified")
    problem: str | None = Field(description="What the last look found wanting, for a person")


@router.post("", status_code=201, response_model=CustomDomain)
def add_domain(body: AddDomain, run: Runs) -> Response:
    """Adds a domain for one of the websites of the person who asks. It works once its TXT record is found."""
    charge(run.core.pool, NEW_DOMAINS, str(run.person.account_id))
    token = model.new_token()

    def decide() -> Decided[CustomDomain]:
        store = run.core.store
        website = websites.owned(store.load(body.website_id, websites.evolve), run.asked)
        name = model.checked_name(body.domain, own_hosts(run.core.settings))
        known = domain_id(website.account_id, name)
        before = store.load(known, model.evolve)
        added = model.add(known, before, website, domain=name, token=token, asked=run.asked)
        domain = model.evolve(before, added)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            _keep(cursor, domain)

        return Decided([added], _shown(domain, Record(), run.asked.at), also)

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.delete("/{id}", status_code=204)
def remove_domain(id_: Id, run: Runs) -> Response:
    """Removes a domain: its links stop working under it, and another website may have it."""

    def decide() -> Decided[Nothing]:
        domain = model.owned_domain(run.core.store.load(id_, model.evolve), run.asked)
        host = run.core.store.load(host_id(domain.domain), model.evolve_host)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute("DELETE FROM policy.custom_domain WHERE domain_id = %s", (id_,))
            proofs.look_again(cursor, domain.account_id, domain.domain)

        return Decided(model.remove(domain, host, run.asked), Nothing(), also)

    return run(decide, status=204, seen_by=SEEN_BY)


@router.post("/{id}/check", response_model=CustomDomain)
def check_domain(id_: Id, request: Request, run: Runs) -> Response:
    """Looks for the record, and for TLS, now; takes up to a few seconds."""
    looking: Looking = request.app.state.looking
    domain = model.owned_domain(run.core.store.load(id_, model.evolve), run.asked)
    if domain.is_over(run.asked.at):
        raise conflict("domain_expired", "The time to prove this domain is over. Please remove it and add it again.")
    charge(run.core.pool, LOOKS, str(run.person.account_id))
    with only_waiting():
        if not _AT_ONCE.acquire(timeout=2):
            raise Problem(503, "busy", "Many domains are being checked right now. Please try again in a moment.")
        try:
            [seen] = looking.look(domain)
        finally:
            _AT_ONCE.release()

    def decide() -> Decided[CustomDomain]:
        now = model.owned_domain(run.core.store.load(id_, model.evolve), run.asked)
        found, also = desk.settled(run.core, now, seen, run.asked)
        return Decided(found.events, _shown(found.domain, found.record, run.asked.at), also)

    return run(decide, seen_by=SEEN_BY)


def own_hosts(settings: Settings) -> Collection[str]:
    """Host names under which this installation itself is reached."""
    hosts = {urlsplit(url).hostname or "" for url in (settings.app_url, settings.tracking_base_url)}
    return {host.lower() for host in hosts if host and not is_address(host)}


def _keep(cursor: Cursor[dict[str, Any]], domain: model.Domain) -> None:
    """In the transaction of the event, which has the store's lock: what is counted here holds."""
    if cursor.execute("SELECT FROM policy.website WHERE website_id = %s", (domain.website_id,)).rowcount == 0:
        raise missing("website")
    cursor.execute("DELETE FROM policy.custom_domain WHERE domain_id = %s", (domain.id,))
    cursor.execute(
        "INSERT INTO policy.custom_domain (domain_id, account_id, website_id, next_at) VALUES (%s, %s, %s, %s)",
        (domain.id, domain.account_id, domain.website_id, domain.added_at),
    )
    rows = cursor.execute("SELECT FROM policy.custom_domain WHERE account_id = %s", (domain.account_id,)).rowcount
    if rows > model.MOST_PER_ACCOUNT:
        raise conflict("too_many_domains", f"An account has at most {model.MOST_PER_ACCOUNT} domains.", "domain")


def _shown(domain: model.Domain, record: Record, at: datetime) -> CustomDomain:
    return CustomDomain(
        id=domain.id,
        domain=domain.domain,
        website_id=domain.website_id,
        is_verified=domain.is_verified,
        ssl_enabled=domain.ssl,
        verification_token=domain.token,
        verification_name=record_name(domain.domain),
        state=domain.state(at),
        added_at=domain.added_at,
        verified_at=domain.verified_at,
        last_checked_at=record.checked_at,
        expires_at=None if domain.is_verified else domain.expires_at,
        problem=record.problem,
    )
