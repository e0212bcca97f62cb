"""The demonstration is plausible, seeded, and the same whenever it is made."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from infra.ops.demo import market, plan, run

TODAY = datetime(2026, 5, 17, 15, 30, tzinfo=UTC)


def all_visits(seed: int = 1, events: int = 20_000) -> list[plan.DemoVisit]:
    return [v for site in plan.WEBSITES for v in plan.visits(site, today=TODAY, events=events, seed=seed)]


def test_the_same_seed_makes_the_same_events_with_the_same_ids() -> None:
    assert all_visits() == all_visits()
    assert all_visits(seed=1) != all_visits(seed=2)


def test_the_plan_has_about_the_requested_number_of_events_with_unique_ids() -> None:
    ids = [event["id"] for visit in all_visits() for event in visit.events]
    assert len(ids) == len(set(ids))
    assert 17_000 < len(ids) < 23_000


def test_it_covers_90_days_and_nothing_of_it_is_in_the_future() -> None:
    moments = [datetime.fromisoformat(e["occurred_at"]) for v in all_visits() for e in v.events]
    assert max(moments) < TODAY
    assert timedelta(days=88) < max(moments) - min(moments) <= timedelta(days=90)


def test_every_website_promotes_known_partners_and_every_country_has_addresses() -> None:
    slugs = {partner.slug for partner in plan.PARTNERS}
    assert len(plan.WEBSITES) == 3 and len(slugs) == 8
    assert {slug for site in plan.WEBSITES for slug in site.partners} == slugs
    assert {country for site in plan.WEBSITES for country in site.countries} <= plan.NETWORKS.keys()


def test_a_sale_follows_a_click_of_its_visitor_within_the_cookie_window() -> None:
    sales = [(visit, visit.sale) for visit in all_visits() if visit.sale]
    assert len(sales) > 50
    for visit, sale in sales:
        clicks = [e for e in visit.events if e["type"] == "click" and e["visitor_id"] == sale["visitor_id"]]
        sold = datetime.fromisoformat(sale["occurred_at"])
        assert any(timedelta(0) <= sold - datetime.fromisoformat(c["occurred_at"]) < timedelta(days=90) for c in clicks)
        assert sale["amount"] > 0 and sold < TODAY
    assert {sale["status"] for _, sale in sales} == {"pending", "approved", "rejected"}


def test_what_is_for_sale_claims_a_little_more_than_its_traffic_comes_to() -> None:
    visits = list(plan.visits(market.FOR_SALE, today=TODAY, events=300_000, seed=1))
    listing = market.claiming(market.MEASURED, visits, TODAY)
    months = [datetime.fromisoformat(visit.events[0]["occurred_at"]).strftime("%Y-%m") for visit in visits]
    whole = (months.count("2026-03") + months.count("2026-04")) / 2
    assert 0.98 * whole < listing.monthly_traffic < 1.1 * whole
    assert 0 < listing.monthly_profit < listing.monthly_revenue < listing.asking_price
    every = [listing, *market.LISTINGS]
    assert len({one.title for one in every}) == len({one.domain for one in every}) == 6
    assert len({one.niche for one in every}) == 6 and all("(demo)" in one.title for one in every)


def test_a_directory_that_cannot_be_used_is_named_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "demo.json").write_text("{")
    for name in ("ALTHING_ADMIN_EMAIL", "ALTHING_ADMIN_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    for folder in ("file", "old"):
        monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path / folder))
        assert run.main(["--start"]) == 1
        said = capsys.readouterr().err
        assert str(tmp_path / folder) in said and said.count("\n") == 1
