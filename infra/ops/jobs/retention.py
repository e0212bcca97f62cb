"""Deletes expired data: salts of visitor hashes, keys of ad click ids, ended sessions, unused links, emails,
idempotency keys.

A job of `infra.ops.scheduled_jobs`. Each rule is one statement in its own transaction, so a failing rule
does not block the others.
"""

from __future__ import annotations

from typing import Final, LiteralString

import psycopg
import structlog

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

RULES: Final[dict[str, LiteralString]] = {
    "salts": "delete from ingest.salt where created_at < now() - interval '48 hours'",
    "keys of ad click ids": "delete from ingest.visitor_key as k using read.websites as w where w.id = k.website_id"
    " and (w.deleted_at is not null or k.made_on + w.ad_click_id_days"
    " < (now() at time zone 'UTC')::date)",
    "keys of ad click ids older than any setting": "delete from ingest.visitor_key"
    " where made_on < (now() at time zone 'UTC')::date - 730",
    "sessions": "delete from accounts.session where expires_at < now() - interval '1 day'",
    "access tokens": "delete from accounts.access_token"
    " where least(revoked_at, expires_at) < now() - interval '30 days'",
    "website sessions": "delete from accounts.website_session where expires_at < now() - interval '1 day'",
    "unfinished sign-ins": "delete from accounts.login_ticket where expires_at < now()",
    "sign-ins at a provider": "delete from accounts.provider_sign_in where expires_at < now()",
    "handoff codes": "delete from accounts.handoff_code where expires_at < now()",
    "mailed links": "delete from accounts.one_time_link where expires_at < now()",
    "second factors never confirmed": "delete from accounts.second_factor where secret_sealed is null"
    " and pending_at < now() - interval '1 day'",
    "idempotency keys": "delete from kernel.idempotency where created_at < now() - interval '48 hours'",
    "what accounts stored": "delete from kernel.account_usage where day < (now() at time zone 'UTC')::date - 30",
    "setup tokens": "delete from accounts.setup_token where expires_at < now()",
    "mails": "delete from kernel.mail where created_at < now() - interval '30 days'",
    "links of addresses": "delete from leads.contact_link where expires_at < now()",
    "unconfirmed addresses": "delete from leads.contact where kind in ('newsletter', 'site_newsletter')"
    " and confirmed_at is null and created_at < now() - interval '8 days'"
    " and not exists (select 1 from leads.contact_link where contact_id = leads.contact.id)",
    "forms of sites": "delete from publishing.sent_form where sent_at < now() - interval '8 days'"
    " or email_sealed is null and sent_at < now() - interval '1 day'",
    "emails about deleted contacts": "delete from kernel.mail where about is not null"
    " and case when kind like 'inquiry%' or thread is not null"
    " then exists (select 1 from kernel.subject_key where subject_id = about and erased_at is not null)"
    " else not exists (select 1 from leads.contact where id = about) end",
    "emails of erased accounts": "delete from kernel.mail where account_id in"
    " (select subject_id from kernel.subject_key where erased_at is not null)",
    "calls of the language model": "delete from kernel.llm_call where created_at < now() - interval '400 days'",
    "what members of the forum did": "delete from forum.act where at < now() - interval '2 days'",
    "salts of the forum": "delete from forum.salt where day < (now() at time zone 'UTC')::date - 1",
    "visitors of the forum": "delete from forum.visit where day < (now() at time zone 'UTC')::date - 1",
    "notifications": "delete from notifications.notification where updated_at < now() - interval '180 days'",
    "notifications of which there are too many": "delete from notifications.notification where id in (select id from"
    " (select id, row_number() over (partition by account_id order by updated_at desc, id desc) as place"
    " from notifications.notification) as n where place > 1000)",
    "messages to webhooks": "delete from notifications.webhook_delivery where state <> 'waiting'"
    " and created_at < now() - interval '30 days'",
    "deliveries to ad platforms": "delete from destinations.delivery where state not in ('new', 'ready')"
    " and created_at < now() - interval '400 days'",
    "digests": "delete from notifications.digest where queued_at < now() - interval '60 days'",
    "messages of the escrow provider": "delete from marketplace.escrow_message"
    " where received_at < now() - interval '90 days'",
    "rate limits": "delete from kernel.rate_limit where tat < now() - interval '1 day'",
    "statements of analysts": "delete from sql.statement where started_at < now() - interval '400 days'",
    "more statements of an analyst than are kept": "delete from sql.statement where id in (select id from (select"
    " id, row_number() over (partition by account_id order by started_at desc, id) as n from sql.statement) as s"
    " where n > 10000)",
}


_OF_READ_MODELS: Final[dict[str, str]] = {"keys of ad click ids": "read.websites"}
"""Rules that read a read model: until the projectors have built it for the first time, they wait."""


def delete_expired(settings: Settings) -> dict[str, int]:
    """Deletes expired rows; returns how many went, per rule. Raises the last rule's error after all have been tried."""
    gone: dict[str, int] = {}
    failure: psycopg.Error | None = None
    with connect(settings) as connection:
        connection.autocommit = True
        for name, statement in RULES.items():
            needed = _OF_READ_MODELS.get(name)
            if needed and connection.execute("select to_regclass(%s) is null", (needed,)).fetchone() == (True,):
                continue
            try:
                gone[name] = connection.execute(statement).rowcount
            except psycopg.Error as error:
                log.warning("expiry_failed", rule=name, error=error)
                failure = error
    if failure is not None:
        raise failure
    return gone
