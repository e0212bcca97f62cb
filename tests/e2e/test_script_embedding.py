"""`/t.js` however it came into the page: tags, files, loaders; without storage, with a wrong clock, and in routers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from ingest.script import built_script
from schemas import topics
from schemas.tracking import from_log_time
from tests.e2e.conftest import Publisher
from tests.support.ingest_service import IngestService, Site, Tail, running_ingest

TAG: Final = '<script async src="{url}/t.js" data-site="{key}"></script>'
EMBEDDINGS: Final = {
    "a tag": TAG,
    "a deferred tag": '<script defer src="{url}/t.js" data-site="{key}"></script>',
    "two tags": TAG + TAG,
    "the key on another tag": '<script data-site="{key}"></script><script src="{url}/t.js"></script>',
    "the global": '<script>althing_config = {{ site: "{key}" }}</script><script src="{url}/t.js"></script>',
    "the global, later": '<script src="{url}/t.js"></script><script>althing_config = {{ site: "{key}" }}</script>',
    "beside a script of others": (
        '<script data-site="ABCDEFG" src="data:text/javascript,0"></script>'
        '<script>althing_config = {{ site: "{key}" }}</script><script src="{url}/t.js"></script>'
    ),
    "a module": '<script type="module" src="{url}/t.js" data-site="{key}"></script>',
    "an imported module": '<script>althing_config = {{ site: "{key}" }}</script>'
    '<script type="module">import "{url}/t.js"</script>',
    "a combined file": '<script>althing_config = {{ site: "{key}", api: "{url}" }}</script>'
    '<script src="/bundle.js"></script>',
    "a combined file that knows its address": '<script>althing_config = {{ site: "{key}" }}</script>'
    '<script src="/bundle.js"></script>',
    "a combined file with the key": '<script src="/bundle.js" data-site="{key}"></script>',
    "inline": '<script data-site="{key}">{script}</script>',
    "evaluated": '<script data-site="{key}"></script>'
    '<script>fetch("{url}/t.js").then(r => r.text()).then(t => (0, eval)(t))</script>',
    "evaluated as a function": '<script data-site="{key}"></script>'
    '<script>fetch("{url}/t.js").then(r => r.text()).then(t => Function(t)())</script>',
    "a tag manager": '<script>s = document.createElement("script"); s.src = "{url}/t.js";'
    's.setAttribute("data-site", "{key}"); document.head.append(s)</script>',
    "a tag manager that drops attributes": '<script>althing_config = {{ site: "{key}" }};'
    's = document.createElement("script"); s.src = "{url}/t.js"; document.head.append(s); s.remove()</script>',
    "a loader that runs tags later": '<script type="later/javascript" src="{url}/t.js" data-site="{key}"></script>'
    '<script>onload = () => {{ let s = document.createElement("script");'
    's.src = document.querySelector("[type^=later]").src; document.body.append(s) }}</script>',
}
"""How the script is embedded; each sends one view of the page."""
TITLES: Final = """async () => {
  // As routers do it: the address first, the title when the page is drawn.
  const shown = async (path, title, wait) => {
    history.pushState({}, "", path);
    await new Promise(done => setTimeout(done, wait));
    document.title = title;
    await new Promise(done => setTimeout(done, 400));
  };
  history.replaceState({ scroll: 0 }, "");
  await shown("/one", "One", 0);
  await shown("/two?page=1", "Two", 50);
  for (const typed of "searching words") history.replaceState({}, "", "/two?q=" + typed);
  await shown("/two?page=2", "Two, page 2", 300);
  history.pushState({}, "", "/old");
  history.replaceState({}, "", "/three");
  document.title = "Three";
}"""
HAS_ANSWERS: Final = "localStorage.althing_q == '[]'"
"""Every event of the page is answered."""
ROUTES: Final = """() => {
  location.hash = "/";
  location.hash = "/pricing?utm_source=in";
  history.replaceState({}, "", "#/pricing?tab=2");
  location.hash = "!/%C3%BC";
}"""


@pytest.fixture(scope="module")
def tracking() -> Iterator[IngestService]:
    with running_ingest() as ingest_service:
        yield ingest_service


@pytest.fixture
def site(tracking: IngestService) -> Site:
    return tracking.add_site("127.0.0.1")


@pytest.fixture
def tab(context: BrowserContext, tracking: IngestService) -> Page:
    """A page in which the script may also come in a file of the website."""
    bundle = "var first = 1;\n" + built_script(tracking.url)[0].decode() + "\nvar last = 2;\n"
    context.route("**/bundle.js", lambda route: route.fulfill(body=bundle, content_type="text/javascript"))
    return context.new_page()


def html(tracking: IngestService, site: Site, embedding: str = TAG, head: str = "<title>Home</title>") -> str:
    script = built_script(tracking.url)[0].decode()
    return f"<!doctype html>{head}" + embedding.format(url=tracking.url, key=site.site_key, script=script)


def views(log: Tail, count: int) -> list[tuple[str, str]]:
    """Path and title of the next views, in their order."""
    events = distinct(log, count)
    assert {event["type"] for event in events} == {"pageview"}
    return [(event["path"], event.get("title", "")) for event in events]


def distinct(log: Tail, count: int) -> list[dict[str, Any]]:
    """The next events in their order. What a page that goes away sends, the next one may send again: the same event."""
    found: dict[str, dict[str, Any]] = {}
    while len(found) < count:
        for event in log.take(1):
            first = found.setdefault(event["event_id"], event)
            assert (event["path"], event["type"], event["title"]) == (first["path"], first["type"], first["title"])
    return sorted(found.values(), key=lambda event: event["occurred_at"])


def test_each_embedding_sends_one_view(tracking: IngestService, site: Site, publisher: Publisher, tab: Page) -> None:
    """Once each: a page that has its answer leaves nothing that the next one sends again."""
    warnings: list[str] = []
    tab.on("console", lambda message: warnings.append(message.text))
    with tracking.tail(topics.CLICKS) as log:
        for number, (name, embedding) in enumerate(EMBEDDINGS.items()):
            publisher.html = html(tracking, site, embedding, f"<title>{name}</title>")
            tab.goto(f"{publisher.url}/{number}")
            [event] = log.take(1)
            assert (event["path"], event["title"]) == (f"/{number}", name)
            tab.wait_for_function(HAS_ANSWERS)
        assert log.now() == [] and warnings == []


@pytest.mark.parametrize("embedding", ['<script src="{url}/t.js"></script>' * 2, '<script src="/bundle.js"></script>'])
def test_a_script_without_a_key_says_so_once(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page, embedding: str
) -> None:
    said: list[ConsoleMessage] = []
    tab.on("console", lambda message: said.append(message))
    publisher.html = html(tracking, site, embedding)
    tab.goto(publisher.url)
    tab.evaluate("althing('nothing happens')")
    assert [(message.type, message.text) for message in said] == [("warning", "althing: no data-site")]


def test_two_websites_in_one_page(tracking: IngestService, site: Site, publisher: Publisher, tab: Page) -> None:
    other = tracking.add_site("127.0.0.1")
    modules = "".join(
        f'<script type="module" src="{{url}}/t.js?{n}" data-site="{one.site_key}"></script>'
        for n, one in enumerate((site, other))
    )
    publisher.html = html(tracking, site, modules)
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        assert {event["website_id"] for event in log.take(2)} == {str(site.id), str(other.id)}


@pytest.mark.parametrize("navigation", ["Navigation API", "history"])
def test_one_page_is_one_view_with_its_own_title(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page, navigation: str
) -> None:
    if navigation == "history":
        tab.add_init_script("Object.defineProperty(window, 'navigation', { value: undefined })")
    publisher.html = html(tracking, site)
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url + "/?q=1")
        tab.wait_for_function(HAS_ANSWERS)
        tab.evaluate(TITLES)
        assert views(log, 5) == [
            ("/", "Home"),
            ("/one", "One"),
            ("/two", "Two"),
            ("/two", "Two, page 2"),
            ("/three", "Three"),
        ]
        assert log.now() == []


def test_a_navigation_that_the_page_intercepts(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page
) -> None:
    publisher.html = html(tracking, site)
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        tab.wait_for_function(HAS_ANSWERS)
        tab.evaluate("""() => {
            navigation.onnavigate = event => event.intercept({ handler: async () => { document.title = "Shown" } });
            return navigation.navigate("/shown").finished;
        }""")
        assert views(log, 2) == [("/", "Home"), ("/shown", "Shown")]


def test_a_page_that_is_left_before_its_title_comes_is_a_view(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page
) -> None:
    publisher.html = html(tracking, site)
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        tab.wait_for_function(HAS_ANSWERS)
        tab.evaluate("history.pushState({}, '', '/short'); location.href = '/next'")
        assert [path for path, _ in views(log, 3)] == ["/", "/short", "/next"]


def test_fragments_are_pages_where_the_tag_says_so(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page
) -> None:
    with tracking.tail(topics.CLICKS) as log:
        publisher.html = html(tracking, site)
        tab.goto(publisher.url + "/plain#utm_source=no")
        tab.evaluate(ROUTES)
        publisher.html = html(tracking, site, TAG.replace("async", "async data-hash"))
        tab.goto(publisher.url + "/app#utm_source=news&access_token=secret")
        tab.evaluate(ROUTES)
        tab.goto(publisher.url + "/end")
        events = distinct(log, 5)
    paths = ["/plain", "/app", "/app#/pricing", "/app#!/ü", "/end"]
    assert [(event["path"], event.get("utm_source", "")) for event in events] == list(
        zip(paths, ["", "news", "in", "", ""], strict=True)
    )
    assert "secret" not in json.dumps(events)


@pytest.mark.parametrize(
    "blocked",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError') } })",
        "try { for (let size = 1 << 22; size; size >>= 1) try { localStorage['x' + size] = 'x'.repeat(size) }"
        " catch { } } catch { }",
    ],
    ids=["blocked", "full"],
)
def test_without_storage_there_is_no_session(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page, blocked: str
) -> None:
    tab.add_init_script(blocked)
    publisher.html = html(tracking, site)
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        tab.goto(publisher.url + "/two")
        events = log.take(2)
        assert [event["type"] for event in events] == ["pageview"] * 2
        assert all("session" not in event for event in events) and events[0]["visitor"] == events[1]["visitor"]


def test_nothing_is_kept_for_other_hosts(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page, context: BrowserContext
) -> None:
    publisher.html = html(tracking, site)
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        assert log.take(1)[0]["session"]
    assert context.cookies() == []


def test_a_sandboxed_page_sends_its_view(tracking: IngestService, site: Site, publisher: Publisher, tab: Page) -> None:
    tag = TAG.format(url=tracking.url, key=site.site_key).replace("</", r"<\/")
    frame = '<iframe sandbox="allow-scripts" src="/framed"></iframe>'
    publisher.html = (
        f"<!doctype html><title>Home</title><script>document.write(self == top ? `{frame}` : `{tag}`)</script>"
    )
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        event = log.take(1)[0]
        assert (event["path"], event["title"]) == ("/framed", "Home") and "session" not in event


@pytest.mark.parametrize("days", [-40, 3])
def test_a_clock_that_is_days_wrong(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page, days: int
) -> None:
    tab.add_init_script(f"Date.now = (now => () => now() + {days} * 864e5)(Date.now)")
    publisher.html = html(tracking, site)
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        tab.evaluate("althing('later')")
        events = log.take(2)
    assert {event["type"] for event in events} == {"pageview", "later"}
    for event in events:
        late = from_log_time(event["received_at"]) - from_log_time(event["occurred_at"])
        assert abs(late.total_seconds()) < 60 and event["flags"] == "clock_corrected"


def test_json_beacons_and_requests_with_credentials(
    tracking: IngestService, site: Site, publisher: Publisher, tab: Page
) -> None:
    publisher.html = "<!doctype html><title>Own code</title>"
    with tracking.tail(topics.CLICKS) as log:
        tab.goto(publisher.url)
        assert tab.evaluate(
            """async ([url, site]) => {
              const body = type => JSON.stringify({ type, site });
              const headers = { "Content-Type": "application/json" };
              navigator.sendBeacon(url, new Blob([body("beacon")], { type: "application/json" }));
              const sent = await fetch(url, { method: "POST", credentials: "include", headers, body: body("fetched") });
              const bad = await fetch(url, { method: "POST", credentials: "include", headers, body: "{" });
              return [(await sent.json()).accepted, bad.status, (await bad.json()).code];
            }""",
            [f"{tracking.url}/track", site.site_key],
        ) == [1, 400, "bad_json"]
        assert sorted(event["type"] for event in log.take(2)) == ["beacon", "fetched"]
