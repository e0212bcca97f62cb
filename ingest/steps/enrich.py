"""Step enrich: where the event came from (place, device, page, source), whether a machine sent it, and which link and
partner it belongs to."""

from __future__ import annotations

from ingest.bots import SPAM_REFERRER
from ingest.directory import Directory, Link
from ingest.referrers import Page, classify, host_of, is_spam, read_page
from ingest.refused import invalid
from ingest.rows import Row, SentEvent
from ingest.visit import Client, Visit
from schemas import click_id


def enrich(directory: Directory, click_key: bytes, visit: Visit, sent: SentEvent, row: Row) -> None:
    """Fills the record in. A link or partner that the event names must have been looked up before. Raises `Refused`."""
    set_client(row, visit.client)
    page = read_page(sent.url) if sent.url else NO_PAGE
    set_source(row, page, host_of(sent.referrer) if sent.referrer else "", visit.website.domain)
    if sent.click_id:
        link = _link_of_click(directory, click_key, visit, sent.click_id)
        row.click_id = sent.click_id
        if link is not None:
            _set_link(row, link)
    if sent.link:
        named = directory.links_by_id.get(sent.link.lower()) or directory.links.get(sent.link)
        if named is None or named.website.id != visit.website.id:
            raise invalid("unknown_link", "link is not the slug or id of a link of this website")
        _set_link(row, named)
    if sent.partner:
        partner = directory.partners.get(sent.partner) or directory.partners.get(sent.partner.lower())
        if partner is None:
            raise invalid("unknown_partner", "partner is not the slug or id of a partner")
        row.partner_id = partner.id_text


def set_client(row: Row, client: Client) -> None:
    """Country, region, browser, system, device class, and what gives a machine away."""
    row.country = client.country
    row.region = client.region
    agent = client.agent
    row.browser = agent.browser
    row.os = agent.os
    row.device = agent.device
    if client.bot_reason:
        row.is_bot = True
        row.bot_reason = client.bot_reason


def set_source(row: Row, page: Page, referrer_host: str, domain: str) -> None:
    """The page, who referred to it, and the source and channel that follow."""
    row.hostname = page.hostname
    row.path = page.path
    row.utm_source = page.utm_source
    row.utm_medium = page.utm_medium
    row.utm_campaign = page.utm_campaign
    row.utm_content = page.utm_content
    row.utm_term = page.utm_term
    row.source, row.channel = classify(referrer_host, domain, page)
    if referrer_host:
        row.referrer_host = referrer_host
        if not row.is_bot and is_spam(referrer_host):
            row.is_bot = True
            row.bot_reason = SPAM_REFERRER


def _link_of_click(directory: Directory, key: bytes, visit: Visit, text: str) -> Link | None:
    try:
        click = click_id.read(key, text)
    except click_id.ForgedClickId:
        raise invalid("forged_click_id", "click_id was not made here, or was changed") from None
    if not click.is_of(visit.website.id):
        raise invalid("foreign_click_id", "click_id belongs to another website")
    return directory.links_by_code.get(click.link_code)


def _set_link(row: Row, link: Link) -> None:
    row.link_id = link.id_text
    row.partner_id = link.partner_id
    for name, value in link.subs:
        if not getattr(row, name):
            setattr(row, name, value)


NO_PAGE = Page("", "")
