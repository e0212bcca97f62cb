"""Given a file that a network exports, when it is read for a channel, then these days and posts, or this refusal."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from command_api.kernel.decision import CommandRejected
from command_api.social import csv_files
from command_api.social.commands import FoundPost
from schemas.events.social import ChannelDay, PostFigures
from schemas.social_networks import Network
from tests.support.given_when_then import given, rejected

TODAY = date(2026, 3, 1)
TIKTOK = 'Date,Video Views,Profile Views\nFebruary 28,"1,200",3\n31 December,,1\n'
YOUTUBE = (
    "Content,Video title,Video publish time,Duration,Views,Watch time (hours)\nTotal,,,,900,1\n"
    'aBcDeFgHiJk,"Knives, sharp","Feb 20, 2026",60,900,1\n'
)
X = 'Date,Impressions,Likes,Reposts\n"Sat, Feb 28, 2026",1200,3,\n'


def test_days_may_lack_their_year_and_figures() -> None:
    assert csv_files.parse(Network.TIKTOK, TIKTOK, TODAY).days == [
        ChannelDay(day=date(2026, 2, 28), views=1200),
        ChannelDay(day=date(2025, 12, 31)),
    ]
    assert csv_files.parse(Network.X, X, TODAY).days == [ChannelDay(day=date(2026, 2, 28), views=1200)]


def test_posts_have_address_title_time_and_totals() -> None:
    file = csv_files.parse(Network.YOUTUBE, YOUTUBE, TODAY)
    address = "https://www.youtube.com/watch?v=aBcDeFgHiJk"
    at = datetime(2026, 2, 20, tzinfo=UTC)
    assert file.posts == [FoundPost(address, "Knives, sharp", at, PostFigures(views=900))]
    assert (file.days, file.left_out) == ([], 1), "the line of totals"


@pytest.mark.parametrize("layout", csv_files.LAYOUTS, ids=lambda layout: f"{layout.network}, {layout.marks[0]}")
def test_each_known_export_is_read_for_its_own_network_only(layout: csv_files.Layout) -> None:
    columns = sorted({*layout.marks, *layout.figures.values()})
    text = ",".join(columns) + "\n"
    csv_files.parse(layout.network, text, TODAY)
    for other in Network:
        if other is not layout.network:
            with pytest.raises(CommandRejected) as caught:
                csv_files.parse(other, text, TODAY)
            assert caught.value.code == ("no_files" if other is Network.PINTEREST else "other_network"), other


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (X, "other_network", "looks like an export of X"),
        ("Datum,Aufrufe\n", "unknown_columns", "in English, has the columns video link, post time"),
        ("Date,Video Views\nsoon,1\n", "bad_date", "Line 2"),
        ("Date,Video Views\n2026-01-01,many\n", "bad_number", "Line 2"),
        ("Date,Video Views\n2026-01-01\n", "bad_line", "Line 2"),
        ("Date,Video Views\n2026-01-01,1\n2026-01-01,1\n", "same_day", "Line 3"),
        ("", "empty_file", "empty"),
        ("Date,Video Views\n" + "2026-01-01,1\n" * 2001, "too_many_lines", "2,000"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, code: str, says: str) -> None:
    given().when(csv_files.parse, Network.TIKTOK, text, TODAY).then(rejected(code, says=says))
