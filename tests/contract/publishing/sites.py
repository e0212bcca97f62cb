"""Sites as they are published: the seven starters, the nine themes, and texts that nobody planned for in every kind of
block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from infra.domain.publishing.render import PageDates, SiteFile, SiteImage, render_site
from infra.domain.publishing.starters import NICHES, start_site
from infra.domain.publishing.theme import READY_THEMES
from tests.support.published_pages import ABOUT, DATES, HOME, LINK, PHOTO, TENTS, blocks, page, site, surroundings, web

SECOND: Final = "cd" * 32
LONG: Final = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz" + "x" * 40
ODD: Final = (
    """"Quoted" & 'single' <script>alert(1)</script> </p></section> <!-- x --> ]]>""",
    "مراجعة \u200fخيمة (2024) – \u05d0\u05d5\u05d4\u05dc",
    LONG,
    "👩🏽\u200d🚀 x\u0301\u0301\u0301 \u00ad \u00a0 {{ 7*7 }} ${x} &amp; &#0; &nosuch;",
)
MARKDOWN: Final = (
    "# One\n\n#### Skips\n\n## [A link](https://a.example/?a=1&b=2 \"Its 'title'\") and **bold *both*** `code <b>`\n\n"
    "###### ![in a heading](image:{0})\n\n##\n\nText",
    "| | b |\n|:--|--:|\n| <td> | `a|b` |\n| [x](link:{2}) | ![y](image:{1}) |\n\n||\n|-|\n||",
    "- a\n  1. b\n     - c\n\n       d\n\n       > e\n       > - f\n       >\n       > ```\n       > <p>\n       > ```"
    "\n- [ ] todo\n\n\n7. seven\n0. zero\n\n-\n-\n\n---\n\n***",
    "<div onclick='x()'><table><tr><p>raw</div>\n\n<b>unclosed\n\n&lt;p&gt; \\<p\\> \\\n<https://a.example/ü?x=y&z>\n\n"
    "[javascript](javascript:alert(1)) [empty]() [](https://b.example/) [page](page:{3}) [gone](page:{4})\n\n"
    "[![linked](image:{0})](https://c.example) ![elsewhere](https://d.example/x.png) ![](https://d.example/y.png)\n\n"
    "[outer [inner](https://e.example)](https://f.example)  \nbreak\n\n    indented <code>\n\n~~struck~~ a*b*c __x__",
    LONG + " " + "w" * 2_000,
)
"""`{0}` and `{1}`: images. `{2}`: a tracked link. `{3}`: a page, `{4}`: none."""


def sites() -> Iterator[tuple[str, Mapping[str, SiteFile]]]:
    for niche in NICHES:
        document, contents = start_site(niche, "My site")
        dates = {one.id: DATES for one in document.pages}
        yield f"starter-{niche}", render_site(document, contents, surroundings(dates=dates))
    for theme in READY_THEMES:
        for dark in ("auto", "off"):
            themed = site(theme={"preset": theme, "dark": dark})
            yield f"theme-{theme}-{dark}", render_site(themed, {TENTS: page(*blocks())}, surroundings())
    images = {
        PHOTO: SiteImage(f"images/{PHOTO}.webp", 1600, 1200, f"images/{PHOTO}-800.webp"),
        SECOND: SiteImage(f"images/{SECOND}.webp", 1, 12_000),
    }
    dates = {HOME: DATES, TENTS: DATES, ABOUT: PageDates(DATES.published, DATES.updated)}
    around = surroundings(images=images, dates=dates, page_parameter="page", placement_parameter="placement")
    for number, odd in enumerate(ODD):
        for language in ("en", "ar", "zh-Hans"):
            named = odd_site(odd, language)
            contents = {HOME: page(*all_kinds(odd)), TENTS: page(*articles()), ABOUT: page()}
            yield f"odd-{number}-{language}", render_site(named, contents, around)
    yield "export", render_site(site(), {HOME: page(*bare_kinds())}, surroundings(base_address="", tracker_address=""))


def odd_site(odd: str, language: str) -> Any:
    title = odd[:60]
    found = [
        {"id": str(HOME), "path": "", "title": title, "description": odd},
        {"id": str(TENTS), "path": "reviews/tents", "title": title, "short_title": odd[:20]},
        {"id": str(ABOUT), "path": "about", "title": "About", "is_indexed": False},
    ]
    return site(name=title, author=title, language=language, pages=found)


def articles() -> Iterator[dict[str, Any]]:
    for source in MARKDOWN:
        for number, value in enumerate((PHOTO, SECOND, LINK, HOME, UUID(int=404))):
            source = source.replace(f"{{{number}}}", str(value))
        yield {"type": "article", "markdown": source}
        yield {"type": "faq", "questions": [{"question": "Why?", "answer": source}]}


def all_kinds(odd: str) -> Iterator[dict[str, Any]]:
    """Each kind of block, with this text wherever it may have one."""
    short, target = odd[:60], web("https://a.example/?a=1&copy=2#x")
    image = {"hash": SECOND, "alt": odd, "width": 1, "height": 12_000}
    lines = f"{odd}\n{odd}\n\n\n{odd}"
    yield {"type": "image", "image": image, "caption": odd, "target": {"kind": "link", "link_id": str(LINK)}}
    yield {"type": "hero", "title": odd, "text": lines, "image": image, "action": {"label": short, "target": target}}
    yield {"type": "hero", "title": odd}
    yield {"type": "article", "markdown": odd}
    points = [odd] * 3
    yield {
        "type": "review", "product": odd, "rating": 0, "summary": lines, "pros": points, "cons": points,
        "image": image, "label": short, "target": target,
    }  # fmt: skip
    yield {
        "type": "comparison", "title": odd, "note": lines,
        "products": [{"name": odd[:80], "label": short, "target": target}, {"name": "B"}],
        "rows": [{"feature": odd, "values": [{"kind": "text", "text": odd}, {"kind": "text", "text": ""}]}],
    }  # fmt: skip
    offer = {"name": odd, "text": lines, "image": image, "price": short, "label": short, "target": target}
    yield {"type": "offers", "title": odd, "offers": [offer, {"name": "Bare"}]}
    yield {
        "type": "price", "product": odd, "amount": 0, "currency": "JPY", "old_amount": 1, "note": odd, "label": short,
        "target": target,
    }  # fmt: skip
    yield {"type": "faq", "title": odd, "questions": [{"question": odd, "answer": odd}] * 2}
    yield {"type": "newsletter", "title": odd, "text": lines, "label": short, "consent": odd}
    yield {"type": "disclosure", "text": lines}


def bare_kinds() -> Iterator[dict[str, Any]]:
    """Each kind of block with nothing that it may lack, and with what is not there any more."""
    gone = {"hash": "0" * 64, "is_decorative": True, "width": 1, "height": 1}
    lost = {"kind": "link", "link_id": str(UUID(int=404))}
    yield {"type": "image", "image": gone}
    yield {"type": "image", "image": {**gone, "hash": PHOTO}}
    yield {"type": "article", "markdown": "\\"}
    yield {"type": "article", "markdown": f"![gone](image:{'0' * 64})"}
    yield {"type": "hero", "title": "x", "image": gone, "action": {"label": "x", "target": lost}}
    yield {"type": "review", "product": "x", "image": gone, "target": lost}
    yield {
        "type": "comparison", "title": "x", "products": [{"name": "A", "target": lost}],
        "rows": [{"feature": "y", "values": [{"kind": "text", "text": ""}]}],
    }  # fmt: skip
    yield {"type": "offers", "offers": [{"name": "x", "target": lost}]}
    yield {"type": "price", "product": "x", "amount": 1, "currency": "EUR", "target": lost}
    yield {"type": "faq", "questions": [{"question": "x", "answer": "y"}]}
    yield {"type": "newsletter", "title": "x"}
    yield {"type": "disclosure", "text": "x"}
