"""User agents: browser, operating system, device class and kind of bot.

A machine is found by kept lists (CrawlerDetect, uap-core), the product's own (`ingest.bots.machine_agents`), and by
what no browser's user agent has: an address, `(compatible; …)` without the name of an old browser, or no browser at
all.

Parsing takes 200 us, so results are cached: ten thousand real requests contain a few hundred user agents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import ua_parser
from crawlerdetect import CrawlerDetect

from ingest.bots.machine_agents import is_machine, without_phones
from ingest.origins.social_networks import in_app_network

MAX_LENGTH: Final = 1024
"""Characters of a user agent that are looked at."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A parsed user agent. `crawler`, `headless`, `datacentre`: the kind of bot that it names. `tool`: a program that
    is no browser, such as a library or an app's own requests (CFNetwork, Dalvik): it sends events, and follows no links
    as a person does."""

    browser: str
    os: str
    device: str
    crawler: bool = False
    headless: bool = False
    tool: bool = False
    datacentre: bool = False
    version: str = ""
    """The browser's major version."""
    app: str = ""
    """The social network whose in-app browser it is; empty: none."""


@lru_cache(maxsize=16_384)
def parse_agent(text: str) -> Agent:
    """The agent that `text` (at most `MAX_LENGTH` characters) describes."""
    if not text.strip():
        return Agent("", "", "other")
    headless = _HEADLESS.search(text) is not None
    datacentre = _DATACENTRE.search(text) is not None
    tool = _TOOL.match(text) is not None
    parsed = ua_parser.parse(text)
    is_spider = parsed.device is not None and parsed.device.family == "Spider"
    crawler = not (headless or datacentre or tool) and (is_spider or _is_crawler(text))
    network = in_app_network(text)
    tool = tool or not (crawler or network or _BROWSER.search(text))
    browser = parsed.user_agent.family if parsed.user_agent else ""
    system = parsed.os.family if parsed.os else ""
    version = (parsed.user_agent.major or "") if parsed.user_agent else ""
    is_bot = crawler or headless or datacentre
    device = "bot" if is_bot else _device(text, system)
    app = "" if is_bot or tool else network
    return Agent(browser, system, device, crawler, headless, tool, datacentre, version, app)


def warm_up() -> None:
    """Loads the tables of both parsers, which takes a tenth of a second: before the first request comes."""
    parse_agent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36")


def _is_crawler(text: str) -> bool:
    # The detector takes a tenth of a second for one long word, and strangers choose what they send.
    text = without_phones(text)
    shortened = _LONG_WORD.sub(r"\1", text)[:_CRAWLER_LENGTH]
    if _detector.is_crawler(shortened) or is_machine(text):
        return True
    return any(sign.search(text) is not None for sign in _SIGNS)


def _device(text: str, system: str) -> str:
    if _TABLET.search(text) or (system == "Android" and "Mobile" not in text):
        return "tablet"
    if "Mobi" in text or system in _MOBILE_SYSTEMS:
        return "mobile"
    if system in _DESKTOP_SYSTEMS or _DESKTOP.search(text):
        return "desktop"
    return "other"


_detector: Final = CrawlerDetect()
_CRAWLER_LENGTH: Final = 320
_LONG_WORD: Final = re.compile(r"([\w.+-]{48})[\w.+-]+")
_HEADLESS: Final = re.compile(r"HeadlessChrome|PhantomJS|SlimerJS|Headless|jsdom|Playwright|Puppeteer|Selenium", re.I)
_DATACENTRE: Final = re.compile(
    r"AppEngine-Google|Amazon CloudFront|Amazon-Route53|AWS-Security|ELB-HealthChecker|GoogleHC|GoogleStackdriver"
    r"|Google-Cloud|Cloudflare-(?:Healthchecks|Traffic|Workers)|Azure ?Traffic ?Manager|AlwaysOn|Edge Health Probe"
    r"|UptimeRobot|Pingdom|StatusCake|Site24x7|Better ?Uptime|DigitalOcean Uptime",
    re.I,
)
_TOOL: Final = re.compile(
    r"(?:curl|wget|libwww-perl|python|aiohttp|httpx|okhttp|java|apache-httpclient|go-http-client|node|undici|axios"
    r"|got|ruby|faraday|php|guzzlehttp|symfony|postman|insomnia|dart|reqwest|hyper|http_request2|lwp|winhttp|perl"
    r"|wrk|ab|hey|k6|jmeter)(?:$|[/\s;(_-])",
    re.I,
)
_SIGNS: Final = (
    re.compile(r"^(?!.*\bMSIE ).*(?:https?://|mailto:|\+www\.|\w@[\w-]+\.\w)", re.I | re.S),
    re.compile(r"\bRSS\b", re.I),
    re.compile(r"\(compatible;(?! (?:MSIE|Konqueror))|\); compatible;", re.I),
)
"""Signs of machines that are not in the detector's list, and that no browser has either."""
_BROWSER: Final = re.compile(
    r"^(?:Mozilla/\d\.\d+ ?[(\[]|Opera/\d|UCWEB|Nokia|SAMSUNG|SonyEricsson|BlackBerry|LG[-/]|MOT-|DoCoMo|KDDI|SoftBank"
    r"|ZTE|HUAWEI|Alcatel|Lynx/|Links |ELinks|w3m/|Dillo/|NetSurf/)|WebKit/|Gecko/|\bMIDP|\bMAUI\b|\bWAP\b",
    re.I,
)
"""Names of browsers, also of old phones and of terminals."""
_TABLET: Final = re.compile(r"iPad|Tablet|Kindle|Silk/|PlayBook|SM-T\d", re.I)
_MOBILE_SYSTEMS: Final = frozenset({"iOS", "Android", "Windows Phone", "BlackBerry OS", "KaiOS", "Symbian OS"})
_DESKTOP_SYSTEMS: Final = frozenset(
    {"Windows", "Mac OS X", "Linux", "Ubuntu", "Fedora", "Debian", "Chrome OS", "FreeBSD", "OpenBSD", "NetBSD"}
)
_DESKTOP: Final = re.compile(r"Windows NT|Macintosh|X11|CrOS")
