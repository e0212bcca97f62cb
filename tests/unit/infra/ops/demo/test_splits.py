"""The demonstration's splits: one has a winner, and one has too few sales for a verdict."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta

from infra.domain.splits.judging import DayFigures, VariantFigures, Verdict, judge
from infra.domain.splits.shifting import shift
from infra.ops.demo import plan, splits
from infra.ops.demo.splits import DemoSplit
from schemas.events.links import Shifting, ShiftOutcome

TODAY = datetime(2026, 5, 17, 15, 30, tzinfo=UTC)
EVENTS = 300_000


def website_of(split: DemoSplit) -> plan.DemoWebsite:
    return next(site for site in plan.WEBSITES if site.domain == split.domain)


def figures(split: DemoSplit, seed: int = 1) -> list[VariantFigures]:
    """What the variants earned, if every sale that stands counts with its price."""
    clicks, earned = defaultdict[tuple[int, date], int](int), defaultdict[tuple[int, date], list[int]](list)
    for visit in splits.visits(website_of(split), today=TODAY, events=EVENTS, seed=seed):
        click = visit.events[1]
        place = (
            int(click["props"]["route"].removeprefix("variant ")),
            datetime.fromisoformat(click["occurred_at"]).date(),
        )
        clicks[place] += 1
        if visit.sale is not None and visit.sale["status"] in ("pending", "approved"):
            earned[place].append(visit.sale["amount"])
    found = []
    for number in range(1, len(split.variants) + 1):
        days = {day: count for (of, day), count in clicks.items() if of == number}
        sold = [amount for (of, _), amounts in earned.items() if of == number for amount in amounts]
        total = sum(days.values())
        by_day = {day: DayFigures(count, sum(earned[number, day])) for day, count in days.items()}
        squared, product = float(sum(amount**2 for amount in sold)), float(sum(sold))
        found.append(VariantFigures(number, by_day, len(sold), total, len(sold), total, squared, product))
    return found


def test_the_first_split_has_a_certain_winner_to_which_weights_shift_whatever_the_seed() -> None:
    split = splits.SPLITS[0]
    for seed in range(1, 21):
        result = judge(figures(split, seed))
        assert (result.verdict, result.leader) == (Verdict.WINNER, 2), seed
        assert shift(result, {1: 1, 2: 1}, Shifting(is_on=True)).outcome is ShiftOutcome.SHIFTED
    assert split.shifts


def test_the_second_split_spans_two_partners_and_has_not_enough_sales_yet() -> None:
    split = splits.SPLITS[1]
    result = judge(figures(split))
    assert result.verdict is Verdict.COLLECTING
    assert set(result.missing.buyers) == {1, 2} and result.missing.days == 0
    assert len({variant.partner for variant in split.variants}) == 2


def test_clicks_name_their_variant_and_its_partner_and_the_link_has_both() -> None:
    ids = {partner.slug: partner.slug for partner in plan.PARTNERS}
    for split in splits.SPLITS:
        body = splits.link_body(split, "w", ids)
        assert split.domain.endswith(plan.MARK) and website_of(split)
        for visit in splits.visits(website_of(split), today=TODAY, events=EVENTS, seed=1):
            view, click = visit.events
            number = int(click["props"]["route"].removeprefix("variant "))
            assert click["partner"] == body["variants"][number - 1]["partnerId"]
            assert view["occurred_at"] < click["occurred_at"] < TODAY.isoformat()


def test_the_same_seed_makes_the_same_visits_and_fewer_events_fewer_of_them() -> None:
    [site, *_] = plan.WEBSITES
    made = [list(splits.visits(site, today=TODAY, events=events, seed=1)) for events in (EVENTS, EVENTS, EVENTS // 10)]
    assert made[0] == made[1]
    later = list(splits.visits(site, today=TODAY + timedelta(hours=3), events=EVENTS, seed=1))
    assert [visit.events for visit in later] == [visit.events for visit in made[0]], "only sales come later"
    assert 8 * len(made[2]) < len(made[0]) < 12 * len(made[2])
    assert not list(splits.visits(plan.WEBSITES[1], today=TODAY, events=EVENTS, seed=1))
