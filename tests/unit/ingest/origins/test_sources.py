"""Addresses, sources, channels, user agents and bots."""

import pytest
from publicsuffixlist import PublicSuffixList

from infra.kernel.net.geoip import country_database, parse_address
from ingest.bots.bot_detection import machine_reason, visit_reason
from ingest.bots.user_agents import parse_agent
from ingest.errors import EventRejected
from ingest.origins import sources
from ingest.origins.referrers import SPAM_REFERRERS, classify, clean, host_of, is_spam, read_page
from ingest.page_paths import readable_path
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


SEARCH = """
    google.com www.google.com google.de www.google.com.br google.co.uk m.google.com images.google.fr
    encrypted.google.com google.cat bing.com www.bing.com cn.bing.com duckduckgo.com html.duckduckgo.com
    search.yahoo.com uk.search.yahoo.com r.search.yahoo.com search.yahoo.co.jp yahoo.com yandex.ru yandex.com.tr
    ya.ru baidu.com m.baidu.com ecosia.org search.brave.com startpage.com eu.startpage.com qwant.com
    lite.qwant.com search.naver.com m.search.naver.com search.seznam.cz kagi.com ask.com chatgpt.com
    chat.openai.com perplexity.ai gemini.google.com
"""
NO_SEARCH = """
    docs.google.com drive.google.com classroom.google.com sites.google.com maps.google.com translate.google.com
    support.google.com google.mycompany.com google.github.io google.co.uk.evil.example google.com.evil.example
    mygoogle.com google.xyz yandex.mycompany.com disk.yandex.ru bing.example.org account.bing.com yahoo.example.org
    finance.yahoo.com yahoo.github.io tieba.baidu.com pan.baidu.com blog.naver.com brave.com help.duckduckgo.com
    blog.google google.dev firebase.google.com search.example.com
"""
RETURNS = """
    accounts.google.com accounts.google.co.uk.accounts.google.com appleid.apple.com login.microsoftonline.com
    login.live.com acme.eu.auth0.com acme.okta.com auth.eu-west-1.amazoncognito.com acme.b2clogin.com www.paypal.com
    paypal.com www.sandbox.paypal.com checkout.stripe.com hooks.stripe.com pay.klarna.com www.mollie.com
    checkoutshopper-live.adyen.com secure.worldpay.com pay.google.com sis.redsys.es www.saferpay.com
"""


def test_search_engines_are_their_domains_and_search_hosts() -> None:
    found = {host: classified(host) for host in SEARCH.split()}
    assert {host: is_ for host, is_ in found.items() if is_[1] != "search" or not is_[0][0].isupper()} == {}


def test_other_hosts_with_the_name_of_an_engine_are_no_search() -> None:
    hosts = NO_SEARCH.split()
    assert {host: classified(host) for host in hosts} == {host: (host, "referral") for host in hosts}


def classified(host: str) -> tuple[str, str]:
    """Source and channel of a visitor who comes from this host."""
    return classify(host_of(f"https://{host}/"), "own.example", read_page("https://own.example/"))


@pytest.mark.parametrize("host", RETURNS.split())
def test_who_returns_from_a_sign_in_or_payment_page_comes_from_the_website(host: str) -> None:
    referrer = host_of(f"https://{host}/signin?x=1")
    page = read_page("https://own.example/thanks")
    assert referrer and classify(referrer, "own.example", page) == ("", "internal")
    assert classify(referrer, "own.example", page, "Instagram") == ("", "internal")
    named = read_page("https://own.example/?utm_source=news&utm_medium=email")
    assert classify(referrer, "own.example", named) == ("news", "email")
    assert classify(referrer, "own.example", read_page("https://own.example/?gclid=1")) == ("", "paid")


@pytest.mark.parametrize(
    ("referrer", "own", "page", "channel"),
    [
        ("shop.example.com", "blog.example.com", "blog.example.com", "internal"),
        ("blog.example.co.uk", "shop.example.co.uk", "shop.example.co.uk", "internal"),
        ("example.com", "blog.example.com", "blog.example.com", "internal"),
        ("pay.example.org", "example.com", "checkout.example.org", "internal"),
        ("other.co.uk", "example.co.uk", "example.co.uk", "referral"),
        ("alice.github.io", "bob.github.io", "bob.github.io", "referral"),
        ("alice.myshopify.com", "bob.myshopify.com", "bob.myshopify.com", "referral"),
        ("github.io", "bob.github.io", "bob.github.io", "referral"),
        ("10.0.0.1", "127.0.0.1", "127.0.0.1", "referral"),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1", "internal"),
        ("localhost", "localhost", "localhost", "internal"),
    ],
)
def test_a_registrable_domain_is_one_website(referrer: str, own: str, page: str, channel: str) -> None:
    found = classify(host_of(f"https://{referrer}/"), own, read_page(f"https://{page}/"))
    assert found == ("" if channel == "internal" else referrer, channel)


def test_return_hosts_are_hosts() -> None:
    hosts = [line for line in sources.RETURN_HOSTS.read_text().split("\n") if line and line[0] != "#"]
    assert len(hosts) == len(set(hosts)) >= 100
    suffixes = PublicSuffixList()
    for host in hosts:
        assert host_of(f"https://{host}/") == host and suffixes.privatesuffix(host), host


@pytest.mark.parametrize(
    ("referrer", "expected"),
    [
        ("android-app://com.google.android.googlequicksearchbox/https/www.google.com", ("Google", "search")),
        ("android-app://com.Slack", ("Slack", "referral")),
        ("android-app://org.telegram.messenger/", ("Telegram", "social")),
        ("android-app://com.whatsapp", ("WhatsApp", "social")),
        ("android-app://com.linkedin.android/", ("LinkedIn", "social")),
        ("android-app://com.google.android.apps.magazines/", ("Google News", "referral")),
        ("android-app://com.microsoft.office.outlook", ("Outlook", "email")),
        ("android-app://com.openai.chatgpt", ("ChatGPT", "search")),
        ("android-app://com.example.unknown/x", ("com.example.unknown", "referral")),
        ("ios-app://618783545/slack", ("Slack", "referral")),
        ("ios-app://422689480", ("Gmail", "email")),
    ],
)
def test_apps_are_named(referrer: str, expected: tuple[str, str]) -> None:
    assert classify(host_of(referrer), "own.example", read_page("https://own.example/")) == expected


@pytest.mark.parametrize(
    "query",
    [
        "UTM_SOURCE=News&utm_Medium=email&Utm_Campaign=May",
        "a=1&amp;utm_source=News&amp;utm_medium=email&amp;utm_campaign=May",
        "utm_source=News&amp;amp;utm_medium=email&AMP;UTM_CAMPAIGN=May",
        "utm_source=News&utm_medium=email&utm_campaign=May&utm_source=Other",
    ],
)
def test_utm_parameters_in_any_case_and_copied_from_html(query: str) -> None:
    page = read_page(f"https://own.example/?{query}")
    assert (page.utm_source, page.utm_medium, page.utm_campaign) == ("News", "email", "May")


@pytest.mark.parametrize(
    ("url", "path", "source"),
    [
        ("https://own.example/app#/pricing", "/app#/pricing", ""),
        ("https://own.example/#!/a/b?utm_source=x", "/#!/a/b", "x"),
        ("https://own.example/#/a?tab=1&UTM_Source=x", "/#/a", "x"),
        ("https://own.example/#utm_source=x&utm_medium=y", "/", "x"),
        ("https://own.example/?utm_source=first#utm_source=x", "/", "first"),
        ("https://own.example/#?utm_source=x", "/", "x"),
        ("https://own.example/#/", "/", ""),
        ("https://own.example/#!", "/", ""),
        ("https://own.example/#access_token=secret", "/", ""),
        ("https://own.example/#/access_token=secret&x=1", "/", ""),
        ("https://own.example/#/%C3%BC#x", "/#/ü", ""),
        ("https://own.example/#" + "a" * 2000, "/#" + "a" * 1022, ""),
    ],
)
def test_a_fragment_is_a_part_of_the_page_where_the_sender_says_so(url: str, path: str, source: str) -> None:
    assert read_page(url, True).path == path and read_page(url, True).utm_source == source
    assert read_page(url).path in ("/", "/app") and read_page(url).utm_source in ("", "first")


@pytest.mark.parametrize(
    ("forms", "shown"),
    [
        (("/ü", "/%C3%BC", "/%c3%bc", "/u%CC%88", "/u\u0308"), "/ü"),
        (("/日本", "/%E6%97%A5%E6%9C%AC", "/%e6%97%a5本"), "/日本"),
        (("/~a-b_c.d", "/%7Ea%2Db%5Fc%2Ed", "/%7ea%2db%5fc%2ed", "/~%61-%62_c.d"), "/~a-b_c.d"),
        (("/a b", "/a%20b"), "/a%20b"),
        (("/a%2Fb", "/a%2fb"), "/a%2Fb"),
        (("/100%25", "/100%25"), "/100%25"),
        (("/100%", "/100%"), "/100%"),
        (("/%FC", "/%fc"), "/%FC"),
        (("/%E2%80%AEx", "/%e2%80%aex"), "/%E2%80%AEx"),
        (("/%C3%BC%23%3F", "/ü%23%3f"), "/ü%23%3F"),
        (("/%00%0a",), "/%00%0A"),
    ],
)
def test_a_page_has_one_path_however_it_is_written(forms: tuple[str, ...], shown: str) -> None:
    assert {read_page(f"https://own.example{form}").path for form in forms} == {shown}
    assert {read_page(form).path for form in forms} == {shown}
    assert readable_path(shown) == shown


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
def test_a_user_agent_tells_device_crawler_and_tool(text: str, device: str, is_bot: bool, tool: bool) -> None:
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
def test_an_address_is_read_or_nothing(text: str, address: str | None) -> None:
    assert parse_address(text) == address


def test_the_country_database_is_found_where_make_run_installs_it() -> None:
    path = country_database()
    assert path is None or path.suffix == ".mmdb"
