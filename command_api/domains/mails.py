"""Mails to owners of custom domains."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from command_api.domains.model import Domain
from infra import PRODUCT_NAME
from infra.kernel.mail.outbox import Mail
from schemas.custom_domains import record_name


def record_missing(to: str, account_id: UUID, url: str, domain: Domain, until: datetime) -> Mail:
    text = (
        f"The DNS record that proves that {domain.domain} is yours is missing. Without it, links under this domain"
        f" stop working on {until:%b %-d, %Y}.\n\nPlease put the TXT record back:\n\n"
        f"    {record_name(domain.domain)}    {domain.token}\n\n"
        f"Or remove the domain if you no longer use it: {url}/account-settings\n"
    )
    return Mail(to, f"The DNS record of {domain.domain} is missing", text, "domain_missing", account_id)


def verification_lost(to: str, account_id: UUID, url: str, domain: Domain) -> Mail:
    text = (
        f"The DNS record of {domain.domain} was missing for a week. Since the domain may belong to someone else by"
        f" now, {PRODUCT_NAME} no longer serves links under it.\n\nIf it is still yours, put the TXT record back"
        f" within a week, and the links work again automatically:\n\n"
        f"    {record_name(domain.domain)}    {domain.token}\n\n"
        f"Check its status in your account settings: {url}/account-settings\n"
    )
    return Mail(to, f"Links under {domain.domain} stopped working", text, "domain_lost", account_id)
