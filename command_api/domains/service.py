"""The functions that other contexts use of custom domains: the address of links, and the end of a domain."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.domains import model
from command_api.kernel.unit_of_work import UnitOfWork
from schemas.identity import host_id

VERIFICATION: Final = "domains:verification"
"""The process manager `command_api.domains.verification_process`."""


def url_prefix(uow: UnitOfWork, website_id: UUID) -> str:
    """Returns the URL prefix of a website's links: its own domain once TLS works, else the installation's.

    Must match `query_api.links.routes`.
    """
    rows = uow.select(_WITH_TLS, website_id)
    domain = uow.load(rows[0][0], model.evolve) if rows else None
    return f"https://{domain.domain}/" if domain is not None else f"{uow.settings.tracking_base_url}/go/"


def end_domain(uow: UnitOfWork, domain: model.Domain) -> None:
    """Removes a domain."""
    uow.append(*model.remove(domain, uow.load(host_id(domain.domain), model.evolve_host), uow.context))


def forget_checks(uow: UnitOfWork, domain_id: UUID) -> None:
    """Deletes the check record of a domain."""
    uow.cursor.execute("DELETE FROM domains.dns_check WHERE domain_id = %s", (domain_id,))


_WITH_TLS: Final = (
    "SELECT domain_id FROM lookup.custom_domain WHERE website_id = %s AND has_tls ORDER BY domain_id LIMIT 1"
)
