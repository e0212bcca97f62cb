"""Page and referrer of a visit, and the source and channel that follow from them.

Only host, path and UTM parameters of an address are kept; the rest of the query may contain personal data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from ingest.errors import invalid
from ingest.origins import social_networks, sources
from ingest.origins.same_site import is_same_site
from ingest.page_paths import readable_path

MAX_URL: Final = 8192
MAX_PATH: Final = 1024
MAX_TEXT: Final = 255
SPAM_REFERRERS: Final = Path(__file__).with_name("spam_referrers.txt")
"""One host per line, as in Matomo's referrer-spam-list."""


@dataclass(frozen=True, slots=True)
class ReferrerPage:
    """An address as it is stored. `paid`: the query contains an advertising network's click parameter."""

    hostname: str
    path: str
    utm_source: str = ""
    utm_medium: str = ""
    utm_campaign: str = ""
    utm_content: str = ""
    utm_term: str = ""
    paid: bool = False


@lru_cache(maxsize=4096)
def read_page(url: str, with_fragment: bool = False) -> ReferrerPage:
    """Host, path and UTM parameters of `url` (http or https, or a path). `with_fragment`: its fragment is a part of the
    page, as with routes such as `#/pricing`, and may have UTM parameters. Raises `EventRejected` (bad_url)."""
    if len(url) > MAX_URL:
        raise invalid("bad_url", f"url has more than {MAX_URL} characters")
    try:
        parts = urlsplit(url)
        hostname = clean(parts.hostname or "").removesuffix(".")
        _ = parts.port
    except ValueError:
        raise invalid("bad_url", "url is not an address") from None
    if parts.scheme not in ("http", "https", "") or (parts.scheme and not hostname):
        raise invalid("bad_url", "url is not an http or https address")
    if not parts.scheme and not url.startswith("/"):
        raise invalid("bad_url", "url is neither an http or https address nor a path that starts with /")
    path, query = readable_path(clean(parts.path)) or "/", parts.query
    if with_fragment and parts.fragment:
        route, more = _read_fragment(parts.fragment)
        path, query = path + route, f"{query}&{more}"
    path = path[:MAX_PATH]
    if not query:
        return ReferrerPage(hostname[:MAX_TEXT], path)
    utm, paid = _read_query(query)
    return ReferrerPage(hostname[:MAX_TEXT], path, paid=paid, **utm)


def _read_query(query: str) -> tuple[dict[str, str], bool]:
    """The UTM parameters of a query, in any case and also as they are copied from HTML (`&amp;utm_source=`), and
    whether it has the click parameter of an advertising network."""
    utm: dict[str, str] = {}
    paid = False
    for sent, value in parse_qsl(query, max_num_fields=None, errors="replace"):
        name = _ENTITIES.sub("", sent.lower())
        if name in _UTM:
            utm.setdefault(name, clean(value).strip()[:MAX_TEXT])
        elif name in _PAID:
            paid = True
    return utm, paid


def _read_fragment(fragment: str) -> tuple[str, str]:
    """Returns the route of a fragment, with its `#`, and the parameters. `#/` is the page itself. Text that has a `=`
    before any other sign of a query is a parameter, which may be a secret (`#access_token=`)."""
    route, *query = _QUERY_SIGN.split(fragment, maxsplit=1)
    if "=" in route:
        return "", fragment.lstrip("!/")
    return "" if route in _HOME else "#" + readable_path(clean(route)), "".join(query).replace("?", "&")


@lru_cache(maxsize=4096)
def host_of(referrer: str) -> str:
    """The host of a referring address, lower case without `www.`; of an app or a deep link of a known network the host
    of that network; empty when there is none."""
    if not referrer or len(referrer) > MAX_URL:
        return ""
    try:
        parts = urlsplit(referrer)
        if parts.scheme in _APPS:
            return clean(sources.host_of_app(parts.scheme, parts.netloc))[:MAX_TEXT]
        if parts.scheme in social_networks.SCHEMES:
            return social_networks.SCHEMES[parts.scheme]
        if parts.scheme not in ("http", "https"):
            return ""
        return clean((parts.hostname or "").removesuffix(".").removeprefix("www."))[:MAX_TEXT]
    except ValueError:
        return ""


def classify(referrer_host: str, own_host: str, page: ReferrerPage, app: str = "") -> tuple[str, str]:
    """Source and channel of a visit to `page`, referred by `referrer_host`.

    `own_host`: the website's domain; `app`: the social network whose in-app browser it is. UTM parameters count before
    the referrer, and the referrer before the app. Who returns from a sign-in or payment page comes from the website.
    """
    return _classify(referrer_host, own_host, page.hostname, page.utm_source, page.utm_medium, page.paid, app)


@lru_cache(maxsize=8192)
def _classify(
    referrer_host: str, own_host: str, hostname: str, utm_source: str, utm_medium: str, paid: bool, app: str
) -> tuple[str, str]:
    """Classifies a referrer without the path, which does not matter, so that pages share cache entries."""
    medium = utm_medium.lower()
    is_return = sources.is_return_host(referrer_host)
    if is_return:
        name, kind = sources.NONE
    else:
        name, kind = sources.known(referrer_host) if referrer_host else (app, "social" if app else "")
    if utm_source:
        sent = utm_source.lower()
        name, kind = _NAMED.get(sent) or sources.known(sent)
        return name or utm_source, _channel(medium, paid) or kind or "referral"
    if medium or paid:
        return name or ("" if is_return else referrer_host), _channel(medium, paid) or kind or "referral"
    if is_return:
        return "", "internal"
    if not referrer_host:
        return (name, kind) if name else ("", "direct")
    if any(is_within(referrer_host, host) or is_same_site(referrer_host, host) for host in (own_host, hostname)):
        return "", "internal"
    return name or referrer_host, kind or "referral"


@lru_cache(maxsize=4096)
def is_spam(referrer_host: str) -> bool:
    """Returns whether the host is a known referrer spammer."""
    labels = referrer_host.split(".")
    return any(".".join(labels[start:]) in _SPAM for start in range(len(labels)))


def clean(text: str) -> str:
    """`text` without control characters."""
    return text if text.isprintable() else _CONTROL.sub("", text)


def _channel(medium: str, paid: bool) -> str:
    if paid or medium in _MEDIUM_PAID or medium.startswith("paid"):
        return "paid"
    return _MEDIUM.get(medium, "")


def is_within(host: str, domain: str) -> bool:
    """Returns whether the host is the domain or below it."""
    domain = domain.removeprefix("www.")
    return bool(domain) and (host == domain or host.endswith("." + domain))


_APPS: Final = frozenset({"android-app", "ios-app"})
_ENTITIES: Final = re.compile(r"^(?:amp;)+")
_QUERY_SIGN: Final = re.compile(r"[?&#]")
_HOME: Final = frozenset({"", "/", "!", "!/"})
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UTM: Final = frozenset({"utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"})
_PAID: Final = frozenset(
    {"gclid", "gbraid", "wbraid", "msclkid", "dclid", "yclid", "ttclid", "twclid", "li_fat_id", "rdt_cid", "sccid"}
)
"""Without `fbclid` and `epik`, which Facebook and Pinterest add to links in posts as well."""
_MEDIUM_PAID: Final = frozenset({"cpc", "ppc", "cpm", "cpv", "cpa", "cpp", "display", "banner", "retargeting", "ads"})
_MEDIUM: Final = {
    "email": "email",
    "e-mail": "email",
    "newsletter": "email",
    "mail": "email",
    "social": "social",
    "social-media": "social",
    "social_media": "social",
    "sm": "social",
    "affiliate": "affiliate",
    "affiliates": "affiliate",
    "partner": "affiliate",
    "referral": "referral",
    "organic": "search",
    "search": "search",
}
_NAMED: Final = {
    "google": ("Google", "search"),
    "bing": ("Bing", "search"),
    "duckduckgo": ("DuckDuckGo", "search"),
    "yahoo": ("Yahoo", "search"),
    **{sent: (name, "social") for sent, name in social_networks.UTM_SOURCES.items()},
    "newsletter": ("", "email"),
    "email": ("", "email"),
}
"""Name and channel by what `utm_source` may say; without a name the source is what was sent."""
_SPAM: Final = frozenset(SPAM_REFERRERS.read_text().split())
