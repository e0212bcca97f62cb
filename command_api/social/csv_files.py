"""CSV files that social networks export: which network and kind a file is of, and what its lines say. Pure.

`LAYOUTS` is the table of known columns, in English; docs/social-posts.md says what each was checked against. Other
columns are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final

from command_api.kernel.csv_imports import CsvFile, read_csv, require_line_limit
from command_api.kernel.decision import invalid
from command_api.social.commands import FoundPost
from schemas.events.social import ChannelDay, PostFigures
from schemas.social_networks import RULES, Network

MAX_CHARACTERS: Final = 900_000
MAX_LINES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Layout:
    """One kind of export. `marks`: the columns that it must have; `never`: those that show that it is another one.
    `figures`: figure to column. `day`: column of a file by day; `address`, `title`, `published`: of a file by post.
    `address_of`: makes an address of what the column has."""

    network: Network
    marks: tuple[str, ...]
    figures: Mapping[str, str]
    day: str = ""
    address: str = ""
    title: tuple[str, ...] = ()
    published: str = ""
    address_of: str = "{}"
    never: tuple[str, ...] = ()


_META: Final = ("permalink", "publish time", "views", "reach")
LAYOUTS: Final = (
    Layout(
        Network.INSTAGRAM,
        (*_META, "account username"),
        {"views": "views", "likes": "likes", "comments": "comments"},
        address="permalink",
        title=("description",),
        published="publish time",
    ),
    Layout(
        Network.FACEBOOK,
        (*_META, "page id"),
        {"views": "views", "likes": "reactions", "comments": "comments", "clicks": "link clicks"},
        address="permalink",
        title=("title", "description"),
        published="publish time",
    ),
    Layout(
        Network.TIKTOK,
        ("video link", "post time", "total views"),
        {"views": "total views", "likes": "total likes", "comments": "total comments"},
        address="video link",
        title=("video title",),
        published="post time",
    ),
    Layout(Network.TIKTOK, ("date", "video views"), {"views": "video views"}, day="date", never=("impressions",)),
    Layout(Network.TIKTOK, ("date", "followers"), {"followers": "followers"}, day="date", never=("views", "reach")),
    Layout(
        Network.YOUTUBE,
        ("content", "video publish time", "views"),
        {"views": "views", "likes": "likes", "comments": "comments added"},
        address="content",
        title=("video title",),
        published="video publish time",
        address_of="https://www.youtube.com/watch?v={}",
    ),
    Layout(
        Network.YOUTUBE,
        ("date", "views"),
        {"views": "views"},
        day="date",
        never=("reach", "content", "link clicks", "impressions", "permalink"),
    ),
    Layout(
        Network.X,
        ("post link", "date", "impressions"),
        {"views": "impressions", "likes": "likes", "comments": "replies", "clicks": "url clicks"},
        address="post link",
        title=("post text",),
        published="date",
    ),
    Layout(Network.X, ("date", "impressions", "reposts"), {"views": "impressions"}, day="date", never=("post link",)),
)


@dataclass(slots=True)
class SocialFile:
    """The contents of a file: days of the channel, or posts. `left_out`: lines without address or without figures."""

    days: list[ChannelDay] = field(default_factory=list)
    posts: list[FoundPost] = field(default_factory=list)
    left_out: int = 0


def parse(network: Network, text: str, today: date) -> SocialFile:
    """Reads an export of `network`. Raises `CommandRejected` for one of another network, of an unknown kind, or with a
    line that cannot be read. `today`: for days without a year, which are in the last twelve months."""
    file = read_csv(text, MAX_CHARACTERS)
    require_line_limit(file, MAX_LINES, "lines")
    layout = _layout(network, file)
    result = SocialFile()
    seen: set[date] = set()
    for number, line in file.lines:
        if len(line) != len(file.header):
            raise invalid("bad_line", f"Line {number} has {len(line)} fields, not {len(file.header)}.", "csv")
        fields = file.fields(line)
        if not fields[layout.day or layout.address] or fields[layout.day or layout.address].lower() == "total":
            result.left_out += 1
            continue
        figures = {name: _count(fields.get(column, ""), number, column) for name, column in layout.figures.items()}
        if layout.day:
            day = _moment(fields[layout.day], number, today).date()
            if day in seen:
                raise invalid("same_day", f"Line {number}: {day} is there twice. Export the figures by day.", "csv")
            seen.add(day)
            result.days.append(ChannelDay(day=day, **figures))
        else:
            title = next((fields[name] for name in layout.title if fields.get(name)), "")
            published = fields[layout.published]
            at = _moment(published, number, today) if published else None
            address = layout.address_of.format(fields[layout.address])
            result.posts.append(FoundPost(address, title, at, PostFigures(**figures)))
    return result


def _layout(network: Network, file: CsvFile) -> Layout:
    header = frozenset(file.header)
    fitting = [one for one in LAYOUTS if header.issuperset(one.marks) and header.isdisjoint(one.never)]
    for layout in fitting:
        if layout.network is network:
            return layout
    name = RULES[network].name
    columns = "; or ".join(", ".join(one.marks) for one in LAYOUTS if one.network is network)
    if not columns:
        raise invalid("no_files", f"CSV files of {name} cannot be imported.", "csv")
    expected = f"An export of {name}, in English, has the columns {columns}."
    if fitting:
        other = RULES[fitting[0].network].name
        raise invalid("other_network", f"This looks like an export of {other}. {expected}", "csv")
    raise invalid("unknown_columns", f"The columns of this file are not known. {expected}", "csv")


def _count(text: str, number: int, column: str) -> int | None:
    text = text.replace(",", "").strip()
    if text in ("", "-", "--", "N/A"):
        return None
    if not re.fullmatch(r"\d{1,15}", text):
        raise invalid("bad_number", f"Line {number}: {column} is not a whole number.", "csv")
    return int(text)


_FORMATS: Final = (
    *("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%m/%d/%Y", "%m/%d/%Y %H:%M"),
    *("%b %d, %Y", "%B %d, %Y", "%a, %b %d, %Y"),
)
_WITHOUT_YEAR: Final = ("%B %d", "%d %B", "%b %d", "%d %b")


def _moment(text: str, number: int, today: date) -> datetime:
    """The time in the file, taken as UTC."""
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    for form in _WITHOUT_YEAR:
        for year in (today.year, today.year - 1):
            try:
                at = datetime.strptime(f"{text} {year}", f"{form} %Y").replace(tzinfo=UTC)
            except ValueError:
                continue
            if at.date() <= today:
                return at
    raise invalid("bad_date", f"Line {number}: {text[:40]} is no date, such as 2026-11-20 or Nov 20, 2026.", "csv")
