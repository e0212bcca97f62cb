"""The formats of access logs that an import knows, each read to the same `LoggedRequest`.

| format | a line |
|---|---|
| common, combined, combinedio | `address ident user [time] "request" status bytes`, then `"referrer" "agent"`, more |
| nginx `main` | the same with `"forwarded for"` at the end |
| vhost_combined, nginx with `$host` first | the same after the name of a host |
| Caddy | one JSON object |
| IIS W3C, CloudFront | columns that a line `#Fields:` names |
| ALB, Classic ELB | time, load balancer, `client:port`, …, `"request" "agent"` |

The address may be a list, as `X-Forwarded-For` has it, or the name that `HostnameLookups` found. Who a line is of is
never guessed: a first word that is neither is of no known format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from infra.kernel.net.geoip import parse_address

NAMES: Final = (
    "combined, common, vhost_combined, combinedio (Apache)",
    "combined, main, $host first (nginx)",
    "JSON (Caddy)",
    "W3C with its #Fields line (IIS, CloudFront)",
    "ALB and Classic ELB (AWS)",
)


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request as a line has it. `client`: an address, or the name of a host; `referrer`, `user_agent`: empty =
    none."""

    client: str
    at: datetime
    method: str
    target: str
    status: int
    referrer: str = ""
    user_agent: str = ""


def read_text(line: str, own_domain: str) -> LoggedRequest | None:
    """A line of the Apache and nginx family. `own_domain`: the website's; its name is no visitor's."""
    match = _TEXT.fullmatch(line)
    if match is None:
        return None
    at, request = _clf_time(match["time"]), match["request"].split(" ")
    client = _client(match["before"].split(), own_domain)
    if at is None or client is None or len(request) not in (2, 3):
        return None
    forwarded = _FORWARDED.match(match["rest"])
    if forwarded is not None and _is_internal(client):
        client = _first_public(_addresses(forwarded[1].split(","))) or client
    referrer, agent = _unquoted(match["referrer"] or ""), _unquoted(match["agent"] or "")
    return LoggedRequest(client, at, request[0], request[1], int(match["status"]), referrer, agent)


def read_load_balancer(line: str) -> LoggedRequest | None:
    """A line of an application load balancer of AWS, or of a classic one."""
    match = _LOAD_BALANCER.match(line)
    if match is None:
        return None
    at, client, request = _iso_time(match["time"]), parse_address(match["client"]), match["request"].split(" ")
    if at is None or client is None or len(request) != 3 or not match["status"].isdecimal():
        return None
    return LoggedRequest(client, at, request[0], request[1], int(match["status"]), "", _unquoted(match["agent"]))


def read_json(line: bytes) -> LoggedRequest | None:
    """A line of Caddy's access log."""
    try:
        entry = _decode_caddy(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    request, at = entry.request, _any_time(entry.ts)
    client = _as_written(request.client_ip or request.remote_ip or request.remote_addr)
    if client is None or at is None:
        return None
    headers = {name.lower(): values[0] for name, values in request.headers.items() if values}
    if _is_internal(client) and "x-forwarded-for" in headers:
        client = _first_public(_addresses(headers["x-forwarded-for"].split(","))) or client
    referrer, agent = headers.get("referer", ""), headers.get("user-agent", "")
    return LoggedRequest(client, at, request.method, request.uri, entry.status, referrer, agent)


class W3cColumns:
    """Lines of W3C's extended format, whose columns a directive names: IIS (spaces) and CloudFront (tabs)."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._date = ""

    def take_directive(self, line: str) -> None:
        """A line that begins with `#`."""
        name, _, value = line[1:].partition(":")
        if name == "Fields":
            self._names = tuple(value.lower().split())
        elif name == "Date":
            self._date = value.strip().partition(" ")[0]

    def read(self, line: str) -> LoggedRequest | None:
        """A line under the last directive; none before the first one."""
        if not self._names:
            return None
        has_tabs = "\t" in line
        values = line.split("\t") if has_tabs else line.split(" ")
        if len(values) != len(self._names):
            return None
        columns = {name: value for name, value in zip(self._names, values, strict=True) if value != "-"}
        at = _iso_time(f"{columns.get('date', self._date)}T{columns.get('time', '')}Z")
        client = _as_written(columns.get("c-ip", ""))
        method, stem, status = (columns.get(name, "") for name in ("cs-method", "cs-uri-stem", "sc-status"))
        if at is None or client is None or not (method and stem and status.isdecimal()):
            return None
        forwarded = columns.get("x-forwarded-for") or columns.get("cs(x-forwarded-for)") or ""
        if forwarded and _is_internal(client):
            client = _first_public(_addresses(re.split(r"[,+\s]+", unquote(forwarded)))) or client
        query = columns.get("cs-uri-query", "")
        decoded = _from_cloudfront if has_tabs else _from_iis
        referrer, agent = (decoded(columns.get(name, "")) for name in ("cs(referer)", "cs(user-agent)"))
        return LoggedRequest(client, at, method, stem + ("?" + query if query else ""), int(status), referrer, agent)


class _CaddyRequest(msgspec.Struct):
    method: str
    uri: str
    client_ip: str = ""
    remote_ip: str = ""
    remote_addr: str = ""
    headers: dict[str, list[str]] = {}


class _CaddyLine(msgspec.Struct):
    ts: float | str
    status: int
    request: _CaddyRequest


def _client(words: Sequence[str], own_domain: str) -> str | None:
    """Returns the sender of the request, from the words before the time, which end with ident and user."""
    if len(words) < 2:
        return None
    count = next((place for place, word in enumerate(words, 1) if not word.endswith(",")), len(words))
    items = "".join(words[:count]).split(",")
    if len(items) > 1:
        addresses = list(_addresses(items))
        return (_first_public(addresses) or addresses[0]) if addresses and len(words) > count else None
    first = words[0]
    address = _as_written(first)
    if parse_address(words[1].partition(",")[0]) is not None and (address or _HOST.fullmatch(first)):
        second = _client(words[1:], own_domain)  # the first one is the host that was requested
        return address if address and second and _is_internal(second) else second
    if address is not None:
        return address
    name = first.lower()
    is_own = bool(own_domain) and (name == own_domain or name.endswith(f".{own_domain}"))
    return name if len(words) > 2 and _HOST_NAME.fullmatch(name) and not is_own else None


@lru_cache(maxsize=4096)
def _as_written(word: str) -> str | None:
    """The address as the line has it, without a port. The text is what distinguishes visitors, also of earlier
    imports."""
    parsed = parse_address(word)
    return parsed if parsed is None or word.count(":") == 1 or word.startswith("[") else word


def _addresses(items: Iterable[str]) -> Iterable[str]:
    return (address for item in items if (address := parse_address(item)) is not None)


def _first_public(addresses: Iterable[str]) -> str | None:
    """Returns the client of a forwarded list: proxies add themselves behind it."""
    return next((address for address in addresses if not _is_internal(address)), None)


def _is_internal(client: str) -> bool:
    """Returns whether it is an address of a proxy, or of no visitor."""
    parsed = parse_address(client)
    if parsed is None:
        return False
    address = ip_address(parsed)
    return any(address in network for network in _INTERNAL if network.version == address.version)


def _clf_time(text: str) -> datetime | None:
    """`17/May/2015:10:05:03 +0000`, whatever the machine's language."""
    match = _CLF_TIME.fullmatch(text)
    if match is None or match["month"] not in _MONTHS:
        return None
    offset = timedelta(hours=int(match["zone"][1:3]), minutes=int(match["zone"][3:5]))
    try:
        moment = datetime(
            int(match["year"]),
            _MONTHS[match["month"]],
            int(match["day"]),
            int(match["hour"]),
            int(match["minute"]),
            int(match["second"]),
            tzinfo=timezone(-offset if match["zone"][0] == "-" else offset),
        )
    except (ValueError, OverflowError):
        return None
    return _kept(moment)


def _iso_time(text: str) -> datetime | None:
    """ISO 8601; in UTC unless it has a zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _kept(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))


def _any_time(value: float | str) -> datetime | None:
    """Unix time in seconds, or in ms or ns where the number is so large; or a text."""
    if isinstance(value, str):
        return _iso_time(value.replace("/", "-"))
    seconds = value / 1e9 if value > 1e16 else value / 1e3 if value > 1e11 else value
    try:
        return _kept(datetime.fromtimestamp(round(seconds, 3), UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _kept(moment: datetime) -> datetime | None:
    """Returns the moment in UTC; none outside of 1970 to 2099, which cannot be stored."""
    try:
        in_utc = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return in_utc if 1970 <= in_utc.year < 2100 else None


def _unquoted(text: str) -> str:
    return "" if text == "-" else text.replace('\\"', '"')


def _from_iis(text: str) -> str:
    return text.replace("+", " ")


def _from_cloudfront(text: str) -> str:
    """Percent-encoded, in older files twice."""
    once = unquote(text)
    return unquote(once) if "%" in once else once


_QUOTED: Final = r'(?:[^"\\]|\\.)*'
_TEXT: Final = re.compile(
    rf'(?P<before>[^\[]*)\[(?P<time>[^\]]+)\] "(?P<request>{_QUOTED})" (?P<status>\d{{3}}) (?:\d+|-)'
    rf'(?: "(?P<referrer>{_QUOTED})" "(?P<agent>{_QUOTED})")?(?P<rest>(?: (?:"{_QUOTED}"|[^\s"]+))*)\s*',
    re.A,
)
_FORWARDED: Final = re.compile(rf' "({_QUOTED})"', re.A)
_LOAD_BALANCER: Final = re.compile(
    r"(?:(?:https?|h2|grpcs|wss?) )?(?P<time>\d{4}-\d\d-\d\dT[\d:.]+Z) \S+ (?P<client>\S+) \S+ (?:-?[\d.]+ ){3}"
    rf'(?P<status>\d{{3}}|-) (?:\d{{3}}|-) -?\d+ -?\d+ "(?P<request>{_QUOTED})" "(?P<agent>{_QUOTED})"',
    re.A,
)
_CLF_TIME: Final = re.compile(
    r"(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) "
    r"(?P<zone>[+-]\d{4})",
    re.A,
)
METHOD: Final = re.compile(r"[A-Z]{1,20}", re.A)
_HOST: Final = re.compile(r"[\w.*-]+(?::\d+)?", re.A)
_HOST_NAME: Final = re.compile(r"(?=.*[a-z])[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_-]+)+\.?", re.A)
_MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
_INTERNAL: Final[Sequence[Any]] = tuple(
    ip_network(text)
    for text in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("::1/128", "fc00::/7", "fe80::/10"),
    )
)
_decode_caddy: Final = msgspec.json.Decoder(_CaddyLine).decode
