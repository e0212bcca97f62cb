"""Step enrich: sets page and source, flags spam referrers, and resolves the event's link and partner."""

from __future__ import annotations

from ingest.bots.bot_detection import SPAM_REFERRER
from ingest.directory.directory import Directory, LinkEntry
from ingest.errors import invalid
from ingest.event import SiteEvent
from ingest.origins.referrers import ReferrerPage, classify, host_of, is_spam, read_page
from ingest.visitors.request_context import RequestContext
from schemas import click_id
from schemas.tracking import TrackedEvent


def enrich(event: SiteEvent, *, directory: Directory, click_key: bytes) -> None:
    """Fills in the record. The event's link and partner must have been looked up before. Raises `EventRejected`."""
    request, sent, row = event.request, event.sent, event.row
    page = read_page(sent.url, sent.hash is True) if sent.url else NO_PAGE
    set_source(row, page, host_of(sent.referrer) if sent.referrer else "", request)
    if sent.click_id:
        click = _read_click(click_key, request, sent.click_id)
        row.click_id = sent.click_id
        link = directory.links_by_code.get(click.link_code)
        if link is not None:
            _set_link(row, link, link.partner_of(click))
        if click.link_code == click_id.IN_PAGE and row.type == "click":
            event.own_id = str(click_id.event_id(sent.click_id))
    if sent.link:
        named = directory.links_by_id.get(sent.link.lower()) or directory.links.get(sent.link)
        if named is None or named.website.id != request.website.id:
            raise invalid("unknown_link", "link is not the slug or id of a link of this website")
        _set_link(row, named, named.partner_id)
    if sent.partner:
        partners = directory.partners
        partner = partners.get(sent.partner) or partners.get(sent.partner.lower())
        if partner is None or not partner.is_open_to(request.website):
            raise invalid("unknown_partner", "partner is not the slug or id of a partner")
        row.partner_id = partner.id_text


def set_source(row: TrackedEvent, page: ReferrerPage, referrer_host: str, request: RequestContext) -> None:
    """Sets page and referrer, and the source and channel that follow from them and the visitor's browser."""
    row.hostname = page.hostname
    row.path = page.path
    row.utm_source = page.utm_source
    row.utm_medium = page.utm_medium
    row.utm_campaign = page.utm_campaign
    row.utm_content = page.utm_content
    row.utm_term = page.utm_term
    row.source, row.channel = classify(referrer_host, request.website.domain, page, request.client.agent.app)
    if referrer_host:
        row.referrer_host = referrer_host
        if not row.is_bot and is_spam(referrer_host):
            row.is_bot = True
            row.bot_reason = SPAM_REFERRER


def _read_click(click_key: bytes, request: RequestContext, text: str) -> click_id.Click:
    try:
        click = click_id.read(click_key, text)
    except click_id.ForgedClickId:
        raise invalid("forged_click_id", "click_id was not made here, or was changed") from None
    if not click.is_of(request.website.id):
        raise invalid("foreign_click_id", "click_id belongs to another website")
    return click


def _set_link(row: TrackedEvent, link: LinkEntry, partner_id: str) -> None:
    row.link_id = link.id_text
    row.partner_id = partner_id
    for name, value in link.subs:
        if not getattr(row, name):
            setattr(row, name, value)


NO_PAGE = ReferrerPage("", "")
