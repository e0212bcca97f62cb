"""Command handlers of custom domains."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from command_api.accounts import model as accounts
from command_api.domains import commands, mails, model
from command_api.domains.schemas import to_response
from command_api.domains.service import VERIFICATION, end_domain, forget_checks
from command_api.domains.verification import GRACE_PERIOD, CheckOutcome, CheckRecord, OwnerNotice, evaluate
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.hostnames import is_address
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.websites import model as websites
from infra.kernel.config.settings import Settings
from schemas.events.domains import DomainAdded, DomainRemoved
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred
from schemas.http.domains import CustomDomain
from schemas.identity import domain_id, host_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddDomain, senders="accounts")
def add_domain(command: commands.AddDomain, uow: UnitOfWork) -> CustomDomain:
    website = websites.require_owned(uow.load(command.fields.website_id, websites.evolve), uow.context)
    name = model.checked_name(command.fields.domain, _own_hosts(uow.settings))
    id_ = domain_id(website.account_id, name)
    current = uow.load(id_, model.evolve)
    added = model.add(id_, current, website, domain=name, token=model.new_token(), context=uow.context)
    domain = model.evolve(current, added)
    uow.append(added)
    return to_response(domain, CheckRecord(), uow.context.at)


@HANDLERS.on(commands.RemoveDomain, senders="accounts")
def remove_domain(command: commands.RemoveDomain, uow: UnitOfWork) -> None:
    domain = model.require_owned_domain(uow.load(command.domain_id, model.evolve), uow.context)
    end_domain(uow, domain)


@HANDLERS.on(commands.RecordDomainCheck, senders="accounts")
def record_domain_check(command: commands.RecordDomainCheck, uow: UnitOfWork) -> CustomDomain:
    """Records a check. A crash before the commit leaves the check record unchanged, so the check is repeated
    immediately."""
    domain = model.require_owned_domain(uow.load(command.domain_id, model.evolve), uow.context)
    earlier, host = _check_record(uow, domain.id), uow.load(host_id(domain.domain), model.evolve_host)
    evaluation = evaluate(domain, host, earlier, command.result, uow.context)
    uow.append(*evaluation.events)
    values = {**asdict(evaluation.record), "domain_id": domain.id, "earlier": earlier.checked_at}
    if uow.cursor.execute(_WRITE, values).rowcount == 0:
        raise ConcurrencyConflict("another check, or the domain was removed")
    uow.set_timeout(VERIFICATION, domain.id, evaluation.record.next_at)
    _notify_owner(uow, evaluation)
    return to_response(evaluation.domain, evaluation.record, uow.context.at)


@HANDLERS.before(WebsiteDisconnected)
def remove_domains(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Removes the website's domains. A domain is saved under the store's lock, so none is added meanwhile."""
    for (id_,) in uow.select(_OF_WEBSITE, event.originator_id):
        domain = uow.load(id_, model.evolve)
        if domain is not None and not domain.removed:
            end_domain(uow, domain)


@HANDLERS.before(WebsiteTransferred)
def transfer_domains(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Moves verified domains with the website and makes their check due; the other domains end."""
    for (id_,) in uow.select(_OF_WEBSITE, event.originator_id):
        domain = uow.load(id_, model.evolve)
        if domain is None or domain.removed:
            continue
        if not domain.is_verified:
            end_domain(uow, domain)
            continue
        new_id = domain_id(event.account_id, domain.domain)
        current, host = uow.load(new_id, model.evolve), uow.load(host_id(domain.domain), model.evolve_host)
        uow.append(*model.transfer(domain, current, host, event.account_id, uow.context))


@HANDLERS.after(DomainAdded)
def plan_verification(event: DomainAdded, uow: Appended) -> None:
    """Makes the first check due at once. Raises `CommandRejected` without the website, or above the account's limit."""
    if not uow.select("SELECT FROM lookup.website WHERE website_id = %s", event.website_id):
        raise not_found("website")
    forget_checks(uow, event.originator_id)
    uow.set_timeout(VERIFICATION, event.originator_id, event.timestamp)
    rows = uow.select("SELECT FROM lookup.custom_domain WHERE account_id = %s", event.account_id)
    if len(rows) > model.MAX_PER_ACCOUNT:
        raise conflict("too_many_domains", f"An account has at most {model.MAX_PER_ACCOUNT} domains.", "domain")


@HANDLERS.after(DomainRemoved)
def end_checks(event: DomainRemoved, uow: Appended) -> None:
    forget_checks(uow, event.originator_id)
    uow.set_timeout(VERIFICATION, event.originator_id, None)


def _own_hosts(settings: Settings) -> Collection[str]:
    """Returns the host names under which this installation itself is reached."""
    hosts = {urlsplit(url).hostname or "" for url in (settings.app_url, settings.tracking_base_url)}
    return {host.lower() for host in hosts if host and not is_address(host)}


def _check_record(uow: UnitOfWork, domain: UUID) -> CheckRecord:
    """Returns the check record; empty before the first check."""
    rows = uow.select(_READ, domain)
    return CheckRecord(None, *rows[0]) if rows else CheckRecord()


def _notify_owner(uow: UnitOfWork, found: CheckOutcome) -> None:
    account = uow.load(found.domain.account_id, accounts.evolve) if found.news is not None else None
    if account is None or account.erased:
        return
    url = uow.settings.app_url
    if found.news is OwnerNotice.LOST:
        uow.send(mails.verification_lost(account.email, account.id, url, found.domain))
    else:
        until = (found.record.missing_since or found.domain.added_at) + GRACE_PERIOD
        uow.send(mails.record_missing(account.email, account.id, url, found.domain, until))


_OF_WEBSITE: Final = "SELECT domain_id FROM lookup.custom_domain WHERE website_id = %s ORDER BY domain_id"
_READ: Final = (
    "SELECT checked_at, misses, missing_since, missed_at, tls_failures, problem FROM domains.dns_check"
    " WHERE domain_id = %s"
)
_WRITE: Final = """
INSERT INTO domains.dns_check AS c
    (domain_id, account_id, checked_at, misses, missing_since, missed_at, tls_failures, problem)
SELECT domain_id, account_id, %(checked_at)s, %(misses)s, %(missing_since)s, %(missed_at)s, %(tls_failures)s,
    %(problem)s
FROM lookup.custom_domain WHERE domain_id = %(domain_id)s FOR SHARE
ON CONFLICT (domain_id) DO UPDATE SET checked_at = excluded.checked_at, misses = excluded.misses,
    missing_since = excluded.missing_since, missed_at = excluded.missed_at, tls_failures = excluded.tls_failures,
    problem = excluded.problem
WHERE c.checked_at IS NOT DISTINCT FROM %(earlier)s
"""
