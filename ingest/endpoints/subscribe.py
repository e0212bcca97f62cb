"""`POST /sites/{slug}/subscribe`, `POST /subscribe` of a custom domain: newsletter forms of sites, without a script.

sent form -> `publishing.sent_form` and a timeout, in one statement -> 303 to a page of the site

The visitor is answered once the form is stored; the command service then makes a subscription of it. The answer is the
same whatever is known of the address: ingest does not know. Forms come from exported sites on other hosts as well, so
that their origin says nothing; what protects an address is that it gets few emails, and none but the one that asks.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs
from uuid import UUID

from infra.domain.contacts import encrypt_field
from infra.domain.publishing.paths import file_of
from infra.domain.publishing.serving import FORM_REFUSED, FORM_SENT, NEWSLETTER_FORMS
from infra.kernel.http.address_costs import network_of
from infra.kernel.http.request_limits import Receive, Scope, Send
from infra.kernel.mail.addresses import checked_email
from infra.kernel.security.encryption import derived_key, keyed_hash
from ingest.context import IngestContext
from ingest.endpoints.redirect import send_page
from ingest.responses import NO_STORE, send_bytes
from ingest.visitors.request_context import client_address
from schemas.uuid7 import uuid7

MAX_BYTES: Final = 4 * 1024
MAX_FIELDS: Final = 10
FORM: Final = b"application/x-www-form-urlencoded"
PER_SENDER: Final = 20
"""Forms of one network in an hour, of all sites."""
MAX_WAITING: Final = 1_000
"""Forms of a site that are not handled yet."""
RETRY_S: Final = 600
_PAGE: Final = re.compile(r"/[a-z0-9/-]{0,299}")
_BLOCK: Final = re.compile(r"[a-z0-9-]{1,60}")
_HAS_FORM: Final = "SELECT 1 FROM publishing.site_file WHERE site_id = %s AND is_own_host = %s AND path = %s"
STORE: Final = """
WITH found AS (
    SELECT (SELECT count(*) FROM publishing.sent_form WHERE sender = %s AND sent_at > now() - interval '1 hour') >= %s
        AS is_too_many,
        (SELECT count(*) FROM publishing.sent_form WHERE site_id = %s AND email_sealed IS NOT NULL) >= %s AS is_full
), stored AS (
    INSERT INTO publishing.sent_form (id, site_id, sender, email_sealed, page, block)
    SELECT %s::uuid, %s::uuid, %s::text, %s::text, %s::text, %s::text FROM found
    WHERE NOT is_too_many AND NOT is_full RETURNING id
), due AS (
    INSERT INTO kernel.timeout (process, id, due_at) SELECT %s::text, id, now() FROM stored
)
SELECT is_too_many, is_full FROM found
"""
"""Stores a form with the timeout of the process that handles it, within both limits."""


async def subscribe(
    context: IngestContext, site_id: UUID, is_own_host: bool, root: str, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answers a form of a published site; `root`: the address of its home page. Raises `Unavailable`."""
    if not await context.site_postgres.rows(_HAS_FORM, (site_id, is_own_host, file_of(FORM_SENT))):
        await send_page(send, 404, "Page not found", "There is no form at this address.")
        return
    body: bytes = (await receive()).get("body", b"")
    if len(body) > MAX_BYTES:
        await send_page(send, 413, "Form too large", "This form is larger than a newsletter form can be.")
        return
    fields = _fields(scope, body)
    email = _email(fields)
    if fields.get("website"):  # hidden from people: a program filled it in
        await _see(send, root, FORM_SENT)
    elif email is None:
        await _see(send, root, FORM_REFUSED)
    else:
        await _store(context, site_id, email, fields, root, scope, send)


async def _store(
    context: IngestContext, site_id: UUID, email: str, fields: dict[str, str], root: str, scope: Scope, send: Send
) -> None:
    settings, form_id = context.settings, uuid7()
    network = network_of(client_address(scope, settings.trusted_proxies))
    sender = keyed_hash(derived_key(settings, "form-sender"), network)
    sealed = encrypt_field(settings, form_id, "email", email)
    page, block = fields.get("page", ""), fields.get("block", "")
    values = (
        *(sender, PER_SENDER, site_id, MAX_WAITING),
        *(form_id, site_id, sender, sealed),
        *(page if _PAGE.fullmatch(page) else "/", block if _BLOCK.fullmatch(block) else ""),
        NEWSLETTER_FORMS,
    )
    [(is_too_many, is_full)] = await context.site_postgres.rows(STORE, values)
    if is_too_many:
        await send_page(send, 429, "Please try again later", "Many forms were sent from your network.", RETRY_S)
    elif is_full:
        await send_page(send, 503, "Please try again later", "Many people are subscribing right now.", RETRY_S)
    else:
        await _see(send, root, FORM_SENT)


def _fields(scope: Scope, body: bytes) -> dict[str, str]:
    """The first value of each field; none of a body that is no form."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != FORM:
        return {}
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}


def _email(fields: dict[str, str]) -> str | None:
    try:
        return checked_email(fields.get("email", ""))
    except ValueError:
        return None


async def _see(send: Send, root: str, path: str) -> None:
    """Leads to a page of the site by GET, so that reloading it sends nothing again."""
    await send_bytes(send, 303, b"", ((b"location", f"{root}{path}/".encode()), NO_STORE))
