"""Pages: valid HTML with landmarks and one outline, addresses, structured data, and no script but the tracker."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest

from infra.domain.publishing.document import PageDocument
from infra.domain.publishing.render import MissingReference, PageDates, SiteFile, SiteImage, Surroundings, render_page
from tests.support.published_pages import (
    ABOUT,
    HOME,
    LINK,
    PHOTO,
    TENTS,
    TO_LINK,
    blocks,
    page,
    site,
    surroundings,
    web,
)
from tests.support.strict_html import Document, read

LOGO = {"hash": "d" * 64, "is_decorative": True, "width": 400, "height": 400}
SPONSORED = "sponsored nofollow noopener"


def rendered(
    document: PageDocument, page_id: UUID = TENTS, around: Surroundings | None = None, **changes: Any
) -> SiteFile:
    return render_page(site(**changes), page_id, document, around or surroundings())


def shown(*found: dict[str, Any], **changes: Any) -> Document:
    return read(rendered(page(*found), **changes).body)


def links(document: Document) -> dict[str, dict[str, str]]:
    return {element.text.strip(): element.attributes for element in document.all("a")}


def test_every_type_of_block_is_valid_html_with_one_outline() -> None:
    file = rendered(page(*blocks()))
    document = read(file.body)
    assert list(document.headings()) == [
        (1, "Tents"),
        (2, "Poles"),
        (2, "Tent A"),
        (3, "Pros"),
        (3, "Cons"),
        (2, "All tents"),
        (2, "Offers"),
        (3, "Tent B"),
        (2, "Tent A"),
        (2, "Questions"),
        (3, "Is it dry?"),
        (2, "News"),
    ]
    assert file.problems == () and file.content_type == "text/html; charset=utf-8"
    assert len(file.body) < 14_000  # fits into the first round trip, even before it is compressed


def test_a_page_has_landmarks_language_and_a_skip_link() -> None:
    document = shown(*blocks())
    assert document.one("html").attributes == {"lang": "en"}
    skip = document.all("a")[0]
    assert skip.attributes["href"] == f"#{document.one('main').attributes['id']}" and skip.path == ("html", "body")
    assert [nav.attributes["aria-label"] for nav in document.all("nav")] == ["Main menu", "You are here"]
    current = [link for link in document.all("a") if link.attributes.get("aria-current") == "page"]
    assert [link.text for link in current] == ["Tents", "Tents"]
    assert shown(language="ar").one("html").attributes == {"lang": "ar", "dir": "rtl"}


@pytest.mark.parametrize(("size", "name", "alt"), [((400, 400), "Camping", ""), ((800, 200), "", "Camping")])
def test_a_logo_is_shown_with_the_name_or_in_its_place_and_is_the_icon(
    size: tuple[int, int], name: str, alt: str
) -> None:
    around = surroundings(images={**surroundings().images, LOGO["hash"]: SiteImage("images/logo.webp", *size)})
    file = rendered(page(*blocks()), around=around, name="Camping", logo=LOGO)
    document = read(file.body)
    logo, photo, *_ = document.all("img")
    [header] = [link for link in document.all("a") if link.attributes.get("class") == "site"]
    [icon] = [link for link in document.all("link") if link.attributes["rel"] == "icon"]
    assert (header.text.strip(), logo.attributes["alt"]) == (name, alt)
    assert logo.attributes["src"] == icon.attributes["href"] == "../../images/logo.webp"
    assert int(logo.attributes["width"]) == 40 * size[0] // size[1] and logo.attributes["height"] == "40"
    assert photo.attributes["fetchpriority"] == "high", "the logo is not the page's first image"
    assert file.problems == ()


def test_a_logo_that_is_gone_is_named_and_the_mark_stands_in_its_place() -> None:
    file = rendered(page(*blocks()), logo=LOGO)
    assert [problem.code for problem in file.problems] == ["image_missing"]
    assert b'class="mark"' in file.body


def test_a_page_without_a_hero_first_has_its_title_as_heading() -> None:
    assert list(shown().headings()) == [(1, "Tents")]
    hero = {"type": "hero", "title": "Hello"}
    assert list(shown(hero).headings()) == [(1, "Hello")]
    assert list(shown({"type": "disclosure", "text": "x"}, hero, hero).headings()) == [(1, "Hello"), (2, "Hello")]
    faq = {"type": "faq", "title": "Why", "questions": [{"question": "a", "answer": "b"}]}
    assert list(shown(faq, hero).headings()) == [(1, "Tents"), (2, "Why"), (3, "a"), (2, "Hello")]


def test_headings_of_markdown_skip_no_level() -> None:
    source = "# A\n\n#### B\n\n##### C\n\n## D\n\n###### E"
    assert list(shown({"type": "article", "markdown": source}).headings()) == [
        (1, "Tents"), (2, "A"), (3, "B"), (4, "C"), (3, "D"), (4, "E"),
    ]  # fmt: skip
    faq = {"type": "faq", "questions": [{"question": "a", "answer": "# x\n\n## y\n\n### z\n\n#### u\n\n##### v"}]}
    assert [level for level, _ in shown(faq).headings()] == [1, 2, 3, 4, 5, 6, 6]


def test_each_markdown_text_is_rendered_into_one_element_of_its_own() -> None:
    # The builder finds the text that was clicked by it (web/src/features/publishing/lib/edit-in-place.ts).
    def texts(block: dict[str, Any]) -> list[list[str]]:
        return [each.text.split() for each in shown(block).all("div") if each.attributes.get("class") == "prose"]

    questions = [{"question": "Dry?", "answer": "*Yes*"}, {"question": "Warm?", "answer": "A\n\n> bit"}]
    assert texts({"type": "article", "markdown": "## Poles\n\n> Two"}) == [["Poles", "Two"]]
    assert texts({"type": "faq", "questions": questions}) == [["Yes"], ["A", "bit"]]


def test_the_head_says_what_the_page_is() -> None:
    document = shown(*blocks())
    assert document.one("title").text == "Tents | Rain & Tents"
    assert document.meta("description") == "Tested in the rain." and document.meta("robots") is None
    relations = {link.attributes["rel"]: link.attributes["href"] for link in document.all("link")}
    assert relations == {"canonical": "https://tents.example/reviews/tents/", "alternate": "../../feed.xml"}
    assert {
        name: document.meta(f"og:{name}") for name in ("site_name", "title", "type", "url", "image", "image:width")
    } == {
        "site_name": "Rain & Tents",
        "title": "Tents",
        "type": "article",
        "url": "https://tents.example/reviews/tents/",
        "image": f"https://tents.example/images/{PHOTO}.webp",
        "image:width": "800",
    }
    assert read(rendered(page(), ABOUT).body).meta("robots") == "noindex"


def test_links_inside_the_site_are_relative() -> None:
    article = {"type": "article", "markdown": f"[a](page:{HOME}) [b](page:{TENTS}) [c](page:{ABOUT})"}
    for page_id, expected in (
        (HOME, ("./", "reviews/tents/", "about/")),
        (ABOUT, ("../", "../reviews/tents/", "../about/")),
        (TENTS, ("../../", "../../reviews/tents/", "../../about/")),
    ):
        found = links(read(rendered(page(article), page_id).body))
        assert tuple(found[name]["href"] for name in "abc") == expected


def test_a_tracked_link_is_sponsored_and_so_is_one_to_a_network() -> None:
    found = links(
        shown(
            {"type": "article", "markdown": f"[a](link:{LINK}) [b](https://www.awin1.com/x) [c](https://c.example)"},
            {
                "type": "offers",
                "offers": [{"name": "d", "target": TO_LINK}, {"name": "e", "target": web("https://e.example")}],
            },
            {"type": "offers", "offers": [{"name": "f", "target": {**web("https://f.example"), "is_sponsored": True}}]},
        )
    )
    assert found["a"] == {"href": "https://track.example/go/tent", "rel": SPONSORED}
    assert [found[name]["rel"] for name in ("b", "c", "Visit d", "Visit e", "Visit f")] == [
        SPONSORED, "noopener", SPONSORED, "noopener", SPONSORED,
    ]  # fmt: skip


def test_a_block_is_a_placement_and_tracked_links_can_carry_it() -> None:
    around = surroundings(
        page_parameter="sub9", placement_parameter="sub10", links={LINK: "https://t.example/go/tent?x=1#top"}
    )
    offers = {"type": "offers", "name": "top", "offers": [{"name": "d", "target": TO_LINK}]}
    document = read(rendered(page(offers), around=around).body)
    section = document.one("section")
    assert section.attributes == {"id": "b-top", "data-placement": "top"}
    assert (
        links(document)["Visit d"]["href"] == "https://t.example/go/tent?x=1&sub9=%2Freviews%2Ftents%2F&sub10=top#top"
    )


def test_the_first_image_loads_at_once_and_the_others_when_they_are_seen() -> None:
    first, *others = shown(*blocks()).all("img")
    assert first.attributes == {
        "src": f"../../images/{PHOTO}.webp", "alt": "A tent in the rain", "width": "800", "height": "600",
        "fetchpriority": "high",
    }  # fmt: skip
    assert len(others) == 3 and all(image.attributes["loading"] == "lazy" for image in others)


def test_a_wide_image_has_a_copy_for_narrow_screens() -> None:
    wide = {PHOTO: SiteImage(f"images/{PHOTO}.webp", 1600, 1200, f"images/{PHOTO}-800.webp")}
    for image in read(rendered(page(*blocks()), around=surroundings(images=wide)).body).all("img"):
        assert image.attributes["srcset"] == f"../../images/{PHOTO}-800.webp 800w, ../../images/{PHOTO}.webp 1600w"
        assert image.attributes["sizes"].endswith("100vw")


def test_tables_have_a_caption_and_scopes_and_scroll_with_the_keyboard() -> None:
    document = shown(*blocks())
    assert document.one("caption").text == "All tents"
    assert [(head.attributes["scope"], head.text) for head in document.all("th")] == [
        ("col", "weight"), ("col", "A"), ("col", "B"), ("row", "Dry"),
    ]  # fmt: skip
    areas = [element.attributes for element in document.all("div") if element.attributes.get("class") == "scroll"]
    assert [(area["role"], area["tabindex"], area["aria-label"]) for area in areas] == [
        ("region", "0", "Table"), ("region", "0", "All tents"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rating", "stars", "number"),
    [
        (0, "☆☆☆☆☆", "0"),
        (2, "☆☆☆☆☆", "0.2"),
        (3, "½☆☆☆☆", "0.3"),
        (45, "★★★★½", "4.5"),
        (47, "★★★★½", "4.7"),
        (48, "★★★★★", "4.8"),
        (50, "★★★★★", "5"),
    ],
)
def test_stars_are_text_with_a_name(rating: int, stars: str, number: str) -> None:
    [found] = [
        one
        for one in shown({"type": "review", "product": "x", "rating": rating}).all("span")
        if "role" in one.attributes
    ]
    assert (found.text, found.attributes["aria-label"]) == (stars, f"{number} out of 5 stars")


def test_prices_and_ratings_are_written_in_the_language_of_the_site() -> None:
    price = {"type": "price", "product": "x", "amount": 123_456, "old_amount": 200_000, "currency": "EUR"}
    review = {"type": "review", "product": "x", "rating": 45}
    assert "€1,234.56 Was €2,000.00" in " ".join(shown(price).one("main").text.split())
    german = shown(price, review, language="de").one("main").text
    assert "1\u202f234,56\u00a0€ Statt 2\u202f000,00\u00a0€" in german and "4,5/5" in german
    assert "¥1" in shown({**price, "amount": 1, "currency": "JPY"}).one("main").text
    assert "123.456\u00a0KWD" in shown({**price, "currency": "KWD"}).one("main").text


def test_structured_data_has_reviews_questions_and_breadcrumbs() -> None:
    product, questions, crumbs = shown(*blocks()).structured_data()
    assert (product["@type"], product["name"]) == ("Product", "Tent A")
    review = product["review"]
    assert review["reviewRating"] == {"@type": "Rating", "ratingValue": "4.5", "bestRating": "5", "worstRating": "0"}
    assert review["author"] == {"@type": "Organization", "name": "Rain & Tents"}
    assert (review["reviewBody"], review["datePublished"]) == ("Dry.", "2026-03-01")
    assert review["positiveNotes"]["itemListElement"] == [{"@type": "ListItem", "position": 1, "name": "Light"}]
    [question] = questions["mainEntity"]
    assert (question["name"], question["acceptedAnswer"]["text"]) == ("Is it dry?", "Yes, very.")
    assert [(crumb["name"], crumb["item"]) for crumb in crumbs["itemListElement"]] == [
        ("Start", "https://tents.example/"), ("Tents", "https://tents.example/reviews/tents/"),
    ]  # fmt: skip


def test_a_review_without_a_rating_asserts_nothing() -> None:
    document = shown({"type": "review", "product": "x"}, author="Ada")
    assert [thing["@type"] for thing in document.structured_data()] == ["BreadcrumbList"]
    assert "★" not in document.one("main").text
    rated = shown({"type": "review", "product": "x", "rating": 1}, author="Ada").structured_data()
    assert rated[0]["review"]["author"] == {"@type": "Person", "name": "Ada"}


def test_text_cannot_end_the_script_of_structured_data() -> None:
    text = "</script><!--\u2028<script>&'"
    file = rendered(page({"type": "faq", "questions": [{"question": text.replace("\u2028", " "), "answer": text}]}))
    body = file.body.decode()
    assert body.count("</script") == 2 and "\u2028" not in body
    assert read(file.body).structured_data()[0]["mainEntity"][0]["name"] == "</script><!-- <script>&'"


def test_the_only_script_is_the_tracker_and_the_policy_allows_nothing_else() -> None:
    file = rendered(page(*blocks()))
    document = read(file.body)
    [tracker] = [script.attributes for script in document.all("script") if "src" in script.attributes]
    assert tracker == {"defer": "", "src": "https://track.example/t.js", "data-site": "pk_1"}
    digest = b64encode(sha256(document.one("style").text.encode()).digest()).decode()
    assert file.security_policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self'; script-src https://track.example;"
        " connect-src https://track.example; form-action 'self'; base-uri 'none'"
    )


def test_a_preview_has_no_script_and_no_addresses_of_its_own() -> None:
    file = rendered(page(*blocks()), around=Surroundings())
    document = read(file.body)
    assert not [script for script in document.all("script") if "src" in script.attributes]
    assert not document.all("link") and not document.all("form") and document.meta("og:url") is None
    assert "script-src 'none'" in file.security_policy and "form-action 'none'" in file.security_policy


def test_what_is_missing_is_left_out_and_reported() -> None:
    article = {
        "type": "article",
        "name": "text",
        "markdown": f"[a](link:{LINK}) [b](page:{UUID(int=7)}) ![c](image:{PHOTO})",
    }
    offers = {
        "type": "offers",
        "name": "list",
        "offers": [{"name": "d", "target": TO_LINK}, {"name": "e", "target": TO_LINK}],
    }
    file = rendered(page(article, offers), around=surroundings(links={}, images={}))
    document = read(file.body)
    assert "a b c" in document.one("main").text and not document.all("img")
    assert not [link for link in document.all("a") if link.text in ("a", "b", "Visit d")]
    assert [(problem.code, problem.placement) for problem in file.problems] == [
        ("link_missing", "text"), ("page_missing", "text"), ("image_missing", "text"), ("link_missing", "list"),
    ]  # fmt: skip
    assert isinstance(file.problems[0], MissingReference) and file.problems[0].page_id == TENTS


def test_a_newsletter_form_posts_an_address_with_page_and_block() -> None:
    document = shown({"type": "newsletter", "name": "news", "title": "News"})
    assert document.one("form").attributes == {"method": "post", "action": "../../subscribe"}
    fields = {field.attributes["name"]: field.attributes for field in document.all("input")}
    assert fields["website"]["tabindex"] == "-1" and any("hidden" in one.attributes for one in document.all("p"))
    assert (fields["page"]["value"], fields["block"]["value"]) == ("/reviews/tents/", "news")
    labels = [label.attributes["for"] for label in document.all("label")]
    assert fields["email"]["type"] == "email" and labels == [fields["website"]["id"], fields["email"]["id"]]


def test_only_a_page_with_a_form_may_send_one() -> None:
    form = {"type": "newsletter", "name": "news", "title": "News", "consent": "One email a week."}
    policies = [rendered(page(*shown)).security_policy for shown in ([form], [])]
    assert ["form-action 'self'" in policy for policy in policies] == [True, False]
    assert "form-action 'none'" in policies[1]


def test_an_image_of_another_site_is_a_link_and_not_an_image() -> None:
    document = shown(
        {
            "type": "article",
            "markdown": "![chart](https://c.example/x.png) [![y](https://c.example/y.png)](https://d.example)",
        }
    )
    assert not document.all("img")
    assert {name: links(document)[name]["href"] for name in ("chart", "y")} == {
        "chart": "https://c.example/x.png", "y": "https://d.example",
    }  # fmt: skip


def test_a_page_that_the_site_lacks_is_an_error() -> None:
    with pytest.raises(LookupError):
        rendered(page(), UUID(int=77))


@pytest.mark.parametrize(
    "changes",
    [
        {"base_address": "tents.example"},
        {"base_address": "https://tents.example"},
        {"base_address": "https://a.example/?x/"},
        {"base_address": "https://a;script-src/"},
        {"links": {LINK: "javascript:alert(1)"}},
        {"links": {LINK: "//a.example"}},
        {"images": {PHOTO: SiteImage("data:image/svg+xml,x", 1, 1)}},
        {"images": {PHOTO: SiteImage("a.webp", 1, 1, "javascript:alert(1)")}},
        {"tracker_address": "javascript:alert(1)"},
        {"site_key": 'x" onload="'},
        {"newsletter_address": "javascript:alert(1)"},
        {"placement_parameter": "a b"},
        {"tracker_address": "https://münchen.example"},
    ],
)
def test_surroundings_with_addresses_that_are_none_are_rejected(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"address|parameter|site_key"):
        surroundings(**changes)


def test_dates_have_a_time_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        PageDates(datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC))  # noqa: DTZ001 - the fault


def test_equal_input_gives_equal_bytes() -> None:
    assert rendered(page(*blocks())) == rendered(page(*blocks()))
    assert not re.search(rb"\n\s*\n\s*\n\s*\n", rendered(page(*blocks())).body)
