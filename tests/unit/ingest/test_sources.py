"""Addresses, sources, channels, user agents and bots."""

import pytest
from publicsuffixlist import PublicSuffixList

from infra.kernel.net.geoip import country_database, parse_address
from ingest.bot_detection import machine_reason, visit_reason
from ingest.errors import EventRejected
from ingest.referrers import SPAM_REFERRERS, classify, clean, host_of, is_spam, read_page
from ingest.user_agents import parse_agent
from tests.support.user_agents import BROWSER, IPAD, IPHONE

CRAWLERS = """
    GPTBot ClaudeBot anthropic-ai CCBot PerplexityBot Bytespider Amazonbot meta-externalagent Applebot
    facebookexternalhit WhatsApp TelegramBot Slackbot Discordbot Mastodon Pleroma Embedly Feedly UniversalFeedParser
    FeedBurner NetNewsWire Liferea Feedbin RSS
"""


def test_a_page_keeps_host_path_and_utm_only() -> None:
    page = read_page("https://WWW.Example.com:8443/a/b?email=me%40x.example&utm_source=News%20Letter&token=s#frag")
    assert (page.hostname, page.path, page.utm_source) == ("www.example.com", "/a/b", "News Letter")
    assert (
        "me"
        not in repr(page).replace("hostname", "").replace("utm_medium", "").replace("utm_name", "").split("path")[0]
    )
    assert read_page("/only/path?x=1").path == "/only/path"
    assert read_page("https://example.com").path == "/"


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "ftp://x/y", "relative", "http://", "http://[::1", "//" + "a" * 9000],
)
def test_what_is_no_page_is_refused(url: str) -> None:
    with pytest.raises(EventRejected) as caught:
        read_page(url)
    assert caught.value.code == "bad_url"


@pytest.mark.parametrize(
    ("referrer", "url", "expected"),
    [
        ("", "https://own.example/", ("", "direct")),
        ("https://www.google.co.uk/search?q=x", "https://own.example/", ("Google", "search")),
        ("https://duckduckgo.com/", "https://own.example/", ("DuckDuckGo", "search")),
        ("https://l.facebook.com/l.php", "https://own.example/", ("Facebook", "social")),
        ("https://t.co/abc", "https://own.example/", ("X", "social")),
        ("https://mail.google.com/", "https://own.example/", ("Gmail", "email")),
        ("https://blog.example.org/post", "https://own.example/", ("blog.example.org", "referral")),
        ("https://google.evil.example.org/", "https://own.example/", ("google.evil.example.org", "referral")),
        ("https://shop.own.example/x", "https://own.example/", ("", "internal")),
        ("https://www.google.com/", "https://own.example/?gclid=1", ("Google", "paid")),
        ("", "https://own.example/?utm_source=news&utm_medium=email", ("news", "email")),
        ("", "https://own.example/?utm_source=google&utm_medium=cpc", ("Google", "paid")),
        ("", "https://own.example/?utm_source=partner1&utm_medium=affiliate", ("partner1", "affiliate")),
        ("", "https://own.example/?utm_source=facebook", ("Facebook", "social")),
        ("", "https://own.example/?utm_source=IG&utm_medium=social", ("Instagram", "social")),
        ("android-app://com.google.android.gm/", "https://own.example/", ("Gmail", "email")),
    ],
)
def test_sources_and_channels(referrer: str, url: str, expected: tuple[str, str]) -> None:
    assert classify(host_of(referrer), "own.example", read_page(url)) == expected


def test_the_list_of_spam_referrers_has_hosts_and_no_source_of_genuine_visits() -> None:
    hosts = SPAM_REFERRERS.read_text().splitlines()
    assert hosts == sorted(set(hosts)) and len(hosts) >= 34
    suffixes = PublicSuffixList()
    for host in hosts:
        assert host_of(f"https://{host}/") == host and suffixes.privatesuffix(host), host
        assert classify(host, "own.example", read_page("https://own.example/")) == (host, "referral")


def test_spam_referrers_and_control_characters() -> None:
    assert is_spam("semalt.com") and is_spam("crawl.semalt.com") and not is_spam("notsemalt.com")
    assert clean("a\x00b\r\nc\u2028d\xa0e") == "abcd\xa0e"


@pytest.mark.parametrize("name", CRAWLERS.split())
def test_crawlers_of_models_and_feeds_are_detected(name: str) -> None:
    agents = [
        f"{name}/1.0",
        f"Mozilla/5.0 (compatible; {name}/1.0)",
        f"Mozilla/5.0 (KHTML, like Gecko; {name}/1) Chrome/130.0",
    ]
    assert all(parse_agent(form).crawler for text in agents for form in (text, text.lower()))


@pytest.mark.parametrize(
    ("text", "device", "is_bot", "tool"),
    [
        (BROWSER, "desktop", False, False),
        (IPHONE, "mobile", False, False),
        (IPAD, "tablet", False, False),
        (
            "Mozilla/5.0 (Linux; Android 14; SM-X200) AppleWebKit/537.36 Chrome/120 Safari/537.36",
            "tablet",
            False,
            False,
        ),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "bot", True, False),
        ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)", "bot", True, False),
        ("curl/8.5.0", "other", False, True),
        ("python-httpx/0.27", "other", False, True),
        ("", "other", False, False),
    ],
)
def test_user_agents(text: str, device: str, is_bot: bool, tool: bool) -> None:
    agent = parse_agent(text)
    assert (agent.device, agent.crawler, agent.tool) == (device, is_bot, tool)


@pytest.mark.timeout(60)
def test_no_user_agent_holds_the_others_up() -> None:
    """Each of these took a tenth of a second, in which nobody else was answered."""
    for number in range(600):
        assert not parse_agent(f"{'a-' * 500}{number}").crawler
    assert parse_agent(f"Mozilla/5.0 (compatible; {'a' * 100} AhrefsBot/7.0; +http://ahrefs.com/robot/)").crawler


def test_what_gives_a_machine_away() -> None:
    browser, nothing = parse_agent(BROWSER), parse_agent("")
    headless = parse_agent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/131.0 Safari/537.36")
    assert machine_reason(browser, {}) == ""
    assert machine_reason(headless, {}) == "headless"
    assert machine_reason(parse_agent("AppEngine-Google; (+http://code.google.com/appengine)"), {}) == "datacentre"
    assert machine_reason(browser, {b"cf-worker": b"x.example"}) == "datacentre"
    for name, value in ((b"sec-purpose", b"prefetch;prerender"), (b"purpose", b"prefetch"), (b"x-moz", b"prefetch")):
        assert machine_reason(browser, {name: value}) == "prefetch"
    assert machine_reason(parse_agent("curl/8.5.0"), {}) == "" and machine_reason(nothing, {}) == ""
    assert visit_reason(parse_agent("curl/8.5.0"), True, {}, "GET", "") == "crawler"
    assert visit_reason(nothing, False, {}, "GET", "") == "no_user_agent"
    assert visit_reason(browser, True, {}, "HEAD", "") == "head"
    assert visit_reason(browser, True, {}, "GET", "semalt.com") == "spam_referrer"
    assert visit_reason(browser, True, {}, "GET", "example.org") == ""


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("1.2.3.4:5678", "1.2.3.4"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("fe80::1%eth0", "fe80::1"),
        (" 1.2.3.4 ", "1.2.3.4"),
        ("unknown", None),
        ("1.2.3.999", None),
        ("", None),
    ],
)
def test_addresses(text: str, address: str | None) -> None:
    assert parse_address(text) == address


def test_the_country_database_is_found_where_make_run_installs_it() -> None:
    path = country_database()
    assert path is None or path.suffix == ".mmdb"
