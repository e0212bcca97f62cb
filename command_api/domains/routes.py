"""`/api/platform/custom-domains`: add, remove, look again now."""

from __future__ import annotations

from datetime import timedelta
from threading import BoundedSemaphore
from typing import Final

from fastapi import APIRouter, Request, Response

from command_api.domains import commands, model
from command_api.domains.dns_check import DnsChecker
from command_api.domains.schemas import AddDomain
from command_api.kernel.decision import conflict
from command_api.kernel.http import Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from infra.kernel.http.problems import Problem
from infra.kernel.http.worker_slots import release_worker_slot
from schemas.http.domains import CustomDomain

router = APIRouter(prefix="/api/platform/custom-domains", tags=["domains"])

NEW_DOMAINS: Final = Limit("new-domains", timedelta(minutes=1), 60)
CHECKS: Final = Limit("domain-looks", timedelta(seconds=10), 12)
_CHECK_SLOTS: Final = BoundedSemaphore(4)
"""Looks that people wait for: each holds a thread for seconds."""


@router.post("", status_code=201, response_model=CustomDomain)
def add_domain(body: AddDomain, run: Runs) -> Response:
    """Adds a domain for one of the caller's websites. It works once its TXT record is found."""
    consume(run.container.pool, NEW_DOMAINS, str(run.person.account_id))
    return run(commands.AddDomain(body), body, status=201, is_consistent=True)


@router.delete("/{id}", status_code=204)
def remove_domain(id_: Id, run: Runs) -> Response:
    """Removes a domain: links stop working under it, and another website can add it."""
    return run(commands.RemoveDomain(id_), status=204, is_consistent=True)


@router.post("/{id}/check", response_model=CustomDomain)
def check_domain(id_: Id, request: Request, run: Runs) -> Response:
    """Looks for the record, and for TLS, now; takes up to a few seconds."""
    checker: DnsChecker = request.app.state.dns_checker
    domain = model.require_owned_domain(run.container.store.load(id_, model.evolve), run.context)
    if domain.is_over(run.context.at):
        raise conflict("domain_expired", "The verification period is over. Remove the domain and add it again.")
    consume(run.container.pool, CHECKS, str(run.person.account_id))
    with release_worker_slot():
        if not _CHECK_SLOTS.acquire(timeout=2):
            raise Problem(503, "busy", "Many domains are being checked right now. Please try again in a moment.")
        try:
            [result] = checker.check(domain)
        finally:
            _CHECK_SLOTS.release()
    return run(commands.RecordDomainCheck(id_, result), is_consistent=True)
