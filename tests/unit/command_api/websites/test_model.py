"""Given a website's history, when its owner or another account sends a command, then these events or this refusal."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from command_api.kernel.decision import CommandContext, CommandRejected, OnBehalf
from command_api.kernel.hostnames import web_address, website_domain
from command_api.websites import model
from command_api.websites.keys import PREFIXES, checksum, new_key
from ingest.directory import directory as ingest_directory
from ingest.steps.identify_site import check_origin
from schemas.events.websites import (
    AttributionModel,
    KeyKind,
    TrafficConditions,
    TrafficMark,
    WebsiteConnected,
    WebsiteDisconnected,
    WebsiteEventsExpired,
    WebsiteKeyIssued,
    WebsiteKeyRevoked,
    WebsiteRetentionChanged,
    WebsiteTrafficRemarked,
    WebsiteTrafficRemarkUndone,
    WebsiteUpdated,
)
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER, SITE = uuid4(), uuid4()
CONTEXT = CommandContext(NOW, OWNER)
STRANGER = CommandContext(NOW, uuid4())


def connected(*kinds: KeyKind) -> model.Website:
    keys = [new_key(kind) for kind in kinds]
    state: model.Website | None = None
    for event in model.connect(SITE, domain="shop.example", timezone="UTC", currency="USD", keys=keys, context=CONTEXT):
        state = model.evolve(state, event)
    assert state is not None
    return state


def test_connecting_makes_the_website_and_its_keys() -> None:
    keys = [new_key(kind) for kind in KeyKind]
    first, *issued = model.connect(
        SITE,
        domain="https://www.Bücher.example/",
        timezone="Atlantic/Reykjavik",
        currency="ISK",
        keys=keys,
        context=CONTEXT,
    )
    assert isinstance(first, WebsiteConnected)
    assert (first.domain, first.currency, first.account_id) == ("www.xn--bcher-kva.example", "ISK", OWNER)
    assert [event.originator_version for event in issued] == [2, 3, 4]
    for key, event in zip(keys, issued, strict=True):
        assert isinstance(event, WebsiteKeyIssued)
        assert event.key_hash == key.hash
        assert event.public_key == (key.text if key.kind is KeyKind.SITE else None)


@pytest.mark.parametrize(
    "domain",
    [
        "",
        "localhost",
        "10.0.0.1",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "co.uk",
        "com",
        "github.io",
        "a b.example",
        "shop.example/path",
        "shop.example:8080",
        "me@shop.example",
        "-bad-.example",
        "shop.local",
        "x" * 300 + ".example",
    ],
)
def test_domains_that_cannot_be_public_are_refused(domain: str) -> None:
    given().when(website_domain, domain).then(rejected(field="domain"))


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"timezone": "Mars/Base"}, "timezone"),
        ({"timezone": "localtime"}, "timezone"),
        ({"timezone": "Factory"}, "timezone"),
        ({"currency": "usd"}, "currency"),
        ({"currency": "XYZ"}, "currency"),
    ],
)
def test_unknown_zones_and_currencies_are_refused(wrong: dict[str, str], field: str) -> None:
    values = {"domain": "shop.example", "timezone": "UTC", "currency": "USD", **wrong}
    given().when(model.connect, SITE, keys=(), context=CONTEXT, **values).then(rejected(field=field))


def test_updating_tells_only_what_changed() -> None:
    website = connected()
    (event,) = model.update(
        website,
        domain="shop.example",
        timezone="Europe/Paris",
        attribution_model=AttributionModel.FIRST_CLICK,
        context=CONTEXT,
    )
    assert isinstance(event, WebsiteUpdated)
    assert (event.domain, event.timezone, event.attribution_model) == (
        None,
        "Europe/Paris",
        AttributionModel.FIRST_CLICK,
    )
    given(website).when(model.update, timezone="UTC", currency="USD", context=CONTEXT).then()


def test_settings_for_links_in_pages_can_be_switched_on_and_off() -> None:
    website = connected()
    assert (website.link_click_ids, website.link_impressions_every) == (False, 0)
    for ids, every in ((True, 10), (False, 0)):
        [event] = model.update(website, link_click_ids=ids, link_impressions_every=every, context=CONTEXT)
        assert isinstance(event, WebsiteUpdated) and event.timezone is None
        website = model.evolve(website, event)
        assert (website.link_click_ids, website.link_impressions_every) == (ids, every)
        given(website).when(model.update, link_click_ids=ids, link_impressions_every=every, context=CONTEXT).then()
    for every in (-1, 1001):
        given(website).when(model.update, link_impressions_every=every, context=CONTEXT).then(
            rejected(says="1 to 1,000")
        )


def test_ad_click_ids_are_kept_for_as_long_and_from_whom_the_owner_wants() -> None:
    website = connected()
    assert (website.keep_ad_click_ids, website.ad_click_id_days, website.ad_click_ids_need_consent) == (
        False,
        90,
        False,
    )
    settings = {"keep_ad_click_ids": True, "ad_click_id_days": 730, "ad_click_ids_need_consent": True}
    [event] = model.update(website, **settings, context=CONTEXT)  # type: ignore[arg-type]
    website = model.evolve(website, event)
    assert {name: getattr(website, name) for name in settings} == settings
    given(website).when(model.update, **settings, context=CONTEXT).then()
    for days in (0, 731):
        given(website).when(model.update, ad_click_id_days=days, context=CONTEXT).then(rejected(says="1 to 730"))


def test_the_currency_is_fixed() -> None:
    given(connected()).when(model.update, currency="EUR", context=CONTEXT).then(rejected("currency_fixed"))


def test_two_secrets_live_at_once_and_no_more() -> None:
    website = connected(KeyKind.SECRET)
    (second,) = model.issue_key(website, new_key(KeyKind.SECRET), context=CONTEXT)
    website = model.evolve(website, second)
    given(website).when(model.issue_key, new_key(KeyKind.SECRET), context=CONTEXT).then(rejected("too_many_keys"))
    (revoked,) = model.revoke_key(website, second.key_id, CONTEXT)
    assert isinstance(revoked, WebsiteKeyRevoked)
    website = model.evolve(website, revoked)
    given(website).when(model.revoke_key, second.key_id, CONTEXT).then()
    assert model.issue_key(website, new_key(KeyKind.SECRET), context=CONTEXT)


def test_origins_are_brought_to_one_form_and_only_for_site_keys() -> None:
    website = connected()
    typed = ["https://WWW.Shop.example/", "http://localhost:3000", "https://www.shop.example"]
    (event,) = model.issue_key(website, new_key(KeyKind.SITE), allowed_origins=typed, context=CONTEXT)
    assert event.allowed_origins == ("https://www.shop.example", "http://localhost:3000")
    for kind, origins in ((KeyKind.SECRET, typed), (KeyKind.SITE, ["shop.example"]), (KeyKind.SITE, ["https://a.b/c"])):
        given(website).when(model.issue_key, new_key(kind), allowed_origins=origins, context=CONTEXT).then(rejected())


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("https://shop.example:443", "https://shop.example"),
        ("http://shop.example:80/", "http://shop.example"),
        ("http://shop.example:443", "http://shop.example:443"),
        ("https://Münchner-Shop.example", "https://xn--mnchner-shop-dlb.example"),
        ("https://*.München.example", "https://*.xn--mnchen-3ya.example"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("https://my_shop.example", "https://my_shop.example"),
    ],
)
def test_origins_are_kept_as_browsers_send_them(given: str, sent: str) -> None:
    (event,) = model.issue_key(connected(), new_key(KeyKind.SITE), allowed_origins=[given], context=CONTEXT)
    assert event.allowed_origins == (sent,)
    check_origin(
        ingest_directory.KeyEntry(ingest_directory.WebsiteRow(SITE, "shop.example", "USD"), "site", (sent,)),
        {b"origin": sent.encode()},
    )


@pytest.mark.parametrize(
    "origin",
    [
        *("null", "*", "file:///", "https://", "https://*", "https://*.", "https://a*.example", "https://u@x.example"),
        *("https://a b.example", "https://a\tb.example", "https://a\x00b.example", "https://a\x7f.example"),
        *(
            "https://x.example:99999",
            "https://x.example:1x",
            "https://[::1",
            "https://ａ／b.example",
            "https://%41.example",
        ),
    ],
)
def test_what_no_browser_sends_is_no_origin(origin: str) -> None:
    given(connected()).when(model.issue_key, new_key(KeyKind.SITE), allowed_origins=[origin], context=CONTEXT).then(
        rejected("bad_origin", field="allowedOrigins")
    )


def test_objects_of_another_account_are_not_found() -> None:
    website = connected(KeyKind.SITE)
    (key_id,) = website.keys
    gone = model.evolve(website, model.disconnect(website, CONTEXT)[0])
    for refuse in (
        lambda: model.update(website, timezone="UTC", context=STRANGER),
        lambda: model.disconnect(website, STRANGER),
        lambda: model.issue_key(website, new_key(KeyKind.SITE), context=STRANGER),
        lambda: model.revoke_key(website, key_id, STRANGER),
        lambda: model.disconnect(None, CONTEXT),
        lambda: model.disconnect(gone, CONTEXT),
        lambda: model.revoke_key(website, uuid4(), CONTEXT),
    ):
        with pytest.raises(CommandRejected) as refused:
            refuse()
        assert refused.value.kind == "missing"


def test_an_admin_acts_for_the_owner_with_a_reason_and_for_nobody_else() -> None:
    admin = CommandContext(NOW, uuid4(), is_admin=True)
    for refused in (admin, replace(admin, on_behalf=OnBehalf(uuid4(), "phishing", uuid4(), "x"))):
        given(connected()).when(model.disconnect, refused).then(rejected(says="Website not found"))
    acts = OnBehalf(connected().account_id, "phishing", connected().id, connected().domain)
    (event,) = model.disconnect(connected(), replace(admin, on_behalf=acts))
    assert isinstance(event, WebsiteDisconnected) and event.actor_id == admin.account_id


@pytest.mark.parametrize("kind", list(KeyKind))
def test_keys_carry_their_kind_and_a_checksum(kind: KeyKind) -> None:
    key = new_key(kind)
    assert key.text.startswith(PREFIXES[kind])
    assert len(key.text) == 49
    assert key.text[3:].isalnum()
    assert checksum(key.text[:-6]) == key.text[-6:]
    assert checksum(key.text[:-7] + ("a" if key.text[-7] != "a" else "b")) != key.text[-6:]
    assert new_key(kind).text != key.text


@pytest.mark.parametrize(
    "address",
    [
        "ftp://a.example",
        "javascript:alert(1)",
        "//a.example",
        "https://",
        "https://user:pw@a.example",
        "https://a.example:99999",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://3232235777/",
        "http://0177.0.0.1/",
        "https://metadata.internal/",
        "https://a.example/\r\nX: y",
        "https://a.example\\@evil.example",
        "https://" + "a" * 3000,
    ],
)
def test_addresses_that_must_not_be_followed_are_refused(address: str) -> None:
    given().when(web_address, address, "baseUrl").then(rejected())


RULE = uuid4()


SINCE, UNTIL = NOW - timedelta(days=2), NOW - timedelta(days=1)


def remarked(
    website: model.Website, context: CommandContext = CONTEXT, *, since: datetime = SINCE, until: datetime = UNTIL
) -> list[WebsiteTrafficRemarked]:
    return model.remark_traffic(
        website,
        RULE,
        mark=TrafficMark.SUSPICIOUS,
        conditions=TrafficConditions(country="DE"),
        note=" One day ",
        context=context,
        since=since,
        until=until,
    )


def test_a_rule_for_traffic_is_made_and_undone_once() -> None:
    website = connected()
    [made] = remarked(website)
    assert (made.rule_id, made.mark, made.conditions.country, made.note) == (RULE, "suspicious", "DE", "One day")
    website = model.evolve(website, made)
    [undone] = model.undo_remark(website, RULE, CONTEXT)
    assert isinstance(undone, WebsiteTrafficRemarkUndone) and undone.rule_id == RULE
    given(model.evolve(website, undone)).when(model.undo_remark, RULE, CONTEXT).then()


def test_rules_for_traffic_that_make_no_sense_are_refused() -> None:
    website = connected()
    for since, until, code in (
        (SINCE, NOW - timedelta(days=2), "empty_period"),
        (NOW - timedelta(days=400), UNTIL, "long_period"),
    ):
        given(website).when(remarked, since=since, until=until).then(rejected(code))
    for attempt in (lambda: remarked(website, STRANGER), lambda: model.undo_remark(website, RULE, CONTEXT)):
        with pytest.raises(CommandRejected) as caught:
            attempt()
        assert caught.value.kind == "missing"
    for _ in range(model.MAX_RULES):
        website = model.evolve(website, remarked(website)[0].model_copy(update={"rule_id": uuid4()}))
    given(website).when(remarked).then(rejected("too_many_rules"))


FIRST_DAY = date(2024, 2, 1)


def kept_for(months: int | None, *, zone: str = "UTC") -> model.Website:
    """A website whose owner chose, a day and a minute ago, how long its events are kept."""
    state = replace(connected(), timezone=zone)
    context = CommandContext(NOW - timedelta(hours=24, minutes=1), OWNER)
    for event in model.change_retention(state, months, context):
        state = model.evolve(state, event)
    return state


def test_the_same_retention_again_changes_nothing_and_only_its_owner_sets_it() -> None:
    [changed] = model.change_retention(connected(), 13, CONTEXT)
    assert isinstance(changed, WebsiteRetentionChanged)
    assert changed.raw_months == 13
    given(kept_for(13)).when(model.change_retention, 13, CONTEXT).then()
    given(connected()).when(model.change_retention, None, CONTEXT).then()
    for months in (0, 61, -1):
        given(connected()).when(model.change_retention, months, CONTEXT).then(rejected(says="1 to 60 months"))
    given(connected()).when(model.change_retention, 13, STRANGER).then(rejected())


def test_events_expire_in_whole_months_and_each_month_once() -> None:
    state = kept_for(3)
    [expired] = model.expire_events(state, FIRST_DAY, 30, CONTEXT)
    assert isinstance(expired, WebsiteEventsExpired)
    assert expired.before == date(2026, 8, 1)
    state = model.evolve(state, expired)
    given(state).when(model.expire_events, FIRST_DAY, 30, CONTEXT).then()
    given(state).when(
        model.expire_events, FIRST_DAY, 30, CommandContext(datetime(2026, 11, 30, 23, 59, tzinfo=UTC), None)
    ).then()
    [next_month] = model.expire_events(
        state, FIRST_DAY, 30, CommandContext(datetime(2026, 12, 1, 0, 1, tzinfo=UTC), None)
    )
    assert isinstance(next_month, WebsiteEventsExpired)
    assert next_month.before == date(2026, 9, 1)


def test_nothing_expires_within_a_day_after_a_change_nor_without_a_setting() -> None:
    state = kept_for(3)
    for event in model.change_retention(state, 1, CommandContext(NOW - timedelta(hours=23), OWNER)):
        state = model.evolve(state, event)
    given(state).when(model.expire_events, FIRST_DAY, 30, CONTEXT).then()
    for event in model.change_retention(state, None, CommandContext(NOW - timedelta(hours=22), OWNER)):
        state = model.evolve(state, event)
    given(state).when(model.expire_events, FIRST_DAY, 30, CommandContext(NOW + timedelta(days=90), None)).then()
    given(connected()).when(model.expire_events, FIRST_DAY, 30, CONTEXT).then()


def test_no_longer_setting_brings_back_what_is_gone() -> None:
    state = kept_for(3)
    for event in (*model.expire_events(state, FIRST_DAY, 30, CONTEXT), *model.change_retention(state, 24, CONTEXT)):
        state = model.evolve(state, event)
    assert state.expired_before == date(2026, 8, 1)
    given(state).when(model.expire_events, FIRST_DAY, 30, CommandContext(NOW + timedelta(days=2), None)).then()


def test_events_of_a_removed_website_expire_too() -> None:
    state = kept_for(3)
    for event in model.disconnect(state, CONTEXT):
        state = model.evolve(state, event)
    assert len(model.expire_events(state, FIRST_DAY, 30, CONTEXT)) == 1


def test_nothing_expires_where_there_is_nothing() -> None:
    given(kept_for(3)).when(model.expire_events, date(2026, 8, 1), 30, CONTEXT).then()
    assert len(model.expire_events(kept_for(3), date(2026, 7, 31), 30, CONTEXT)) == 1


def test_a_traffic_rule_concerns_days_whose_events_are_there() -> None:
    state = kept_for(3)
    for event in model.expire_events(state, FIRST_DAY, 30, CONTEXT):
        state = model.evolve(state, event)
    midnight = datetime(2026, 8, 1, tzinfo=UTC)

    def rule(until: datetime) -> list[WebsiteTrafficRemarked]:
        return model.remark_traffic(
            state,
            uuid4(),
            since=midnight - timedelta(days=9),
            until=until,
            mark=TrafficMark.BOT,
            conditions=TrafficConditions(),
            note="",
            context=CONTEXT,
        )

    given().when(rule, midnight).then(rejected(says="were deleted"))
    assert rule(midnight + timedelta(seconds=1))
