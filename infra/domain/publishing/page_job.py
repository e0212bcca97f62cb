"""The rendering of one page as a job: bytes that say all that its file depends on.

The same bytes give the same file, so their hash names it: a page whose job is unchanged is not rendered again. A job
has only what the page refers to: a change of another page, of an image or of a link that is not on it leaves it alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final
from uuid import UUID

import orjson
from pydantic import TypeAdapter

from infra.domain.publishing.document import SiteDocument, SitePage, parse_site, read_page, to_json
from infra.domain.publishing.paths import ancestors
from infra.domain.publishing.render import PageDates, SiteFile, Surroundings, render_page
from infra.kernel.config.paths import PACKAGES

_UUID: Final = re.compile(r"""(?<=[":])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])""")
_HASH: Final = re.compile(r"""(?<=[":])[0-9a-f]{64}(?![0-9a-f])""")
_SURROUNDINGS: Final = TypeAdapter(Surroundings)
_FILE: Final = TypeAdapter(SiteFile)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Ids and hashes in the JSON of a stored page: of all that it refers to, and perhaps of more, because its Markdown
    is not parsed for them."""

    ids: frozenset[UUID]
    images: frozenset[str]


def mentioned(text: str) -> Mentioned:
    """Returns the ids and hashes that the page refers to."""
    return Mentioned(frozenset(map(UUID, set(_UUID.findall(text)))), frozenset(_HASH.findall(text)))


def block_types(text: str) -> frozenset[str]:
    """The types of the blocks of a stored page."""
    return frozenset(block["type"] for block in orjson.loads(text)["blocks"])


def page_job(site: SiteDocument, page_id: UUID, text: str, around: Surroundings, refers_to: Mentioned) -> bytes:
    """The job of a page of the site. `text`: the JSON of the stored page."""
    job = {
        "code": code_hash(),
        "site": to_json(_seen_by(site, page_id, refers_to)).decode(),
        "page_id": str(page_id),
        "page": text,
        "around": json.loads(_SURROUNDINGS.dump_json(_around(page_id, around, refers_to, site.images()))),
    }
    return orjson.dumps(job, option=orjson.OPT_SORT_KEYS)


def key_of(job: bytes) -> bytes:
    """The name of the file that the job gives."""
    return sha256(job).digest()


def run_job(job: bytes) -> bytes:
    """The file, for `file_of_answer`. Raises `ValueError` for a job of another version of the program."""
    values: dict[str, Any] = orjson.loads(job)
    if values["code"] != code_hash():
        raise ValueError("the program was updated")
    around = _SURROUNDINGS.validate_python(values["around"])
    site = parse_site(values["site"].encode())
    made = render_page(site, UUID(values["page_id"]), read_page(values["page"].encode()), around)
    return _FILE.dump_json(made)


def file_of_answer(answer: bytes) -> SiteFile:
    """The file that `run_job` made."""
    return _FILE.validate_json(answer)


def _seen_by(site: SiteDocument, page_id: UUID, refers_to: Mentioned) -> SiteDocument:
    """The site as the page shows it: of other pages the names in its menu and breadcrumbs, and the addresses."""
    page = site.page(page_id)
    if page is None:
        raise LookupError(f"the site has no page {page_id}")
    above = set(ancestors(page.path))
    named = {page_id, *site.navigation, *(one.id for one in site.pages if one.path in above)}
    seen = [
        one if one.id == page_id else _reduced(one, one.label if one.id in named else "-")
        for one in site.pages
        if one.id in named or one.id in refers_to.ids or not one.path
    ]
    return site.model_copy(update={"pages": tuple(seen)})


def _reduced(page: SitePage, title: str) -> SitePage:
    return SitePage(id=page.id, path=page.path, title=title)


def _around(page_id: UUID, around: Surroundings, refers_to: Mentioned, of_site: Iterable[str]) -> Surroundings:
    dates = around.dates.get(page_id)
    return replace(
        around,
        links=_only(around.links, refers_to.ids),
        images=_only(around.images, refers_to.images.union(of_site)),
        dates={page_id: PageDates(_day(dates.published), _day(dates.updated))} if dates is not None else {},
    )


def _only(values: Mapping[Any, Any], wanted: Iterable[Any]) -> dict[Any, Any]:
    return {name: values[name] for name in wanted if name in values}


def _day(moment: datetime) -> datetime:
    """Pages show days: at another time of the same day they are the same."""
    return datetime.combine(moment.astimezone(UTC).date(), time(), UTC)


@cache
def code_hash() -> str:
    """The hash of all code and data that make a page. To be called when the process starts."""
    digest = sha256()
    paths = [path for pattern in _CODE for path in PACKAGES.glob(pattern) if path.suffix in _SUFFIXES]
    for path in sorted(paths):
        digest.update(path.relative_to(PACKAGES).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(" ".join(map(version, _LIBRARIES)).encode())
    return digest.hexdigest()


_CODE: Final = ("infra/domain/publishing/**/*", "infra/kernel/text/*", "schemas/*")
_SUFFIXES: Final = frozenset({".py", ".html", ".css", ".json", ".toml", ".svg", ".woff2"})
_LIBRARIES: Final = ("jinja2", "linkify-it-py", "markdown-it-py", "nh3", "pydantic")
