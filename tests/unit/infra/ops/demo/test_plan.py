"""The demonstration is plausible, seeded, and the same whenever it is made."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from command_api.forum.categories import CATEGORIES
from command_api.kernel.images.model import reencode
from infra.ops.demo import forum, market, members, plan, records, run
from infra.ops.demo.pictures import picture
from schemas.tracking import IMPRESSION

TODAY = datetime(2026, 5, 17, 15, 30, tzinfo=UTC)


def make_visits(seed: int = 1, events: int = 20_000) -> list[plan.DemoVisit]:
    return [v for site in plan.WEBSITES for v in plan.visits(site, today=TODAY, events=events, seed=seed)]


@cache
def all_visits() -> list[plan.DemoVisit]:
    """Made once: no test changes them."""
    return make_visits()


def test_the_same_seed_makes_the_same_events_with_the_same_ids() -> None:
    few = make_visits(events=2_000)
    assert few == make_visits(events=2_000)
    assert few != make_visits(seed=2, events=2_000)


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
    assert {sale["status"] for _, sale in sales} == {"pending", "approved", "rejected", "reversed"}
    by_week: dict[int, set[str]] = {}
    for _, sale in sales:
        by_week.setdefault((TODAY - datetime.fromisoformat(sale["occurred_at"])).days // 7, set()).add(sale["status"])
    assert all("approved" in statuses for statuses in by_week.values()), by_week
    assert {"pending", "approved", "rejected"} <= set.union(*(by_week[week] for week in range(3))), by_week
    assert "pending" in by_week[0] and "pending" in by_week[1]


def test_what_is_for_sale_states_a_little_more_than_its_traffic_comes_to() -> None:
    visits = list(plan.visits(market.FOR_SALE, today=TODAY, events=300_000, seed=1))
    listing = market.with_figures(market.MEASURED, visits, TODAY)
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


@pytest.mark.parametrize("name", ["POSTGRES_URL", "KAFKA_BOOTSTRAP_SERVERS"])
def test_a_demonstration_never_starts_on_servers_or_data_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "secrets.json").write_text("{}")
    monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path))
    assert run.main(["--start"]) == 1
    said = capsys.readouterr().err
    assert str(tmp_path) in said and said.count("\n") == 1
    monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path / "new"))
    monkeypatch.setenv(name, "postgresql://u:p@db.example/x" if name == "POSTGRES_URL" else "kafka.example:9092")
    assert run.main(["--start"]) == 1
    said = capsys.readouterr().err
    assert name in said and said.count("\n") == 1 and not (tmp_path / "new").exists()


@pytest.mark.parametrize("arguments", [[], ["remove"]])
def test_without_a_stack_of_its_own_nothing_is_filled_or_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """Whatever else answers on the port of the app."""
    monkeypatch.setenv("ALTHING_DATA_DIR", str(tmp_path))
    assert run.main(arguments) == 1
    assert (
        capsys.readouterr().err == f"No stack runs on {tmp_path}. `make demo` starts one for the demonstration alone.\n"
    )


def test_all_that_the_demonstration_makes_carries_its_mark() -> None:
    domains = [site.domain for site in (*plan.WEBSITES, market.FOR_SALE)] + [one.domain for one in market.LISTINGS]
    assert all(domain.endswith(f".{plan.MARK}") for domain in domains)
    people = (members.SELLER, *members.BUYERS, *members.OTHERS)
    assert all(member.email.endswith(f"@{plan.MARK}") for member in people)
    assert all(partner.slug.startswith("demo-") for partner in (*plan.PARTNERS, plan.PRIVATE_PARTNER))
    texts = [thread.title for thread in forum.THREADS] + [forum.HELD[1]] + [view[0] for view in records.VIEWS]
    assert all(text.endswith("(demo)") for text in texts)


def test_placements_have_clicks_and_sampled_impressions() -> None:
    events = [event for visit in all_visits() for event in visit.events]
    clicked = {event["placement"] for event in events if event["type"] == "click"}
    seen = [event for event in events if event["type"] == IMPRESSION]
    assert clicked == {event["placement"] for event in seen} == {name for _, name in plan.PLACEMENTS}
    assert {event["value"] for event in seen} == {plan.IMPRESSIONS_EVERY}
    for place in clicked:  # fewer clicks than impressions: a rate by placement makes sense
        impressions = sum(event["value"] for event in seen if event["placement"] == place)
        assert impressions > sum(event["type"] == "click" and event["placement"] == place for event in events)


def test_each_picture_is_drawn_and_stored_like_an_upload() -> None:
    drawn = [picture("Inbox tools", "inbox.demo.example", chart=chart) for chart in (False, True)]
    assert len({reencode(one).hash for one in drawn}) == 2
    assert reencode(picture("Inbox tools", "inbox.demo.example")).hash == reencode(drawn[0]).hash


def test_the_forum_names_known_categories_and_authors() -> None:
    slugs = {command.slug for command in CATEGORIES}
    everybody = range(forum.ADMIN, 5)
    for thread in forum.THREADS:
        assert thread.category in slugs and thread.author in everybody
        assert all(author in everybody for author, _ in thread.replies)
    started = Counter(thread.author for thread in forum.THREADS if thread.author != forum.ADMIN)
    replied = Counter(author for thread in forum.THREADS for author, _ in thread.replies if author != forum.ADMIN)
    assert max(started.values()) == max(replied.values()) == 1, "new members may write only now and then"
    assert forum.HELD[0] in slugs and forum.HELD_BY not in started
