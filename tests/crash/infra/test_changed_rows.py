"""The audit must be red for every row that is changed behind the log's back: else it proves nothing.

The product's own log, workers and tables run on real engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest

from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild
from command_api.notifications.handler import NotificationHandler
from command_api.registry import open_container
from command_api.schema import create_schema as create_event_store
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.postgres.pool import pool
from infra.kernel.security.subject_keys import Keyring
from infra.ops.audit.command import audit
from infra.ops.audit.domain_events import audit_domain_events
from infra.ops.audit.quiescence import wait_until_quiescent
from infra.ops.audit.report import AuditReport, DefectKind
from projectors.engine.clickhouse import HttpClickHouse
from schemas.events.forum import PostApproved
from tests.support.audit_history import (
    WEBSITES,
    domain_records,
    findings,
    send,
    store,
)
from tests.support.decisions import ACCOUNT, ERASED_ACCOUNT, PARTNER, history
from tests.support.pipeline import Pipeline
from tests.support.rows_beside_events import write_rows_beside_events
from tests.support.subscriptions import notify

pytestmark = pytest.mark.timeout(900)  # some audit a dozen times
EVENTS, RECENT, DUPLICATES = "events__g1", "recent_events__g1", "duplicates__g1"
Change = tuple[str, DefectKind, str]
"""Which check, what it must say, and the statement."""

CHANGES_IN_CLICKHOUSE = {
    "traffic_15m": "INSERT INTO traffic_15m__g1 (website_id, bucket, is_bot, clicks) "
    f"VALUES ('{WEBSITES[0]}', '2026-05-17 10:00:00', false, 1)",
    "visitors_15m": "INSERT INTO visitors_15m__g1 SELECT website_id, bucket, is_bot, clickers, "
    "(SELECT uniqCombinedState(12)(toUInt64(number + 1)) FROM numbers(50)) FROM visitors_15m__g1 LIMIT 1",
    "delivery_minute": "INSERT INTO delivery_minute__g1 SELECT * FROM delivery_minute__g1 LIMIT 1",
    "country_15m": "INSERT INTO country_15m__g1 (website_id, bucket, is_bot, country, pageviews) "
    f"VALUES ('{WEBSITES[0]}', '2026-05-17 10:00:00', false, 'IS', -1)",
    "partner_15m": "INSERT INTO partner_15m__g1 (website_id, bucket, is_bot, partner_id, c_approved) "
    f"VALUES ('{WEBSITES[0]}', '2026-05-17 10:00:00', false, '{PARTNER}', -1)",
}


ROWS_IN_CLICKHOUSE: Sequence[Change] = (
    ("refusals", DefectKind.DUPLICATE, "INSERT INTO refusals__g1 SELECT * FROM refusals__g1 WHERE count = 1"),
    ("refusals", DefectKind.MISSING, "DELETE FROM refusals__g1 WHERE count = 2"),
    ("refusals", DefectKind.WRONG, "ALTER TABLE refusals__g1 UPDATE message = 'no reason' WHERE count = 3"),
    ("recent_events", DefectKind.MISSING, "DELETE FROM recent_events__g1 WHERE path = '/1'"),
    ("recent_events", DefectKind.DUPLICATE, f"INSERT INTO {RECENT} SELECT * FROM {RECENT} WHERE path = '/2'"),
    ("recent_events", DefectKind.WRONG, "ALTER TABLE recent_events__g1 UPDATE country = 'XX' WHERE path = '/3'"),
    (
        "recent_events",
        DefectKind.WRONG,
        f"INSERT INTO {RECENT} SELECT * REPLACE (website_id AS event_id) FROM {RECENT} LIMIT 1",
    ),
    ("conversion_events", DefectKind.WRONG, "DELETE FROM conversion_events__g1 WHERE d_approved = 1"),
    (
        "conversion_events",
        DefectKind.WRONG,
        "ALTER TABLE conversion_events__g1 UPDATE path = '/x' WHERE d_reversed = 1",
    ),
    (
        "duplicates",
        DefectKind.WRONG,
        f"INSERT INTO {DUPLICATES} SELECT * REPLACE (now() AS received_at) FROM {DUPLICATES} LIMIT 1",
    ),
    ("conversion rows", DefectKind.WRONG, f"ALTER TABLE {EVENTS} UPDATE value = value + 1 WHERE d_approved = 1"),
    ("conversion rows", DefectKind.WRONG, f"ALTER TABLE {EVENTS} UPDATE sub10 = 'z' WHERE d_reversed = 1"),
    (
        "conversion rows",
        DefectKind.DUPLICATE,
        f"INSERT INTO {EVENTS} SELECT * FROM {EVENTS} WHERE d_approved = 1 LIMIT 1",
    ),
    ("conversion rows", DefectKind.MISSING, f"DELETE FROM {EVENTS} WHERE d_reversed = 1"),
    (
        "conversion rows",
        DefectKind.WRONG,
        f"INSERT INTO {EVENTS} SELECT * REPLACE (0 AS _offset) FROM {EVENTS} WHERE d_approved = 1 LIMIT 1",
    ),
    ("cost_changes", DefectKind.WRONG, "ALTER TABLE cost_changes__g1 UPDATE amount = amount + 1 WHERE source <> ''"),
    ("cost_changes", DefectKind.MISSING, "DELETE FROM cost_changes__g1 WHERE amount = -1099"),
    ("cost_changes", DefectKind.DUPLICATE, "INSERT INTO cost_changes__g1 SELECT * FROM cost_changes__g1 LIMIT 1"),
    (
        "cost_changes",
        DefectKind.WRONG,
        "INSERT INTO cost_changes__g1 SELECT * REPLACE (0 AS _offset) FROM cost_changes__g1 LIMIT 1",
    ),
    ("events", DefectKind.WRONG, f"ALTER TABLE {EVENTS} UPDATE c_pending = 1 WHERE _topic = 'clicks' AND _offset = 1"),
    ("money", DefectKind.WRONG, f"ALTER TABLE {EVENTS} UPDATE c_approved = -5000000 WHERE type = 'conversion'"),
    ("money", DefectKind.WRONG, f"ALTER TABLE {EVENTS} UPDATE value = 9223372036854775807 WHERE type = 'conversion'"),
)
"""Each is made to what the ones before left."""


CHANGES_IN_POSTGRES = (
    ("conversions", DefectKind.WRONG, "UPDATE read.conversions__g1 SET status = 'pending'"),
    ("conversions", DefectKind.WRONG, "UPDATE read.conversions__g1 SET commission = commission + 1"),
    ("conversions", DefectKind.WRONG, "UPDATE read.conversions__g1 SET txid = 'ORDER-9'"),
    (
        "conversions",
        DefectKind.WRONG,
        "UPDATE read.conversions__g1 SET clicked_at = clicked_at + interval '1 microsecond'",
    ),
    ("conversions", DefectKind.WRONG, "UPDATE read.conversions__g1 SET id = gen_random_uuid() WHERE kind = 'lead'"),
    ("conversions", DefectKind.MISSING, "DELETE FROM read.conversions__g1 WHERE kind = 'lead'"),
    ("accounts", DefectKind.WRONG, f"UPDATE read.accounts__g1 SET roles = '{{admin}}' WHERE id = '{ACCOUNT}'"),
    ("accounts", DefectKind.WRONG, f"UPDATE read.accounts__g1 SET email = 'x@b.example' WHERE id = '{ACCOUNT}'"),
    ("accounts", DefectKind.WRONG, f"UPDATE read.accounts__g1 SET name = 'Ada' WHERE id = '{ERASED_ACCOUNT}'"),
    ("early_access", DefectKind.WRONG, "UPDATE read.early_access__g1 SET place = 2 WHERE place = 1"),
    ("inquiries", DefectKind.WRONG, "UPDATE read.inquiries__g1 SET message = 'kept' WHERE erased"),
    (
        "inquiry_steps",
        DefectKind.WRONG,
        "UPDATE read.inquiry_steps__g1 SET text = 'kept' WHERE number = 2 AND kind = 'note'",
    ),
    ("subscriptions", DefectKind.MISSING, "DELETE FROM read.subscriptions__g1"),
    ("accounts", DefectKind.MISSING, "DELETE FROM read.accounts__g1"),
    ("account_details", DefectKind.WRONG, "UPDATE read.account_details__g1 SET recovery_codes_left = 10"),
    (
        "account_details",
        DefectKind.WRONG,
        f"UPDATE read.account_details__g1 SET company = '' WHERE account_id = '{ACCOUNT}'",
    ),
    ("invites", DefectKind.WRONG, "UPDATE read.invites__g1 SET current_uses = 0"),
    ("invites", DefectKind.WRONG, "UPDATE read.invites__g1 SET revoked_at = null"),
    ("invite_joins", DefectKind.MISSING, "DELETE FROM read.invite_joins__g1"),
    ("websites", DefectKind.WRONG, "UPDATE read.websites__g1 SET deleted_at = null"),
    ("websites", DefectKind.WRONG, "UPDATE read.websites__g1 SET account_id = id"),
    ("website_keys", DefectKind.WRONG, "UPDATE read.website_keys__g1 SET revoked_at = null"),
    ("website_keys", DefectKind.WRONG, "UPDATE read.website_keys__g1 SET key_hash = sha256(key_hash)"),
    ("traffic_rules", DefectKind.WRONG, "UPDATE read.traffic_rules__g1 SET note = 'kept'"),
    ("partners", DefectKind.WRONG, "UPDATE read.partners__g1 SET terms = jsonb_set(terms, '{flat_amount}', '501')"),
    ("partners", DefectKind.WRONG, "UPDATE read.partners__g1 SET is_active = NOT is_active"),
    ("statement_months", DefectKind.WRONG, "UPDATE read.statement_months__g1 SET earned = earned + 1"),
    ("reconciled_sales", DefectKind.WRONG, "UPDATE read.reconciled_sales__g1 SET tracked_worth = tracked_worth + 1"),
    ("accepted_months", DefectKind.MISSING, "DELETE FROM read.accepted_months__g1"),
    ("payouts", DefectKind.WRONG, "UPDATE read.payouts__g1 SET credited = credited + 1"),
    ("payouts", DefectKind.WRONG, "UPDATE read.payouts__g1 SET voided_at = null"),
    ("payouts", DefectKind.MISSING, "DELETE FROM read.payouts__g1"),
    ("costs", DefectKind.WRONG, "UPDATE read.costs__g1 SET last = last + 1"),
    ("costs", DefectKind.MISSING, "DELETE FROM read.costs__g1 WHERE removed_at IS NOT NULL"),
    ("conversion_decisions", DefectKind.WRONG, "UPDATE read.conversion_decisions__g1 SET state = 'applied'"),
    ("partner_terms", DefectKind.MISSING, "DELETE FROM read.partner_terms__g1 WHERE terms->>'kind' = 'flat'"),
    ("links", DefectKind.WRONG, "UPDATE read.links__g1 SET coupon = 'SAVE'"),
    ("links", DefectKind.WRONG, "UPDATE read.links__g1 SET destination = 'https://thief.example/'"),
    ("activity", DefectKind.WRONG, "UPDATE read.activity__g1 SET website_id = null WHERE type = 'link.created'"),
    ("activity", DefectKind.MISSING, "DELETE FROM read.activity__g1 WHERE type = 'link.deleted'"),
    ("exchange_rates", DefectKind.WRONG, "UPDATE read.exchange_rates__g1 SET rate = '1.08'"),
    ("insights", DefectKind.WRONG, "UPDATE read.insights__g1 SET is_open = true"),
    ("insights", DefectKind.WRONG, 'UPDATE read.insights__g1 SET insight = insight || \'{"title": "All is well"}\''),
    ("insights", DefectKind.WRONG, "UPDATE read.insights__g1 SET closed_at = told_at WHERE rank = 1"),
    ("insights", DefectKind.MISSING, "DELETE FROM read.insights__g1"),
    ("insight_digests", DefectKind.WRONG, "UPDATE read.insight_digests__g1 SET every = 'daily' WHERE every = 'off'"),
    ("insight_digests", DefectKind.WRONG, "UPDATE read.insight_digests__g1 SET every = 'off'"),
    ("programs", DefectKind.WRONG, "UPDATE read.programs__g1 SET commission_bp = commission_bp + 1"),
    ("programs", DefectKind.WRONG, "UPDATE read.programs__g1 SET retired = NOT retired"),
    (
        "matching_profiles",
        DefectKind.WRONG,
        "UPDATE read.matching_profiles__g1 SET words = '' WHERE words <> '[erased]'",
    ),
    (
        "matching_profiles",
        DefectKind.WRONG,
        "UPDATE read.matching_profiles__g1 SET words = '' WHERE words = '[erased]'",
    ),
    ("idea_rounds", DefectKind.WRONG, "UPDATE read.idea_rounds__g1 SET answers = '' WHERE answers <> '[erased]'"),
    ("idea_choices", DefectKind.WRONG, "UPDATE read.idea_choices__g1 SET choice = 'saved' WHERE choice = 'released'"),
    ("applications", DefectKind.WRONG, "UPDATE read.applications__g1 SET visits = visits + 1"),
    ("applications", DefectKind.MISSING, "DELETE FROM read.applications__g1"),
    ("application_steps", DefectKind.WRONG, "UPDATE read.application_steps__g1 SET note = 'x' WHERE note = '[erased]'"),
    ("application_steps", DefectKind.WRONG, "UPDATE read.application_steps__g1 SET status = 'rejected'"),
    ("lessons_done", DefectKind.WRONG, "UPDATE read.lessons_done__g1 SET done = true"),
    ("forum_categories", DefectKind.WRONG, "UPDATE read.forum_categories__g1 SET slug = 'other'"),
    ("forum_threads", DefectKind.WRONG, "UPDATE read.forum_threads__g1 SET replies = replies + 1"),
    ("forum_threads", DefectKind.WRONG, "UPDATE read.forum_threads__g1 SET title = 'Other words'"),
    ("forum_posts", DefectKind.WRONG, "UPDATE read.forum_posts__g1 SET text = 'I said that' WHERE is_first"),
    ("forum_posts", DefectKind.WRONG, "UPDATE read.forum_posts__g1 SET text = 'None of them' WHERE text = '[erased]'"),
    ("forum_posts", DefectKind.WRONG, "UPDATE read.forum_posts__g1 SET state = 'visible' WHERE state = 'deleted'"),
    ("forum_posts", DefectKind.MISSING, "DELETE FROM read.forum_posts__g1 WHERE state = 'deleted'"),
    ("forum_edits", DefectKind.WRONG, "UPDATE read.forum_edits__g1 SET edited_by = null"),
    ("forum_likes", DefectKind.WRONG, "UPDATE read.forum_likes__g1 SET likes = NOT likes"),
    ("forum_follows", DefectKind.WRONG, "UPDATE read.forum_follows__g1 SET follows = NOT follows"),
    ("forum_flags", DefectKind.WRONG, "UPDATE read.forum_flags__g1 SET open = true"),
    ("forum_members", DefectKind.WRONG, "UPDATE read.forum_members__g1 SET is_moderator = true WHERE erased"),
    ("forum_members", DefectKind.WRONG, "UPDATE read.forum_members__g1 SET handle = 'eve' WHERE erased"),
    ("forum_suspensions", DefectKind.MISSING, "DELETE FROM read.forum_suspensions__g1"),
    ("forum_log", DefectKind.MISSING, "DELETE FROM read.forum_log__g1 WHERE action = 'locked'"),
    ("forum_log", DefectKind.WRONG, "UPDATE read.forum_log__g1 SET reason = 'Rude' WHERE action = 'suspended'"),
    (
        "notification_choices",
        DefectKind.WRONG,
        "UPDATE read.notification_choices__g1 SET mail = 'daily' WHERE kind = 'reply'",
    ),
    ("offers", DefectKind.WRONG, "UPDATE read.offers__g1 SET price = price + 1 WHERE status = 'declined'"),
    (
        "offers",
        DefectKind.WRONG,
        "UPDATE read.offers__g1 SET escrow_status = 'funded' WHERE escrow_status = 'refunded'",
    ),
    ("offers", DefectKind.MISSING, "DELETE FROM read.offers__g1 WHERE status = 'withdrawn'"),
    ("offer_messages", DefectKind.WRONG, "UPDATE read.offer_messages__g1 SET text = text || '.' WHERE side = 'seller'"),
    ("offer_messages", DefectKind.WRONG, "UPDATE read.offer_messages__g1 SET text = 'I pay 1' WHERE text = '[erased]'"),
    ("escrows", DefectKind.WRONG, "UPDATE read.escrows__g1 SET to_seller = to_seller + 1, to_buyer = to_buyer - 1"),
    ("escrows", DefectKind.WRONG, "UPDATE read.escrows__g1 SET dispute_text = 'Mine' WHERE dispute_text = '[erased]'"),
    ("escrows", DefectKind.WRONG, "UPDATE read.escrows__g1 SET status = 'released' WHERE status = 'disputed'"),
    ("escrows", DefectKind.MISSING, "DELETE FROM read.escrows__g1 WHERE came_late"),
    (
        "listings",
        DefectKind.WRONG,
        "UPDATE read.listings__g1 SET asking_price = asking_price - 1 WHERE status = 'sold'",
    ),
    ("listings", DefectKind.WRONG, "UPDATE read.listings__g1 SET description = 'A cave' WHERE status = 'withdrawn'"),
    ("listings", DefectKind.WRONG, "UPDATE read.listings__g1 SET verification = NULL WHERE verification IS NOT NULL"),
    ("listing_questions", DefectKind.WRONG, "UPDATE read.listing_questions__g1 SET answer = 'No' WHERE flags > 0"),
    ("listing_questions", DefectKind.WRONG, "UPDATE read.listing_questions__g1 SET hidden_at = NULL WHERE flags = 0"),
    ("listing_watches", DefectKind.WRONG, "UPDATE read.listing_watches__g1 SET ended_at = began_at"),
    ("saved_searches", DefectKind.WRONG, "UPDATE read.saved_searches__g1 SET search = 'Caves' WHERE search = 'Huts'"),
    ("sellers", DefectKind.WRONG, f"UPDATE read.sellers__g1 SET sold = 2 WHERE account_id = '{ACCOUNT}'"),
    ("sellers", DefectKind.WRONG, f"UPDATE read.sellers__g1 SET name = 'Eve' WHERE account_id = '{ERASED_ACCOUNT}'"),
    ("market_steps", DefectKind.MISSING, "DELETE FROM read.market_steps__g1 WHERE kind = 'listing.rejected'"),
    (
        "market_steps",
        DefectKind.WRONG,
        "UPDATE read.market_steps__g1 SET detail = 'Mine' WHERE kind = 'listing.suspended'",
    ),
)


_NOTIFICATION = (
    "INSERT INTO notifications.notification (id, account_id, kind, about, title, created_at, updated_at, seen_at)"
    " SELECT gen_random_uuid(), account_id, kind, {about}, title, created_at, updated_at, now()"
    " FROM notifications.notification WHERE kind = 'listing' LIMIT 1"
)


CHANGES_BY_DECISIONS = (
    ("lookup.monthly_total", DefectKind.WRONG, "UPDATE lookup.monthly_total SET revenue = revenue + 1"),
    ("lookup.account_roles", DefectKind.MISSING, f"DELETE FROM lookup.account_roles WHERE account_id = '{ACCOUNT}'"),
    ("lookup.link_count", DefectKind.WRONG, "INSERT INTO lookup.link_count VALUES (gen_random_uuid(), 1)"),
    (
        "notifications",
        DefectKind.DUPLICATE,
        "UPDATE notifications.notification SET count = count + 1 WHERE kind = 'moderation'",
    ),
    ("notifications", DefectKind.DUPLICATE, _NOTIFICATION.format(about="about")),
    ("notifications", DefectKind.WRONG, _NOTIFICATION.format(about="'nothing'")),
)
"""Tables of the write side that follow from events: a wrong tier total, a lost inline row, a doubled notification."""


_OWN_COLUMNS = (
    "SELECT column_name FROM information_schema.columns"
    " WHERE table_schema = 'read' AND table_name = %s AND is_generated = 'NEVER'"
)


def in_rounds(changes: Sequence[Change]) -> list[dict[str, Change]]:
    """The changes of each check in their order, one of them in a round: an audit for each change takes minutes."""
    rounds: list[dict[str, Change]] = []
    for change in changes:
        free = next((one for one in rounds if change[0] not in one), None)
        if free is None:
            rounds.append(free := {})
        free[change[0]] = change
    return rounds


def test_a_figure_that_was_changed_behind_the_log_is_found(way: Pipeline, ledger: Path) -> None:
    """Each by the check of its own table."""
    send(way, ledger)
    with way.projecting():
        assert audit(way.settings).is_clean
        for statement in CHANGES_IN_CLICKHOUSE.values():
            HttpClickHouse(way.settings).run(statement)
        report = audit(way.settings)
    assert {found for _, found, _ in report.examples} == CHANGES_IN_CLICKHOUSE.keys(), report.as_text()


def test_a_row_in_clickhouse_that_was_changed_behind_the_log_is_found(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One change for each check at a time; those of money last, and alone: other changes move money, too."""
    monkeypatch.setattr("infra.ops.audit.report.EXAMPLES", 1_000)
    send(way, ledger)
    rows = [change for change in ROWS_IN_CLICKHOUSE if change[0] != "money"]
    rounds = in_rounds(rows)
    rounds += [{"money": change} for change in ROWS_IN_CLICKHOUSE if change[0] == "money"]
    reports = [AuditReport()]
    with way.projecting():
        assert audit(way.settings).is_clean
        for changes in rounds:
            for _, _, statement in changes.values():
                HttpClickHouse(way.settings).run(statement, {"mutations_sync": 2, "lightweight_deletes_sync": 2})
            reports.append(audit(way.settings))
            for check, kind, statement in changes.values():
                assert findings(reports[-1])[kind, check] > findings(reports[-2])[kind, check], statement


def test_a_row_of_a_read_model_that_was_changed_behind_the_log_is_found(
    way: Pipeline, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.ops.audit.report.EXAMPLES", 1_000)
    send(way, ledger)
    url = way.settings.postgres_url or ""
    with way.projecting(), psycopg.connect(url, autocommit=True) as postgres:
        ends = wait_until_quiescent(way.log, postgres, 60)
    with (
        psycopg.connect(url, autocommit=True) as postgres,
        Reader(way.settings) as clickhouse,
        pool(way.settings, 1) as connections,
    ):
        keyring = Keyring(connections, way.settings)
        for changes in in_rounds(CHANGES_IN_POSTGRES):
            for model, _, statement in changes.values():
                postgres.execute(f"CREATE TABLE kept_{model} AS TABLE read.{model}__g1".encode())
                assert postgres.execute(statement.encode()).rowcount > 0, statement
            report = audit_domain_events(way.log, clickhouse, postgres, ends, keyring)
            for model, kind, statement in changes.values():
                assert findings(report)[kind, f"read.{model}"], f"{statement}\n{report.as_text()}"
            named = {f"read.{model}" for model in changes}
            assert {check for _, check, _ in report.examples} <= named | {"money"}, report.as_text()
            for model in changes:
                postgres.execute(f"TRUNCATE read.{model}__g1".encode())
                columns = ", ".join(row[0] for row in postgres.execute(_OWN_COLUMNS, (f"{model}__g1",)))
                postgres.execute(
                    f"INSERT INTO read.{model}__g1 ({columns}) SELECT {columns} FROM kept_{model}".encode()
                )
                postgres.execute(f"DROP TABLE kept_{model}".encode())
        assert audit_domain_events(way.log, clickhouse, postgres, ends, keyring).is_clean


def test_a_row_of_the_write_side_that_was_changed_behind_the_events_is_found(way: Pipeline, ledger: Path) -> None:
    send(way, ledger)
    create_event_store(way.settings)
    container = open_container(way.settings)
    with way.projecting(), psycopg.connect(way.settings.postgres_url or "", autocommit=True) as postgres:
        store(postgres, domain_records(way))
        for projection in INLINE_PROJECTIONS.projections:
            inline_rebuild.rebuild(way.settings, postgres, projection)
        notify(container, postgres)
        write_rows_beside_events(way.settings, postgres)
        sound = audit(way.settings)
        assert sound.is_clean, sound.as_text()
        assert sound.checked["rows of inline projection monthly_totals"] > 0 < sound.checked["notifications"]
        twice = next(event for event in history(lambda _subject, _field, text: text) if isinstance(event, PostApproved))
        NotificationHandler(container).handle(postgres, twice)
        container.close()
        reports = [sound, audit(way.settings)]
        assert findings(reports[-1]) == {(DefectKind.DUPLICATE, "notifications"): 1}, reports[-1].as_text()
        for changes in in_rounds(CHANGES_BY_DECISIONS):
            for _, _, statement in changes.values():
                assert postgres.execute(statement.encode()).rowcount > 0, statement
            reports.append(audit(way.settings))
            added = findings(reports[-1]) - findings(reports[-2])
            assert added.keys() == {(kind, check) for check, kind, _ in changes.values()}, reports[-1].as_text()
